/**
 * Shared code of `run` and `bench`: selects the kernel for a backend, runs it and derives the exit
 * code.
 */
import { resolve as resolvePath } from 'node:path';
import { adapterOf, type Adapter } from '../core/defaults/dispatch/adapterFamily';
import type { ScheduleFrom } from '../core/defaults/dispatch/scheduleFrom';
import type { Backend, RunRequest } from '../core/measure/backend';
import { energyOrReason, energyText } from '../core/measure/energyText';
import { speedUp } from '../core/measure/intervals';
import {
  ratioText,
  rateWithInterval,
  timeIntervalText,
  uncertainText,
} from '../core/measure/intervalText';
import type { BackendId, Measurement, Outcome, Timing } from '../core/measure/measurement';
import type { ResolvedProblem } from '../core/spec/resolved';
import type { GemmSpec, Target } from '../core/spec/schema';
import { largestErrorText } from '../core/verify/largestErrorText';
import { wrongText } from '../core/verify/wrongText';
import type { DawnSwitches } from '../host/dawn/toggles';
import { findExecutable } from '../host/executables';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import { backendOf, TARGET_OF, type CudaChoice } from './backends';
import { wholeNumber, type Context } from './command';
import { kernelOf, kernelsOf, readInput, type KernelInput, type SpecInput } from './kernel';
import { inlineIncludes } from './includes';
import { recordRuns, type RecordChoice } from './recordRuns';
import { EXIT, invalidInput, type ExitCode, type Result } from './result';
import type { Overrides } from './spec';
import { number, table, type Cell } from './table';

/** Fixed seed, so that every backend gets the same inputs. */
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
  readonly record?: RecordChoice | undefined;
}

/**
 * Reads `--gpu`, `--compiler` and `--python`. Throws if they are used with a backend other than
 * cuda.
 */
export function cudaChoice(
  backend: BackendId,
  {
    gpu,
    compiler,
    python,
  }: {
    readonly gpu?: string | undefined;
    readonly compiler?: CudaChoice['compiler'] | undefined;
    readonly python?: string | undefined;
  },
): CudaChoice {
  const options = { '--gpu': gpu, '--compiler': compiler, '--python': python };
  const given = Object.entries(options).find(([, value]) => value !== undefined)?.[0];
  if (given !== undefined && backend !== 'cuda') {
    throw invalidInput(
      `${given} only applies to the cuda backend, not ${backend}. Fix: omit ${given}, or use --backend cuda.`,
    );
  }
  return {
    ...(gpu === undefined ? {} : { gpu: wholeNumber('gpu', gpu) }),
    ...(compiler === undefined ? {} : { compiler }),
    ...(python === undefined ? {} : { python: interpreterAt(python) }),
  };
}

/** Returns the absolute path of an interpreter: a path, or a name that is searched on PATH. */
function interpreterAt(python: string): string {
  const found = /[\\/]/.test(python) ? undefined : findExecutable([python], {});
  return found?.ok === true ? found.path : resolvePath(python);
}

/**
 * Reads `--robustness` and `--experimental`. Throws if they are used with a backend other than
 * webgpu.
 */
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
    throw invalidInput(
      `${given} only applies to the webgpu backend, not ${backend}. Fix: omit ${given}, or use --backend webgpu.`,
    );
  }
  return { ...(robustness === undefined ? {} : { robustness }), experimental };
}

export async function measure(
  path: string,
  options: MeasureOptions,
  context: Context,
): Promise<Result> {
  const { measurement, runnable } = await runPath(path, options, context);
  await recordRuns([measurement], options.record, context);
  return {
    exit: tooLarge(measurement, runnable) ? EXIT.unusable : EXIT_OF[measurement.outcome],
    json: measurement,
    text: describe(measurement),
  };
}

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
  const { runnable, scheduleFrom } = await runnableFor(path, options, backend, context);
  const request = { mode, ...(baselines === undefined ? {} : { baselines }) };
  const measurement = await runKernel(runnable, request, { ...context, backend, scheduleFrom });
  const scheduleOrigin = scheduleFrom === undefined ? {} : { scheduleFrom };
  return { measurement: { ...measurement, ...scheduleOrigin }, runnable };
}

/**
 * Returns whether the simulate backend rejected a generated kernel. In mode `verify`, the only
 * reason is the problem size, which is invalid input and not a missing prerequisite.
 */
const tooLarge = ({ backend, outcome }: Measurement, runnable: Runnable): boolean =>
  backend === 'simulate' && outcome === 'constraint' && recoverGenerated(runnable) !== null;

/** Runs a kernel with the fixed inputs, and notes each stage. */
export async function runKernel(
  runnable: Runnable,
  request: Pick<RunRequest, 'mode' | 'baselines'>,
  {
    backend,
    scheduleFrom,
    abort,
    note,
  }: Pick<Context, 'abort' | 'note'> & {
    readonly backend: Backend;
    readonly scheduleFrom?: string | undefined;
  },
): Promise<Measurement> {
  note(`${backend.id}: ${runnable.specKey} (${runnable.target})`);
  if (scheduleFrom !== undefined) note(`  ${scheduleFrom}`);
  let shown = '';
  const measurement = await backend.run(
    { runnable, seed: SEED, ...request },
    {
      abort,
      progress: ({ stage }) => {
        if (stage !== shown) note(`  ${stage}`);
        shown = stage;
      },
    },
  );
  if (measurement.message !== undefined) note(measurement.message);
  return measurement;
}

