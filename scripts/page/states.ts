/** All states of the page, for accessibility tests and screenshots. */
import type { Locator, Page } from 'playwright-core';
import { LADDER } from '../../src/core/search/ladder/rungs';
import type { ToWebview } from '../../src/protocol';
import { ERRORS } from './errorStates';
import type { Gpu } from './explorerPage';
import {
  COMPILED,
  compiledOwn,
  FUSED_SPEC,
  ILLEGAL,
  INSPECTED,
  own,
  run,
  show,
  SPEC,
  timed,
  withSchedule,
  WRONG_SPEC,
  wrongRun,
} from './samples';
import { TENSOR_SPEC } from './tensorSample';
import { TUNED_SPEC, TUNES } from './tunes';

export interface PageState {
  readonly name: string;
  readonly messages: readonly ToWebview[];
  readonly gpu?: Gpu;
  readonly saved?: unknown;
  readonly act?: (page: Page) => Promise<void>;
}

const press = (name: string) => (page: Page) =>
  page.locator('vscode-button', { hasText: name }).first().click();

const changeBm = async (page: Page): Promise<void> => {
  await press('Pin')(page);
  await page.getByLabel('BM').first().fill('64');
};

const unfoldTuned = (page: Page): Promise<void> => page.getByText('All 16 schedules tried').click();

const playBlock = async (page: Page): Promise<void> => {
  await press('Trace a thread block')(page);
  await page.getByLabel(/^step 0 of/).fill('20');
};

const openIn = async (page: Page, section: string, summary: string): Promise<Locator> => {
  const part = page.locator(section);
  await part.scrollIntoViewIfNeeded();
  await part.locator('summary', { hasText: summary }).first().click();
  return part;
};

/** Opens the question of a section, and checks the option at `index` if it is given. */
const askIn = (section: string, index?: number) => async (page: Page) => {
  const part = await openIn(page, section, 'Predict, then check');
  const options = part.locator('.predict-question input');
  await options.first().waitFor();
  if (index === undefined) return;
  await options.nth(index).check();
  await part.getByRole('button', { name: 'Check', exact: true }).click();
};

/** Moves the loops of a tile out of the loop whose copies they share, and plays the loops. */
const breakNest = async (page: Page): Promise<void> => {
  const part = await openIn(page, '#loops', 'Show the loop nest');
  await openIn(page, '#loops', 'Play the loops');
  await part.getByLabel(/^step 0 of/).fill('40');
  await part.getByRole('option').nth(3).click();
  await part.getByRole('listbox').press('Alt+ArrowUp');
  await part.locator('.loop-facts .error').waitFor();
};

const writeLayout = (expression: string) => async (page: Page) => {
  const part = await openIn(page, '#layouts', 'Show a layout');
  await part.getByLabel(/^Layout expression/).fill(expression);
};

const openEpilogue = async (page: Page): Promise<void> => {
  await press('Parameters')(page);
  await page.locator('#epilogue > summary').click();
  await page.locator('.epilogue-entry').first().waitFor();
};

const STAGED = withSchedule({ algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } });

/** Views for learners: questions, loop nests and layouts. */
const LEARNING: readonly PageState[] = [
  { name: 'question', messages: [show()], act: askIn('#occupancy') },
  { name: 'question about requests', messages: [show()], act: askIn('#memory') },
  { name: 'question, answered', messages: [show()], act: askIn('#tiles', 0) },
  { name: 'illegal loop nest', messages: [show({ spec: STAGED })], act: breakNest },
  { name: 'layout with an error', messages: [show()], act: writeLayout('tile((8,8), (4,4)') },
  {
    name: 'layout with a swizzle',
    messages: [show()],
    act: writeLayout('composition(Swizzle<2,0,3>{}, (8,8):(8,1))'),
  },
];

const unfoldOthers = (page: Page): Promise<void> => page.getByText('Other searches (1)').click();

