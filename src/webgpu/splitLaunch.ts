/**
 * Splits a long launch into submits below the driver's watchdog limit. The time is measured: a part
 * runs, then a part of twice the size, as long as the next part is predicted to stay below the
 * limit.
 */
import { emit } from '../core/kernel/emit';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import { launchesOf, type Kernel, type Launch as Launched } from '../core/kernel/kernel';
import { plan } from '../core/plan/planner';
import type { Dim3 } from '../core/plan/plan';
import { type ResolvedProblem, flops } from '../core/spec/resolved';
import { bind, bindWhole, type Bindable } from './arguments';
import { doubleExtent, isWhole, partsOf, smallestPart, type Extent, type Part } from './parts';
import { runWork, type Launch, type Work } from './pipeline';
import { SUBMIT_LIMIT_MS, type Session } from './session';
import { Stop } from './stop';

/** Lower bound of all adapters, in 1e9 FLOP/s: SwiftShader reached 0.04 on a busy dual-core CPU. */
const MIN_GFLOPS = 0.02;
/** Limit for all parts of one launch; a timed run has at least five launches. */
const MAX_LAUNCH_MS = 30_000;

export interface Cut {
  readonly work: Work;
  /** Parts have been run to determine the size, and C contains their results. */
  readonly probed: boolean;
}

/** @param ceilingGflops upper bound of this adapter; undefined if unknown */
export async function splitLaunch(
  session: Session,
  bindable: Bindable,
  ceilingGflops: number | undefined,
): Promise<Cut> {
  const { runnable } = bindable;
  const { problem } = runnable;
  const whole = async (probed: boolean): Promise<Cut> => ({
    work: [await bindWhole(session, bindable)],
    probed,
  });
  if (flops(problem) <= initialWork(session)) return whole(false);
  const kernel = recoverGenerated(runnable);
  if (kernel === null) {
    rejectTooLong(problem, ceilingGflops);
    return whole(false);
  }
  const bindPart = (part: Part): Promise<Launch> =>
    bind(session, bindable, part, gridsOf(kernel, part.problem));
  const found = await largestPart(session, kernel, bindPart);
  if (found === 'whole') return whole(true);
  const parts = partsOf(problem, found.extent);
  refuseSlow(parts.length, found.ms);
  const work: Launch[] = [];
  for (const part of parts) work.push(await bindPart(part));
  return { work, probed: true };
}

/** Returns the FLOPs that may run before anything is known about an adapter. */
const initialWork = ({ env }: Session): number => env.submitMs * 1e6 * MIN_GFLOPS;

/** Returns the largest part that stays below the limit, or the whole problem. */
async function largestPart(
  session: Session,
  { problem, plan: { tile } }: Kernel,
  bindPart: (part: Part) => Promise<Launch>,
): Promise<'whole' | { readonly extent: Extent; readonly ms: number }> {
  const { submitMs } = session.env;
  let extent = smallestPart(problem, tile, session.device.limits.minStorageBufferOffsetAlignment);
  const next = (): Extent => doubleExtent(extent, problem);
  while (!isWhole(extent, problem) && flops({ ...problem, ...next() }) <= initialWork(session)) {
    extent = next();
  }
  for (; !isWhole(extent, problem); extent = next()) {
    const work = await Promise.all(partsOf(problem, extent).slice(0, 1).map(bindPart));
    let ms = await runWork(session, work);
    // A driver may compile at the first launch.
    if (2 * ms > submitMs) ms = Math.min(ms, await runWork(session, work));
    if (2 * ms > submitMs) return { extent, ms };
  }
  return 'whole';
}

/** Returns the grids of a generated kernel for a part: only the sizes change. */
function gridsOf({ spec, target }: Kernel, problem: ResolvedProblem): readonly Dim3[] {
  const planned = plan({ ...spec, problem }, target);
  if (!planned.ok) {
    const [violation] = planned.violations;
    throw new Stop('constraint', `A part of the problem is not legal: ${violation?.message ?? ''}`);
  }
  return launchesOf<Launched>(emit(planned.plan)).map(({ grid }) => grid);
}

function refuseSlow(parts: number, partMs: number): void {
  const predictedMs = parts * partMs;
  if (predictedMs <= MAX_LAUNCH_MS) return;
  throw new Stop(
    'constraint',
    `One launch is predicted to take ${seconds(predictedMs)} s on this adapter (${parts} parts of ${seconds(partMs)} s); the limit is ${MAX_LAUNCH_MS / 1000} s. Fix: choose a smaller problem or a faster schedule.`,
  );
}

/**
 * Rejects kernels that cannot finish within the limit and that cannot be split; only generated
 * kernels can be split.
 */
function rejectTooLong(problem: ResolvedProblem, ceilingGflops: number | undefined): void {
  const leastMs = ceilingGflops === undefined ? 0 : flops(problem) / (ceilingGflops * 1e6);
  // A ceiling that was measured on a busy machine is too low.
  if (leastMs <= 2 * SUBMIT_LIMIT_MS) return;
  throw new Stop(
    'constraint',
    `One launch is predicted to take at least ${seconds(leastMs)} s at this adapter's ceiling of ${Number((ceilingGflops ?? 0).toPrecision(3))} GFLOP/s. The limit per submit is ${SUBMIT_LIMIT_MS / 1000} s, and only unmodified generated kernels can be split. Fix: choose a smaller problem.`,
  );
}

const seconds = (ms: number): number => Number((ms / 1000).toPrecision(2));
