/** What `run` and `bench` share: the kernel a backend gets, the run, and its exit code. */
import { adapterOf, type Adapter } from '../core/defaults/dispatch/adapterFamily';
import type { ScheduleFrom } from '../core/defaults/dispatch/scheduleFrom';
import type { Backend, RunRequest } from '../core/measure/backend';
import { speedUp } from '../core/measure/intervals';
import {
  ratioText,
  rateWithInterval,
  timeIntervalText,
  uncertainText,
} from '../core/measure/intervalText';
import type { BackendId, Measurement, Outcome, Timing } from '../core/measure/measurement';
import type { GemmSpec, Target } from '../core/spec/schema';
import { largestErrorText } from '../core/verify/largestErrorText';
import { wrongText } from '../core/verify/wrongText';
import type { DawnSwitches } from '../host/dawn/toggles';
import { generatedKernel } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import { backendOf, TARGET_OF, type CudaChoice } from './backends';
import { wholeNumber, type Context } from './command';
import { kernelOf, kernelsOf, readInput } from './kernel';
import { EXIT, unusable, type ExitCode, type Result } from './result';
import type { Overrides } from './spec';
import { number, table, type Cell } from './table';

/** Same inputs on every backend and every day. */
export const SEED = 1;

export const EXIT_OF: Readonly<Record<Outcome, ExitCode>> = {
  correct: EXIT.yes,
  incorrect: EXIT.no,
  'compile-error': EXIT.no,
  'launch-error': EXIT.no,
  timeout: EXIT.no,
  constraint: EXIT.lacking,
  unavailable: EXIT.lacking,
  cancelled: EXIT.interrupted,
};

export interface MeasureOptions extends Overrides {
  readonly backend: BackendId;
  readonly mode: RunRequest['mode'];
  readonly baselines?: NonNullable<RunRequest['baselines']>;
  readonly cuda?: CudaChoice;
  readonly dawn?: DawnSwitches;
}

/** `--gpu` and `--compiler`, which only the cuda backend has a use for. */
export function cudaChoice(
  backend: BackendId,
  {
    gpu,
    compiler,
  }: { readonly gpu?: string | undefined; readonly compiler?: CudaChoice['compiler'] | undefined },
): CudaChoice {
  const given = gpu === undefined ? compiler && '--compiler' : '--gpu';
  if (given !== undefined && backend !== 'cuda') {
    throw unusable(`${given} is for the cuda backend; ${backend} has no use for it.`);
  }
  return {
    ...(gpu === undefined ? {} : { gpu: wholeNumber('gpu', gpu) }),
    ...(compiler === undefined ? {} : { compiler }),
  };
}

/** `--robustness` and `--experimental`, which only the webgpu backend has a use for. */
export function dawnChoice(
  backend: BackendId,
  {
    robustness,
    experimental = false,
  }: {
    readonly robustness?: DawnSwitches['robustness'] | undefined;
    readonly experimental?: boolean | undefined;
  },
): DawnSwitches {
  const given = robustness === undefined ? experimental && '--experimental' : '--robustness';
  if (given !== false && backend !== 'webgpu') {
    throw unusable(`${given} is for the webgpu backend; ${backend} has no use for it.`);
  }
  return { ...(robustness === undefined ? {} : { robustness }), experimental };
}

export async function measure(
  path: string,
  options: MeasureOptions,
  context: Context,
): Promise<Result> {
  const { measurement, runnable } = await runPath(path, options, context);
  return {
    exit: tooLarge(measurement, runnable) ? EXIT.unusable : EXIT_OF[measurement.outcome],
    json: measurement,
    text: describe(measurement),
  };
}

/** One of several, whose report says what came of it. */
export const measured = async (
  path: string,
  options: MeasureOptions,
  context: Context,
): Promise<Measurement> => (await runPath(path, options, context)).measurement;

interface Ran {
  readonly measurement: Measurement;
  readonly runnable: Runnable;
}

async function runPath(path: string, options: MeasureOptions, context: Context): Promise<Ran> {
  const { backend: id, mode, baselines, cuda, dawn } = options;
  const backend = backendOf(id, cuda, dawn);
  const { runnable, scheduleFrom } = await runnableFor(path, options, backend, context.note);
  context.note(`${id}: ${runnable.specKey} (${runnable.target})`);
  if (scheduleFrom !== undefined) context.note(`  ${scheduleFrom}`);
  let shown = '';
  const measurement = await backend.run(
    { runnable, mode, seed: SEED, ...(baselines === undefined ? {} : { baselines }) },
    {
      abort: context.abort,
      progress: ({ stage }) => {
        if (stage !== shown) context.note(`  ${stage}`);
        shown = stage;
      },
    },
  );
  if (measurement.message !== undefined) context.note(measurement.message);
  const said = scheduleFrom === undefined ? {} : { scheduleFrom };
  return { measurement: { ...measurement, ...said }, runnable };
}

