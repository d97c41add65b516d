/**
 * Opens one GPU and one runner program, verifies kernels one at a time, and benchmarks candidates
 * against library baselines.
 */
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import type { BaselineId } from '../../../src/core/measure/backend';
import { median } from '../../../src/core/measure/statistics';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { measurementBuilder } from '../../../src/host/cuda/result';
import { runCompiled } from '../../../src/host/cuda/backend';
import { programOf, type RunnerContext } from '../../../src/host/cuda/runner/requests';
import { findMachine, type CudaOptions } from '../../../src/host/cuda/runner/machine';
import type { RunnerProgram } from '../../../src/host/cuda/runner/program';
import { raceKernels, raceRate } from '../../../src/host/cuda/runner/race';
import type { RaceAnswer, RaceTiming } from '../../../src/host/cuda/runner/raceProtocol';
import { compilerOf, type CompiledOrNot } from '../dispatch/compiling';
import type { SeededKernel } from './randomSpecs';

export interface Session {
  readonly asking: RunnerContext;
  readonly program: RunnerProgram;
  readonly compile: (kernel: Kernel) => Promise<CompiledOrNot>;
  readonly machine: Readonly<Record<'device' | 'driver' | 'compiler', string>>;
}

export interface SessionOptions {
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly options?: CudaOptions;
}

export async function openSession(given: SessionOptions): Promise<Session> {
  const { workers, signal } = given;
  const options = given.options ?? { where: 'cli', ceilings: false };
  const found = await findMachine(options);
  if (!found.ok) throw new Error(`${found.why} ${found.next}`);
  const { machine } = found;
  if (machine.compiler.kind !== 'nvcc')
    throw new Error('Expected nvcc as the compiler. Fix: install the CUDA toolkit.');
  const asking: RunnerContext = { machine, options, signal, progress: () => undefined };
  const made = await programOf(asking);
  if (!made.ok) throw new Error(made.message);
  return {
    asking,
    program: made.program,
    compile: compilerOf(asking, workers),
    machine: {
      device: machine.gpu.name,
      driver: machine.gpu.driver,
      compiler: `nvcc ${machine.compiler.nvcc.build}`,
    },
  };
}

const SEED = 1;
/**
 * Maximum M x N x K for which every element is verified; for larger problems, a sample of tiles is
 * verified.
 */
const VERIFY_LIMIT = 2 ** 33;

export async function verifySeeded({ seed, kernel }: SeededKernel, session: Session) {
  const { asking, program } = session;
  const began = performance.now();
  const compiled = await session.compile(kernel);
  const report = measurementBuilder(kernel, asking.options.where);
  const measured = compiled.ok
    ? await runCompiled(
        { runnable: kernel, mode: 'verify', seed: SEED },
        { program, kernel: compiled },
        asking,
        report,
      )
    : report(compiled.outcome, compiled.message);
  const { outcome, message, verification, resources } = measured;
  return {
    type: 'random',
    seed,
    specKey: kernel.specKey,
    outcome,
    ...(message === undefined ? {} : { message }),
    ...(outcome === 'correct' ? {} : { problem: kernel.problem, schedule: kernel.spec.schedule }),
    maxError: verification.maxError,
    bound: verification.bound,
    samples: verification.samples,
    registers: resources?.registers ?? null,
    seconds: secondsSince(began),
  } as const;
}

export type Prepared =
  | { readonly spec: GemmSpec; readonly kernel: Kernel; readonly compiled: Compiled }
  | { readonly spec: GemmSpec; readonly outcome: string; readonly message: string };
type Compiled = Extract<CompiledOrNot, { ok: true }>;
type Ready = Extract<Prepared, { kernel: Kernel }>;
const isReady = (one: Prepared): one is Ready => 'kernel' in one;

/** Candidates with the same spec key are prepared only once. */
export async function prepare(
  specs: readonly GemmSpec[],
  { compile }: Pick<Session, 'compile'>,
): Promise<readonly Prepared[]> {
  const known = new Set<string>();
  const prepared = specs.map(async (spec): Promise<readonly Prepared[]> => {
    const planned = plan(resolve(spec), 'cuda');
    if (!planned.ok) {
      const message = planned.violations.map(({ path, message: why }) => `${path}: ${why}`);
      return [{ spec, outcome: 'illegal', message: message.join(' ') }];
    }
    const kernel = emit(planned.plan);
    if (known.has(kernel.specKey)) return [];
    known.add(kernel.specKey);
    const compiled = await compile(kernel);
    if (compiled.ok) return [{ spec, kernel, compiled }];
    return [{ spec, outcome: compiled.outcome, message: compiled.message }];
  });
  return (await Promise.all(prepared)).flat();
}

