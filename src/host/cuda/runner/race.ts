/**
 * Benchmarks several kernels of one problem in interleaved rounds: builds the request, and computes
 * rates from the response.
 */
import type { Runnable } from '../../../core/kernel/kernel';
import type { BaselineId } from '../../../core/measure/backend';
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
  { kernels, seed, cache, baselines, deadlineMs, ...more }: Race,
  program: RunnerProgram,
  context: RunnerContext,
): Promise<Raced> {
  const bodies = kernels.map(({ runnable, compiled }) =>
    runBody({ runnable, mode: 'verify', seed }, { ...compiled, cache }),
  );
  const [first] = bodies;
  if (first === undefined) throw new Error('a benchmark requires at least one kernel');
  const { problem, bound, inputBits, epilogue } = first;
  const body: RaceBody = {
    type: 'race',
    seed: first.seed,
    cache,
    problem,
    bound,
    inputBits,
    ...(epilogue === undefined ? {} : { epilogue }),
    workspaceBytes: Math.max(...bodies.map(({ workspaceBytes }) => workspaceBytes)),
    contestants: bodies.map(({ cubin, launches, tile }) => ({ cubin, launches, tile })),
    baselines,
    ...more,
  };
  return await sendRequest('race', body, program, context, deadlineMs);
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