/** What simulate refuses of a generated kernel is its size: the input is to change, the machine lacks nothing. */
const tooLarge = ({ backend, outcome }: Measurement, runnable: Runnable): boolean =>
  backend === 'simulate' && outcome === 'constraint' && generatedKernel(runnable) !== null;

interface ToRun {
  readonly runnable: Runnable;
  /** Of a spec that names no schedule, why it has this one. */
  readonly scheduleFrom?: ScheduleFrom['text'];
}

async function runnableFor(
  path: string,
  options: MeasureOptions,
  backend: Backend,
  note: Context['note'],
): Promise<ToRun> {
  const input = await readInput(path, { ...options, note }, spec => runsOn(spec, backend));
  const target = TARGET_OF[options.backend];
  if (input.kind === 'kernel') {
    const { runnable } = input;
    if (target === undefined || runnable.target === target) return { runnable };
    throw unusable(`The ${options.backend} backend runs ${target}; ${path} is ${runnable.target}.`);
  }
  const { from, text } = input.scheduleFrom;
  const said = from === 'spec' ? {} : { scheduleFrom: text };
  if (target !== undefined) {
    const listed: readonly Target[] | undefined = input.spec.targets;
    if (listed?.includes(target) ?? true) return { runnable: kernelOf(input, target), ...said };
    throw unusable(
      `The ${options.backend} backend runs ${target}, which is none of the spec's targets (${listed?.join(', ')}).`,
    );
  }
  const [first] = kernelsOf(input);
  if (first === undefined) throw unusable(`${path} is legal for no target.`);
  return { runnable: first, ...said };
}

/** The adapter decides where the spec leaves both open, its schedule and the device that it is for. */
async function runsOn(
  { schedule, device, targets }: GemmSpec,
  backend: Backend,
): Promise<Adapter | undefined> {
  const isOpen = schedule === undefined && device === undefined;
  if (backend.id !== 'webgpu' || !isOpen || targets?.includes('wgsl') === false) return undefined;
  const found = await backend.probe();
  // Where there is none the run says so.
  return found.available ? adapterOf(found.device) : undefined;
}

function describe(measurement: Measurement): string {
  const { specKey, backend, device, outcome, verification, timing, baseline, scheduleFrom } =
    measurement;
  const { reference, mismatches, samples } = verification;
  const rows: Cell[][] = [
    ['kernel', specKey],
    ['ran on', `${device.name} (${backend}, ${device.adapter})`],
    ...(scheduleFrom === undefined ? [] : [['schedule', scheduleFrom]]),
    ['outcome', outcome],
    ...(samples === 0
      ? []
      : [
          [
            'compared with',
            `${reference}: ${mismatches} of ${samples} elements outside their bound`,
          ],
          ['largest error', largestErrorText(verification, exponent)],
        ]),
    ...(timing === undefined
      ? []
      : [
          [
            'time',
            `${number(timing.medianMs)} ms, ${timeIntervalText(timing)}, IQR ${number(timing.iqrMs)} ms`,
          ],
          ['timer', `${timing.timer}, error ${number(timing.errorPercent)} %${inParts(timing)}`],
          [timing.intervalMs === undefined ? 'speed' : 'speed, 95 %', rateWithInterval(timing)],
          ...warning(timing),
          ...conditions(timing),
        ]),
    ...(measurement.baselines ?? (baseline === undefined ? [] : [baseline])).map(library => {
      const ratio = timing === undefined ? { value: library.ratio } : speedUp(timing, library);
      const rate = rateWithInterval(library);
      return ['baseline', `${library.name}: ${rate}, ratio ${ratioText(ratio)}`];
    }),
  ];
  const wrong = wrongText(measurement);
  return wrong === '' ? table(rows) : `${table(rows)}\n\n${wrong}`;
}

/** What the GPU did while it was timed, as far as its driver tells. */
function conditions({ clocks, powerW, temperatureC }: Timing): readonly Cell[][] {
  const range =
    clocks?.smMinMHz === undefined
      ? ''
      : ` (${clocks.smMinMHz} to ${number(clocks.smMaxMHz ?? NaN)})`;
  return [
    ...(clocks === undefined ? [] : [['clock', `${number(clocks.smMHz)} MHz${range}`]]),
    ...(powerW === undefined
      ? []
      : [['power', `${number(powerW.mean)} W of ${number(powerW.limit ?? NaN)} W`]]),
    ...(temperatureC === undefined ? [] : [['temperature', `${number(temperatureC.mean)} C`]]),
  ];
}

/** Long ones are, so that no driver gives them up. */
const inParts = ({ submits }: Timing): string =>
  submits === undefined ? '' : `, sum of ${submits} submits`;

function warning(timing: Timing): readonly Cell[][] {
  const text = uncertainText(timing);
  return text === undefined ? [] : [['warning', text]];
}

const exponent = (value: number): string => value.toExponential(2);