const RUNGS: readonly PageState[] = (['warp-tile', 'pipelined', 'layout'] as const).flatMap(
  algorithm =>
    LADDER.filter(rung => rung.algorithm === algorithm)
      .slice(-1)
      .map(({ schedule }) => {
        const spec = withSchedule(schedule);
        return { name: algorithm, messages: [show({ spec, runs: [timed(0.05, spec)] })] };
      }),
);

const ownRun = (sourceHash: string) => ({ ...timed(0.02), sourceHash });
const edited = own('edited');

const WORKING: readonly PageState[] = [
  { name: 'waiting', messages: [] },
  { name: 'legal', messages: [show()] },
  { name: 'steps of a block', messages: [show()], act: playBlock },
  { name: 'compiled', messages: [show(), COMPILED, INSPECTED] },
  { name: 'illegal', messages: [ILLEGAL] },
  { name: 'epilogue', messages: [show({ spec: FUSED_SPEC })], act: openEpilogue },
  {
    name: 'running',
    messages: [show(), { type: 'progress', id: 'a', stage: 'timing', fraction: 0.4 }],
  },
  { name: 'verified', messages: [show({ runs: [run()] })] },
  {
    name: 'wrong result',
    messages: [show({ spec: WRONG_SPEC, runs: [wrongRun()] })],
  },
  { name: 'untrusted', messages: [show({ trusted: false })] },
  { name: 'edited kernel', messages: [show({ name: 'edited.cu', target: 'cuda' })] },
  {
    name: 'own kernel, edited and timed',
    messages: [show({ own: edited, runs: [ownRun(edited.sourceHash), ownRun(edited.sourceHash)] })],
  },
  { name: 'own kernel, compiled', messages: [show({ own: edited }), compiledOwn(edited)] },
  { name: 'own kernel, by hand', messages: [show({ own: own('hand-written') })] },
  { name: 'no published rules', messages: [show({ spec: { ...SPEC, device: 'apple-m4' } })] },
  {
    name: 'many runs',
    messages: [
      show({ runs: [...Array.from({ length: 40 }, (_, i) => timed(0.02 + i / 1000)), run()] }),
    ],
  },
  { name: 'two languages', messages: [show()], act: press('Side by side') },
  { name: 'comparison', messages: [show()], act: changeBm },
  {
    name: 'runs compared',
    messages: [
      show({
        runs: [
          timed(0.02),
          timed(0.03, {
            ...SPEC,
            schedule: { algorithm: 'thread-tile-2d', block: { m: 64, n: 128, k: 8 } },
          }),
        ],
      }),
    ],
    act: changeBm,
  },
  { name: 'tuning', messages: [show({ spec: TUNED_SPEC }), TUNES.running] },
  { name: 'tuned, tied', messages: [show({ spec: TUNED_SPEC }), TUNES.tied], act: unfoldTuned },
  { name: 'tuned, another problem', messages: [show(), TUNES.won], act: unfoldOthers },
  { name: 'tensor cores', messages: [show({ spec: TENSOR_SPEC })] },
  ...RUNGS,
];

export const STATES: readonly PageState[] = [...WORKING, ...LEARNING, ...ERRORS];

const HERE = ['waiting', 'legal', 'illegal', 'runs compared', 'pipelined', 'no WebGPU', 'failed'];

export const BROWSER_STATES: readonly PageState[] = STATES.filter(({ name }) =>
  HERE.includes(name),
);

const VIEWS = [
  'waiting',
  'compiled',
  'illegal',
  'running',
  'wrong result',
  'own kernel, by hand',
  'many runs',
  'two languages',
  'runs compared',
  'tuned, tied',
  'tensor cores',
  'question',
  'illegal loop nest',
  'layout with an error',
  'page error',
];

/** States that together show every view. */
export const STATES_OF_EACH_VIEW: readonly PageState[] = STATES.filter(({ name }) =>
  VIEWS.includes(name),
);