export interface RaceOptions {
  readonly baselines: readonly BaselineId[];
  readonly timing: RaceTiming;
  readonly behind: number;
  readonly deadlineMs: number;
}

/**
 * Benchmarks the candidates and returns the results, or an error message. If a kernel destroys the
 * GPU context, the benchmark is repeated without that kernel.
 */
export async function race(
  candidates: readonly Prepared[],
  session: Session,
  options: RaceOptions,
): Promise<ReturnType<typeof linesOf> | string> {
  const began = performance.now();
  const ready = candidates.filter(isReady);
  if (ready.length === 0) return `no candidate is legal and compiles: ${reasonsOf(candidates)}`;
  const raced = await raceKernels(
    {
      kernels: ready.map(({ kernel, compiled }) => ({ runnable: kernel, compiled })),
      seed: SEED,
      cache: 'cold',
      verifyLimit: VERIFY_LIMIT,
      ...options,
    },
    session.program,
    session.asking,
  );
  if (!raced.ok) return raced.message;
  const { answer } = raced;
  const culprit = answer.fatal === true ? ready[answer.contestants.length - 1] : undefined;
  if (culprit === undefined) return linesOf(candidates, answer, secondsSince(began));
  const message = answer.contestants.at(-1)?.message ?? 'it faulted';
  const out: Prepared = { spec: culprit.spec, outcome: 'launch-error', message };
  return await race(
    candidates.map(one => (one === culprit ? out : one)),
    session,
    options,
  );
}

const reasonsOf = (candidates: readonly Prepared[]): string =>
  [...new Set(candidates.flatMap(one => ('message' in one ? [one.message] : [])))].join('; ');

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 10) / 100;

type Timed = Parameters<typeof raceRate>[0] &
  Readonly<Partial<Record<'smMHz' | 'watts', number | undefined>>>;

function linesOf(candidates: readonly Prepared[], answer: RaceAnswer, seconds: number) {
  const ready = candidates.filter(isReady);
  const problem = ready[0]?.kernel.problem;
  const timed = (of: Timed | undefined) => {
    const rate = of === undefined || problem === undefined ? null : raceRate(of, problem);
    if (rate === null || of?.batchMs === undefined || of.batch === undefined) return {};
    const medianMs = median(of.batchMs) / of.batch;
    const smMHz = of.smMHz === undefined ? undefined : Math.round(of.smMHz);
    const watts = of.watts === undefined ? undefined : Math.round(of.watts);
    const [gflops, samples] = [precise(rate), of.batchMs.length];
    return { gflops, medianMs: precise(medianMs), samples, smMHz, watts };
  };
  const { timing, notes } = answer;
  const baselines = answer.baselines.map(({ id, name, algorithms, maxError, behind, ...of }) => ({
    id,
    name,
    algorithms,
    maxError,
    behind,
    ...timed(of),
  }));
  const kernels = candidates.map(one => {
    if (!isReady(one)) return { ...one, spec: undefined, schedule: one.spec.schedule };
    const found = answer.contestants[ready.indexOf(one)];
    const { specKey, spec, plan: made } = one.kernel;
    const { outcome = 'launch-error', message = '', behind = false } = found ?? {};
    return {
      specKey,
      schedule: spec.schedule,
      ...(made.family === 'wgmma' ? { epilogue: made.wgmma.output.by } : {}),
      outcome,
      behind,
      ...timed(found),
      maxError: found?.verification?.maxError,
      registers: one.compiled.resources?.registers,
      ...(message === '' ? {} : { message }),
    };
  });
  // Ignore slow kernels, which were not interleaved with the library.
  const turned = kernels.map(one => ('gflops' in one && !one.behind ? (one.gflops ?? 0) : 0));
  const best = Math.max(0, ...turned);
  const library = fastestBaseline(baselines);
  return {
    best,
    ratio: library > 0 && best > 0 ? precise(best / library) : null,
    kernels,
    baselines,
    notes,
    ...timing,
    seconds,
  };
}

/**
 * Returns the rate of the fastest baseline in 1e9 FLOP/s; 0 if there is none. A baseline that was
 * dropped after the qualifying rounds is left out: its rate is that of short batches, whose clock
 * power does not permit for long.
 */
export const fastestBaseline = (
  baselines: readonly {
    readonly gflops?: number | undefined;
    readonly behind?: boolean | undefined;
  }[],
): number =>
  Math.max(0, ...baselines.map(({ gflops = 0, behind }) => (behind === true ? 0 : gflops)));

const precise = (value: number): number => Number(value.toPrecision(5));
