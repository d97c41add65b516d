/**
 * Benchmarks several kernels of one problem in interleaved rounds: builds the request, and computes
 * rates from the response.
 */
import type { Runnable } from '../../../core/kernel/kernel';
import type { BaselineId, Effort } from '../../../core/measure/backend';
import { median } from '../../../core/measure/statistics';
import { sendRequest, type RunnerContext, type NoResponse } from './requests';
import type { CompiledKernel } from './compileKernel';
import type { RunnerProgram } from './program';
import type { Ready } from './protocol';
import type { RaceAnswer, RaceBody, RaceTiming } from './raceProtocol';
import { runBody } from './runBody';
import { flops } from '../../../core/spec/resolved';

export interface Race {
  readonly kernels: readonly {
    readonly runnable: Runnable;
    readonly compiled: Pick<CompiledKernel, 'cubin' | 'symbols'>;
  }[];
  readonly seed: number;
  readonly cache: RaceBody['cache'];
  readonly baselines: readonly BaselineId[];
  readonly verifyLimit?: number;
  readonly behind?: number;
  readonly libraryBehind?: number;
  readonly timing?: RaceTiming;
  readonly deadlineMs: number;
}

export type Raced =
  { readonly ok: true; readonly ready: Ready; readonly answer: RaceAnswer } | NoResponse;

export async function raceKernels(
  { kernels, deadlineMs, ...more }: Race,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<Raced> {
  return await sendRequest('race', raceBody(kernels, more), program, context, deadlineMs);
}

/** A kernel of a race. Without `compiled`, its own process launches it in its turns. */
export interface RaceEntry {
  readonly runnable: Runnable;
  readonly compiled?: Pick<CompiledKernel, 'cubin' | 'symbols'>;
}

/** Builds the request. Its bound is that of the least precise kernel. */
export function raceBody(
  entries: readonly RaceEntry[],
  {
    seed,
    effort = 'full',
    ...more
  }: Pick<RaceBody, 'seed' | 'cache' | 'baselines'> &
    Partial<RaceBody> & { readonly effort?: Effort },
): RaceBody {
  const none = { cubin: '', symbols: [] };
  const bodies = entries.map(({ runnable, compiled = none }) =>
    runBody({ runnable, mode: 'verify', seed, effort }, { ...compiled, cache: more.cache }),
  );
  const [first, ...others] = bodies;
  if (first === undefined) throw new Error('a benchmark requires at least one kernel');
  const { problem, bound, inputBits, epilogue, timing } = others.reduce(
    (loosest, body) => (body.bound.gamma > loosest.bound.gamma ? body : loosest),
    first,
  );
  return {
    type: 'race',
    seed: first.seed,
    problem,
    bound,
    inputBits,
    ...(epilogue === undefined ? {} : { epilogue }),
    workspaceBytes: Math.max(...bodies.map(({ workspaceBytes }) => workspaceBytes)),
    contestants: bodies.map(({ cubin, launches, tile }, index) =>
      entries[index]?.compiled === undefined ? { foreign: true, tile } : { cubin, launches, tile },
    ),
    ...(timing === undefined ? {} : { timing }),
    ...more,
  };
}

interface Timed {
  readonly batch?: number | undefined;
  readonly batchMs?: readonly number[] | undefined;
}

/** Returns the rate of the median batch in GFLOP/s, or null if the kernel was not timed. */
export function raceRate({ batch, batchMs }: Timed, problem: Runnable['problem']): number | null {
  if (batch === undefined || batchMs === undefined) return null;
  return flops(problem) / ((median(batchMs) / batch) * 1e6);
}