export interface ToRun {
  readonly runnable: Runnable;
  /**
   * Explanation of the selected schedule; absent if the spec has a schedule or the input is a
   * kernel file.
   */
  readonly scheduleFrom?: ScheduleFrom['text'];
}

/** Reads a spec or a kernel file. Throws if the backend cannot run it. */
export async function runnableFor(
  path: string,
  options: MeasureOptions,
  backend: Backend,
  { note, problem }: Pick<Context, 'note'> & { readonly problem?: ResolvedProblem | undefined },
): Promise<ToRun> {
  const runs = (spec: GemmSpec) => runsOn(spec, backend);
  const input = await readInput(path, { ...options, note }, runs, problem);
  const ready =
    input.kind === 'kernel'
      ? { ...input, runnable: await withIncludes(input.runnable, path) }
      : input;
  return toRun(ready, backend.id);
}

/** Selects the kernel that a backend runs. Throws if the backend cannot run the input. */
export function toRun(input: SpecInput | KernelInput, backend: BackendId): ToRun {
  const { path } = input;
  const target = TARGET_OF[backend];
  if (input.kind === 'kernel') {
    const { runnable } = input;
    if (runnable.foreign !== undefined && backend !== 'cuda') {
      throw invalidInput(
        `Only the cuda backend runs ${path}, but --backend is ${backend}. Fix: use --backend cuda.`,
      );
    }
    if (target === undefined || runnable.target === target) return { runnable };
    throw invalidInput(
      `The ${backend} backend runs ${target}, but ${path} is a ${runnable.target} kernel. Fix: choose a different backend.`,
    );
  }
  const { from, text } = input.scheduleFrom;
  const scheduleOrigin = from === 'spec' ? {} : { scheduleFrom: text };
  if (target !== undefined) {
    const listed: readonly Target[] | undefined = input.spec.targets;
    if (listed?.includes(target) ?? true)
      return { runnable: kernelOf(input, target), ...scheduleOrigin };
    throw invalidInput(
      `The ${backend} backend runs ${target}, but the spec's targets are ${listed?.join(', ')}. Fix: choose a different backend.`,
    );
  }
  const [first] = kernelsOf(input);
  if (first === undefined)
    throw invalidInput(
      `No target of ${path} is legal. Fix: run \`gemm-explorer check\` to list the violations.`,
    );
  return { runnable: first, ...scheduleOrigin };
}

/** Expands includes of CUDA files, because the compilers work in a different folder. */
export async function withIncludes(
  runnable: Runnable,
  path: string,
  mayRead?: (file: string) => boolean,
): Promise<Runnable> {
  if (runnable.target !== 'cuda' || runnable.foreign !== undefined) return runnable;
  const source = await inlineIncludes(runnable.source, path, mayRead);
  return source === runnable.source ? runnable : { ...runnable, source };
}

/**
 * Returns the adapter whose default schedule applies. Returns undefined unless the backend is
 * webgpu with an available adapter of a known family. The spec must also allow WGSL, and have
 * neither a schedule nor a device.
 */
export async function runsOn(
  { schedule, device, targets }: GemmSpec,
  backend: Backend,
): Promise<Adapter | undefined> {
  const isOpen = schedule === undefined && device === undefined;
  if (backend.id !== 'webgpu' || !isOpen || targets?.includes('wgsl') === false) return undefined;
  const found = await backend.probe();
  // If no adapter is available, the run reports this.
  return found.available ? adapterOf(found.device) : undefined;
}

export function describe(measurement: Measurement): string {
  const { specKey, backend, device, outcome, verification, timing, baseline, scheduleFrom } =
    measurement;
  const { findings = [] } = measurement;
  const energy = energyOrReason(measurement);
  const { reference, mismatches, samples } = verification;
  const rows: Cell[][] = [
    ['kernel', specKey],
    ['ran on', `${device.name} (${backend}, ${device.adapter})`],
    ...(scheduleFrom === undefined ? [] : [['schedule', scheduleFrom]]),
    ['outcome', outcome],
    ...findings.map(({ id, message }): Cell[] => ['finding', `${id}: ${message}`]),
    ...(samples === 0
      ? []
      : [
          [
            'compared with',
            `${reference}: ${mismatches} of ${samples} elements outside the error bound`,
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
          ...(energy === undefined ? [] : [['energy', energy]]),
        ]),
    ...(measurement.baselines ?? (baseline === undefined ? [] : [baseline])).map(library => {
      const ratio = timing === undefined ? { value: library.ratio } : speedUp(timing, library);
      const rate = rateWithInterval(library);
      const joules = library.energy === undefined ? '' : `, ${energyText(library.energy)}`;
      return ['baseline', `${library.name}: ${rate}, ratio ${ratioText(ratio)}${joules}`];
    }),
  ];
  const wrongRows = wrongText(measurement);
  return wrongRows === '' ? table(rows) : `${table(rows)}\n\n${wrongRows}`;
}

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

/**
 * Formats the number of submits of a launch that was split to stay below the driver's time limit.
 * Returns an empty string for other launches.
 */
const inParts = ({ submits }: Timing): string =>
  submits === undefined ? '' : `, sum over ${submits} submits`;

function warning(timing: Timing): readonly Cell[][] {
  const text = uncertainText(timing);
  return text === undefined ? [] : [['warning', text]];
}

const exponent = (value: number): string => value.toExponential(2);
