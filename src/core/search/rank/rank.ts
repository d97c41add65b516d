/**
 * Ranks the schedules of a problem by predicted time. Planning and scoring use closed forms,
 * without lowering to loop IR.
 */
import { launchedOccupancy } from '../../occupancy/launchedOccupancy';
import { deviceOf, isDeviceId } from '../../hardware/devices';
import { calibrationFor } from '../../model/calibration';
import { closedCosts } from '../../model/closedCosts';
import { machineFor } from '../../model/machine';
import { predict } from '../../model/predict';
import { warpGroupInput } from '../../cost/wgmma/wgmmaInput';
import { predictWarpGroups } from '../../cost/wgmma/wgmmaModel';
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
  /** Ranked schedules, fastest first. */
  readonly best: readonly Ranked[];
  /**
   * Number of enumerated schedules. `scored` of them are legal, fit on an SM and have a prediction.
   */
  readonly planned: number;
  readonly scored: number;
}

/** Reason why a problem cannot be ranked: the time model lacks the device or the element type. */
export interface Unranked {
  readonly why: 'device' | 'element-type';
}

export const spaceOf = (spec: ResolvedSpec): Iterable<ResolvedSchedule> =>
  hasWarpGroups(spec) ? warpGroupSchedules(spec) : schedulesOf(spec.problem);

/**
 * Ranks CUDA schedules of a problem; `schedules` replaces the default space. Predictions use
 * estimated register counts, so compile and measure the best candidates.
 */
export function rank(...search: Parameters<typeof rankInSteps>): Ranking | Unranked {
  const steps = rankInSteps(...search);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const STEP = 64;

/** Ranks in steps, so that the caller can handle events or stop the search between two steps. */
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

/** Creates a bounded top-k list; ties keep insertion order. */
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
