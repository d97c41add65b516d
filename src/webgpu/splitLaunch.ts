/**
 * Splits a long launch into submits below the driver's watchdog limit. To find their size,
 * increasingly large sub-problems are run and timed, as long as twice the time stays below the
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

/**
 * Assumed minimum compute rate of an adapter in GFLOP/s. SwiftShader reached 0.04 on a busy
 * dual-core CPU.
 */
const MIN_GFLOPS = 0.02;
/** Maximum predicted time of a split launch in milliseconds. */
const MAX_LAUNCH_MS = 30_000;

export interface Cut {
  readonly work: Work;
  /** Whether C may contain results of sub-problems, which were run to find the size. */
  readonly probed: boolean;
}

/**
 * Returns the launches that compute C: one launch, or one per sub-problem.
 * @param ceilingGflops upper bound of the adapter's compute rate; undefined if unknown
 */
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

/** Returns the number of FLOPs that may be submitted before the adapter's compute rate is known. */
const initialWork = ({ env }: Session): number => env.submitMs * 1e6 * MIN_GFLOPS;

/**
 * Runs increasingly large sub-problems. Returns the first whose doubled time would exceed the
 * limit, or `whole` if no split is required.
 */
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
    // The first launch may include the driver's compilation time, so it is repeated.
    if (2 * ms > submitMs) ms = Math.min(ms, await runWork(session, work));
    if (2 * ms > submitMs) return { extent, ms };
  }
  return 'whole';
}

function gridsOf({ spec, target }: Kernel, problem: ResolvedProblem): readonly Dim3[] {
  const planned = plan({ ...spec, problem }, target);
  if (!planned.ok) {
    const [violation] = planned.violations;
    throw new Stop(
      'constraint',
      `A sub-problem of the split launch is not legal: ${violation?.message ?? ''}`,
    );
  }
  return launchesOf<Launched>(emit(planned.plan)).map(({ grid }) => grid);
}

function refuseSlow(parts: number, partMs: number): void {
  const predictedMs = parts * partMs;
  if (predictedMs <= MAX_LAUNCH_MS) return;
  throw new Stop(
    'constraint',
    `One launch is predicted to take ${seconds(predictedMs)} s on this adapter (${parts} submits of ${seconds(partMs)} s); the limit is ${MAX_LAUNCH_MS / 1000} s. Fix: choose a smaller problem or a faster schedule.`,
  );
}

/**
 * Rejects a kernel that cannot be split and is predicted to exceed the submit limit at the
 * adapter's ceiling.
 */
function rejectTooLong(problem: ResolvedProblem, ceilingGflops: number | undefined): void {
  const leastMs = ceilingGflops === undefined ? 0 : flops(problem) / (ceilingGflops * 1e6);
  // The factor 2 allows for a ceiling that was measured on a busy machine and is therefore too low.
  if (leastMs <= 2 * SUBMIT_LIMIT_MS) return;
  throw new Stop(
    'constraint',
    `One launch is predicted to take at least ${seconds(leastMs)} s at this adapter's ceiling of ${Number((ceilingGflops ?? 0).toPrecision(3))} GFLOP/s. The limit per submit is ${SUBMIT_LIMIT_MS / 1000} s, and only unmodified generated kernels can be split. Fix: choose a smaller problem.`,
  );
}

const seconds = (ms: number): number => Number((ms / 1000).toPrecision(2));
