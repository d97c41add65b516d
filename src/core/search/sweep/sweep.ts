/**
 * Sweeps the problem size of a schedule and computes waves, padding and the predicted rate. Counts
 * use closed forms. Request costs are evaluated once per row alignment.
 */
import { deviceOf, isDeviceId, type Device } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import { analyzedCosts, type SiteCosts } from '../../model/siteCosts';
import { predict, type PredictionInput } from '../../model/predict';
import { calibrationFor } from '../../model/calibration';
import { warpGroupInput } from '../../cost/wgmma/wgmmaInput';
import { modelInput } from '../../model/report';
import { predictWarpGroups } from '../../cost/wgmma/wgmmaModel';
import type { Plan } from '../../plan/plan';
import type { Analysis } from '../../report/analysis';
import { launchedOccupancy } from '../../occupancy/launchedOccupancy';
import { warpAccesses } from '../../memory/accesses';
import { tileFmas, wavesOfPlan, type WaveCounts } from '../../occupancy/waves';
import { plansAt, type PlanAt, type Sizes } from './resized';
import type { OccupancyReport } from '../../occupancy/report';

export const AXES = ['m', 'n', 'k', 'mnk'] as const;
export type Axis = (typeof AXES)[number];

export interface SweepPoint extends WaveCounts {
  readonly size: number;
  readonly sizes: Sizes;
  /** Fraction of all executed FMAs that are outside C or K. */
  readonly paddingFlopFraction: number;
  /** Load balance multiplied by the useful fraction of the executed FMAs, 0..1. */
  readonly efficiency: number;
  /**
   * Number of blocks divided by the resident-block slots of all waves (`WaveCounts.efficiency`).
   */
  readonly waveEfficiency: number;
  /** Predicted rate and time; null if the time model does not apply. */
  readonly predicted: { readonly tflops: number; readonly milliseconds: number } | null;
}

export interface SweepInput {
  readonly plan: Plan;
  readonly device: Device;
  readonly occupancy: OccupancyReport;
  readonly costs: SiteCosts;
}

export interface Sweep {
  readonly axis: Axis;
  /** Legal sizes whose blocks fit on an SM, ascending. */
  readonly points: readonly SweepPoint[];
  /**
   * Point of the current size; null if m, n and k differ on the common axis, or if the kernel is
   * illegal or does not fit on an SM.
   */
  readonly current: SweepPoint | null;
  /** Device on which the time model was calibrated; null if the model does not apply. */
  readonly calibratedOn: string | null;
}

export function sizeSweep(input: SweepInput, axis: Axis, sizes: readonly number[]): Sweep {
  const { problem } = input.plan.spec;
  const largest = sizes.reduce((most, size) => Math.max(most, size), 1);
  const pointAt = pointsOf(
    input,
    sizesAt(problem, axis, Math.max(largest, ...dimensions(problem))),
  );
  const points = [...new Set(sizes)]
    .filter(size => Number.isSafeInteger(size) && size >= 1)
    .sort((one, other) => one - other)
    .flatMap(size => pointAt(size, sizesAt(problem, axis, size)) ?? []);
  const size = presentSize(problem, axis);
  const current = size === null ? null : pointAt(size, problem);
  const predicts = [current, ...points].some(point => typeof point?.predicted?.tflops === 'number');
  const calibratedOn = predicts ? (calibrationFor(input.device.id)?.device ?? null) : null;
  return { axis, points, current, calibratedOn };
}

const dimensions = ({ m, n, k }: Sizes): readonly number[] => [m, n, k];

export const presentSize = ({ m, n, k }: Sizes, axis: Axis): number | null =>
  axis === 'mnk' ? (m === n && n === k ? m : null) : { m, n, k }[axis];

export const sizesAt = ({ m, n, k }: Sizes, axis: Axis, size: number): Sizes =>
  axis === 'mnk' ? { m: size, n: size, k: size } : { m, n, k, [axis]: size };

interface AlignmentCosts {
  readonly blocksPerSm: number;
  readonly predicted: (plan: Plan) => SweepPoint['predicted'];
}

