/**
 * Ranks the schedules of a problem by the time model: planned and scored in closed form, without
 * lowering.
 */
import { launchedOccupancy } from '../../occupancy/launchedOccupancy';
import { deviceOf, isDeviceId } from '../../hardware/devices';
import { calibrationFor } from '../../model/calibration';
import { closedCosts } from '../../model/closedCosts';
import { machineFor } from '../../model/machine';
import { predict } from '../../model/predict';
import { warpGroupInput } from '../../model/report';
import { predictWarpGroups } from '../../model/wgmma/wgmmaModel';
import { memoizeLast, sameAccesses } from '../../plan/memoBySchedule';
import type { Plan } from '../../plan/plan';
import { plannerFor } from '../../plan/planner';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import { schedulesOf } from './space';
import { hasWarpGroups, warpGroupSchedules } from './wgmmaSpace';

export interface Ranked {
  readonly schedule: ResolvedSchedule;
  readonly milliseconds: number;
  readonly tflops: number;
  readonly blocksPerSm: number;
}

export interface Ranking {
  /** Fastest first. */
  readonly best: readonly Ranked[];
  /** Schedules enumerated, and the number that are legal and fit an SM. */
  readonly planned: number;
  readonly scored: number;
}

/** Why ranking is not possible. */
export interface Unranked {
  readonly why: 'device' | 'element-type';
}

/**
 * Returns the default search space: only warp-group schedules if `wgmma` supports the problem's
 * type.
 */
export const spaceOf = (spec: ResolvedSpec): Iterable<ResolvedSchedule> =>
  hasWarpGroups(spec) ? warpGroupSchedules(spec) : schedulesOf(spec.problem);

/**
 * Ranks the best CUDA schedules of a problem; `schedules` replaces the whole space. Predictions use
 * estimated registers, so compile and measure the top candidates.
 */
export function rank(...search: Parameters<typeof rankInSteps>): Ranking | Unranked {
  const steps = rankInSteps(...search);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Schedules between two yields: less than 0.1 s. */
const STEP = 64;

/** Ranks in steps, between which the caller can handle events or stop the search. */
export function* rankInSteps(
  spec: ResolvedSpec,
  maxCount: number,
  schedules: Iterable<ResolvedSchedule> = spaceOf(spec),
): Generator<void, Ranking | Unranked> {
  const device = isDeviceId(spec.device) ? deviceOf(spec.device) : undefined;
  const found = device === undefined ? null : calibrationFor(device.id);
  const computeCapability = device?.computeCapability;
  if (device === undefined || computeCapability === undefined || found === null) {
    return { why: 'device' };
  }
  const machine = machineFor(device, spec.problem.accumulator);
  if (machine === null) return { why: 'element-type' };
  const { calibration } = found;
  const planOf = plannerFor(spec, 'cuda');
  const closed = closedCosts();
  const costsOf = memoizeLast(
    (one: Plan, other: Plan) => sameAccesses(one.spec.schedule, other.spec.schedule),
    closed,
  );
  const predictedOf = (plan: Plan, blocksPerSm: number) => {
    const ofGroups = warpGroupInput({ plan, device });
    if (ofGroups !== null) return predictWarpGroups(ofGroups);
    const costs = costsOf(plan);
    return costs === null ? null : predict({ plan, costs, blocksPerSm, machine, calibration });
  };
  const best = boundedTopK(maxCount);
  let [planned, scored] = [0, 0];
  for (const schedule of schedules) {
    planned++;
    if (planned % STEP === 0) yield;
    const plan = planOf(schedule);
    if (plan === null) continue;
    const resident = launchedOccupancy(plan, {
      computeCapability,
      threadsPerBlock: plan.threads,
      registersPerThread: plan.registersEstimate,
      sharedBytesPerBlock: plan.sharedBytes,
    });
    const blocksPerSm = resident.ok ? resident.occupancy.blocksPerSm : 0;
    if (blocksPerSm === 0) continue;
    const predicted = predictedOf(plan, blocksPerSm);
    if (predicted === null) continue;
    const { milliseconds, tflops } = predicted;
    best.take({ schedule, milliseconds, tflops, blocksPerSm });
    scored++;
  }
  return { best: best.inOrder(), planned, scored };
}

/** Returns the bounded top-k; ties keep insertion order. */
function boundedTopK(count: number): {
  readonly take: (ranked: Ranked) => void;
  readonly inOrder: () => readonly Ranked[];
} {
  let kept: Ranked[] = [];
  let slowest = Infinity;
  const cut = (): void => {
    kept.sort((left, right) => left.milliseconds - right.milliseconds);
    kept = kept.slice(0, count);
    slowest = kept.length < count ? Infinity : (kept.at(-1)?.milliseconds ?? Infinity);
  };
  return {
    take: ranked => {
      if (ranked.milliseconds >= slowest) return;
      kept.push(ranked);
      if (kept.length >= 4 * count + 64) cut();
    },
    inOrder: () => {
      cut();
      return kept;
    },
  };
}
