/** A tune as the explorer shows it: counts, states and the message's own schema. */
import { strict as assert } from 'node:assert';
import * as v from 'valibot';
import type { Outcome } from '../../../../src/core/measure/measurement';
import { isLegal } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import { transientStore } from '../../../../src/core/search/tune/bench';
import { parseSpace } from '../../../../src/core/search/tune/spaceFile';
import {
  type TuneContextFields,
  fastestFirst,
  isTuneOf,
  MAX_TUNES,
  shownTune,
  tuneSchema,
  tuneSubject,
  withTune,
} from '../../../../src/core/search/tune/shown';
import { after, NOT_STARTED } from '../../../../src/core/search/tune/state';
import { tune } from '../../../../src/core/search/tune/tune';
import { MAX_MESSAGE_BYTES } from '../../../../src/protocol';
import { fakeBench, fakeContext, hashed } from './fakeBench';

const problem = { m: 512, n: 512, k: 512 };
const spec = resolve({ problem, targets: ['cuda'] });
const place = { backend: 'cuda', target: 'cuda', device: 'h200', gpus: ['fake'] } as const;
const around: TuneContextFields = {
  subject: tuneSubject(spec, 'cuda'),
  of: 'a problem',
  stage: 'running',
  words: '',
  adopted: false,
};

/** The default one takes seconds to walk. */
const SPACE = JSON.stringify({
  algorithm: ['pipelined'],
  'block.m': [64, 128],
  'block.n': [64, 128],
  'block.k': [8, 16],
  warp: [
    { m: 64, n: 32 },
    { m: 32, n: 64 },
  ],
  thread: [{ m: 8, n: 8 }],
  stages: [2, 3, 4],
  padding: [null, { a: 4, b: 0 }],
  fragments: [1, 2],
});

async function tuned(timeOf: (specKey: string) => number | Outcome, quantumNs = 1) {
  const context = fakeContext();
  const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey), quantumNs });
  const decoded = parseSpace(SPACE, { problem: spec.problem, schedule: {} });
  assert.ok(decoded.ok, JSON.stringify(decoded));
  const { space } = decoded;
  const seeds = isLegal(spec, 'cuda') ? [spec.schedule] : [];
  const input = { spec, place, space, seeds, schedules: 24, notes: [] };
  const summary = await tune(input, bench, transientStore(), context);
  return { summary, events: context.events };
}

describe('the searches that a page holds', () => {
  const of = (m: number, target: 'cuda' | 'wgsl' | null, words = '') =>
    shownTune(NOT_STARTED, {
      ...around,
      subject: tuneSubject(resolve({ problem: { ...problem, m } }), target),
      words,
    });

  it('are one for each problem, device and language, the newest last', () => {
    const told = [of(64, 'cuda'), of(64, 'wgsl'), of(128, 'cuda'), of(64, 'cuda', 'again')];
    const held = told.reduce<ReturnType<typeof withTune>>(withTune, []);
    assert.deepEqual(held, [told[1], told[2], told[3]]);
  });

  it('drop a refusal once its problem is searched', () => {
    const [refused, searched, other] = [of(64, null), of(64, 'wgsl'), of(128, null)];
    assert.deepEqual(withTune([refused, other], searched), [other, searched]);
  });

  it('are no more than a page holds', () => {
    const told = Array.from({ length: MAX_TUNES + 3 }, (_, i) => of(64 * (i + 1), 'cuda'));
    const held = told.reduce<ReturnType<typeof withTune>>(withTune, []);
    assert.deepEqual(held, told.slice(3));
  });

  it('belong to specs of their problem and device that ask for their language', () => {
    const tune = of(64, 'cuda');
    const asked = (targets?: readonly ('cuda' | 'wgsl')[], device = 'h200', m = 64) =>
      isTuneOf(
        tune,
        { problem: resolve({ problem: { ...problem, m } }).problem, device },
        targets === undefined ? {} : { targets: [...targets] },
      );
    assert.ok(asked() && asked(['cuda']) && asked(['wgsl', 'cuda']));
    assert.ok(!asked(['wgsl']) && !asked(undefined, 'b200') && !asked(undefined, 'h200', 65));
  });
});

describe('a tune as it is shown', () => {
  it('fits its message at every event, and its counts add up to the budget', async () => {
    const { events } = await tuned(key =>
      hashed(key) < 0.2 ? 'timeout' : 1 + hashed(`time of ${key}`),
    );
    let state = NOT_STARTED;
    for (const event of events) {
      state = after(state, event);
      const shown = shownTune(state, around);
      assert.deepEqual(v.parse(tuneSchema, JSON.parse(JSON.stringify(shown))), shown);
      assert.ok(JSON.stringify(shown).length < MAX_MESSAGE_BYTES / 10);
      const { measured, failed, left, budget } = shown;
      if (budget !== null && state.summary === null) assert.equal(measured + failed + left, 24);
    }
    const shown = shownTune(state, around);
    assert.ok(shown.failed > 0, 'some failed');
    assert.equal(shown.ended, 'done');
    assert.equal(shown.left, 0);
    const [best] = fastestFirst(shown.candidates);
    assert.equal(best?.specKey, shown.winner);
    assert.equal(best.state, 'best');
    assert.ok(shown.candidates.every(({ state: is }) => is !== 'waiting'));
  });

  it('cuts words that are too long for a message, such as what a compiler says', () => {
    const shown = shownTune(NOT_STARTED, { ...around, stage: 'refused', words: 'x'.repeat(1e5) });
    assert.ok(v.is(tuneSchema, shown));
  });

  it('has ties and no winner where the timer tells none', async () => {
    const { events, summary } = await tuned(key => 1 + hashed(key) / 1000, 60_000_000);
    assert.equal(summary.winner, null);
    const shown = shownTune(after(NOT_STARTED, ...events), around);
    assert.equal(shown.winner, null);
    assert.equal(
      shown.candidates.filter(({ state }) => state === 'tied').length,
      summary.ties.length,
    );
    assert.equal(shown.candidates.filter(({ state }) => state === 'best').length, 0);
    assert.ok(shown.notes.some(note => note.startsWith('Not ranked')));
  });
});