type PointAt = (size: number, sizes: Sizes) => SweepPoint | null;

function pointsOf(given: SweepInput, largest: Sizes): PointAt {
  const { plan, device } = given;
  const planAt = plansAt(plan, largest);
  const costsOfAlignment = new Map<number, AlignmentCosts | null>();
  const own = planAt(plan.spec.problem);
  if (own !== null) costsOfAlignment.set(own.alignment, common(given, plan, given.costs));
  return (size, sizes) => {
    const found = planAt(sizes);
    if (found === null) return null;
    const known = costsOfAlignment.get(found.alignment);
    const shared = known === undefined ? common(given, found.plan) : known;
    if (known === undefined) costsOfAlignment.set(found.alignment, shared);
    return shared === null ? null : pointOf(found, shared, { size, device });
  };
}

/**
 * Returns null if no block fits on an SM or the compute capability is unknown. The difference
 * between the reported and the estimated register count of the current size is added for every
 * alignment.
 */
function common(given: SweepInput, plan: Plan, costs?: SiteCosts): AlignmentCosts | null {
  const { device, occupancy: report } = given;
  const { computeCapability } = device;
  if (computeCapability === undefined) return null;
  const beyond = report.registers.value - given.plan.registersEstimate;
  const resident = launchedOccupancy(plan, {
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: Math.max(1, plan.registersEstimate + beyond),
    sharedBytesPerBlock: report.sharedBytes.value + plan.sharedBytes - given.plan.sharedBytes,
  });
  const blocksPerSm = resident.ok ? resident.occupancy.blocksPerSm : 0;
  if (blocksPerSm === 0) return null;
  const predicts = { plan, device, occupancy: { blocksPerSm } };
  // Skip lowering if the model does not apply.
  const input = modelInput({ ...predicts, costs: NO_COSTS });
  const known = input === null ? null : { ...input, costs: costs ?? evaluated(plan) };
  return { blocksPerSm, predicted: of => predictedOf(of, known, device) };
}

function predictedOf(
  plan: Plan,
  input: PredictionInput | null,
  device: Device,
): SweepPoint['predicted'] {
  const ofGroups = warpGroupInput({ plan, device });
  if (ofGroups !== null) return rateOf(predictWarpGroups(ofGroups));
  return input === null ? null : rateOf(predict({ ...input, plan }));
}

const rateOf = ({
  tflops,
  milliseconds,
}: NonNullable<SweepPoint['predicted']>): SweepPoint['predicted'] => ({ tflops, milliseconds });

const NO_COSTS: SiteCosts = {
  load: { a: { widthBytes: 1, cost: 0 }, b: { widthBytes: 1, cost: 0 } },
};

function evaluated(plan: Plan): SiteCosts {
  const { global, shared } = warpAccesses(emit(plan));
  return analyzedCosts(global, shared);
}

function pointOf(
  { plan }: PlanAt,
  { blocksPerSm, predicted }: AlignmentCosts,
  { size, device }: { readonly size: number; readonly device: Device },
): SweepPoint {
  const { m, n, k, batch } = plan.spec.problem;
  const { tiles, blocksPerWave, waves, tailBlocks, balance, efficiency } = wavesOfPlan(
    plan,
    device,
    blocksPerSm,
  );
  const useful = (batch * m * n * k) / tileFmas(plan);
  return {
    size,
    sizes: { m, n, k },
    tiles,
    blocksPerWave,
    waves,
    tailBlocks,
    balance,
    waveEfficiency: efficiency,
    paddingFlopFraction: 1 - useful,
    efficiency: balance * useful,
    predicted: predicted(plan),
  };
}

/**
 * Returns null without a plan, without resident blocks, or if the device is not in the device
 * table.
 */
export function sweepInputOf(analysis: Analysis, plan: Plan | null): SweepInput | null {
  const { occupancy: report, device, globalMemory, sharedMemory } = analysis;
  if (plan === null || report === null || report.blocksPerSm === 0 || !isDeviceId(device)) {
    return null;
  }
  const costs = analyzedCosts(globalMemory, sharedMemory);
  return { plan, device: deviceOf(device), occupancy: report, costs };
}
