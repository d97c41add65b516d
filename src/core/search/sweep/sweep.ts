/**
 * The saw-tooth: how waves, padding and the predicted rate of one schedule move with the size of the problem. Counts are closed
 * forms; what a request costs is evaluated once for each alignment of rows, at the first size that has it.
 */
import { deviceOf, isDeviceId, type Device } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import { analysedCosts, type SiteCosts } from '../../model/siteCosts';
import { predict, type PredictionInput } from '../../model/predict';
import { calibrationFor } from '../../model/calibration';
import { modelInput, warpGroupInput } from '../../model/report';
import { predictWarpGroups } from '../../model/wgmma/wgmmaModel';
import type { Plan } from '../../plan/plan';
import type { Analysis } from '../../report/analysis';
import { launchedOccupancy } from '../../occupancy/launchedOccupancy';
import { warpAccesses } from '../../memory/accesses';
import { tileMultiplyAdds, wavesOfPlan, type WaveCounts } from '../../occupancy/waves';
import { plansAt, type PlanAt, type Sizes } from './resized';
import type { OccupancyReport } from '../../occupancy/report';

export const AXES = ['m', 'n', 'k', 'mnk'] as const;
/** What moves: one size alone, or m = n = k. */
export type Axis = (typeof AXES)[number];

export interface SweepPoint extends WaveCounts {
  /** On the axis. */
  readonly size: number;
  readonly sizes: Sizes;
  /** Of the multiply-adds of whole tiles, those outside of C and K. */
  readonly paddingFlopFraction: number;
  /** Work of C over what all SMs would do if each had the blocks of the busiest one, 0..1: load balance and padding together. */
  readonly efficiency: number;
  /** `WaveCounts.efficiency`: blocks over the block slots of all waves. */
  readonly waveEfficiency: number;
  /** Null where the time model says nothing. */
  readonly predicted: { readonly tflops: number; readonly milliseconds: number } | null;
}

export interface SweepInput {
  readonly plan: Plan;
  readonly device: Device;
  /** Of the plan as it is. */
  readonly occupancy: OccupancyReport;
  /** Of the plan as it is. */
  readonly costs: SiteCosts;
}

export interface Sweep {
  readonly axis: Axis;
  /** Ascending, the legal ones. */
  readonly points: readonly SweepPoint[];
  /** The size as it is; null where it is not on the axis, since m, n and k differ. */
  readonly current: SweepPoint | null;
  /** Whose calibration predicts; null where the time model says nothing. */
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

/** Null for sizes that differ where they move together. */
export const presentSize = ({ m, n, k }: Sizes, axis: Axis): number | null =>
  axis === 'mnk' ? (m === n && n === k ? m : null) : { m, n, k }[axis];

export const sizesAt = ({ m, n, k }: Sizes, axis: Axis, size: number): Sizes =>
  axis === 'mnk' ? { m: size, n: size, k: size } : { m, n, k, [axis]: size };

/** What all sizes of an alignment have in common. */
interface Alike {
  readonly blocksPerSm: number;
  /** Null where the time model says nothing. */
  readonly predicted: (plan: Plan) => SweepPoint['predicted'];
}

type PointAt = (size: number, sizes: Sizes) => SweepPoint | null;

function pointsOf(given: SweepInput, largest: Sizes): PointAt {
  const { plan, device } = given;
  const planAt = plansAt(plan, largest);
  const alike = new Map<number, Alike | null>();
  const own = planAt(plan.spec.problem);
  if (own !== null) alike.set(own.alignment, common(given, plan, given.costs));
  return (size, sizes) => {
    const found = planAt(sizes);
    if (found === null) return null;
    const known = alike.get(found.alignment);
    const shared = known === undefined ? common(given, found.plan) : known;
    if (known === undefined) alike.set(found.alignment, shared);
    return shared === null ? null : pointOf(found, shared, { size, device });
  };
}

/** Registers beyond the estimate are taken to be needed again where accesses are of another width. */
function common(given: SweepInput, plan: Plan, costs?: SiteCosts): Alike | null {
  const { device, occupancy: report } = given;
  const { computeCapability } = device;
  if (computeCapability === undefined) return null;
  const beyond = report.registers.value - given.plan.registersEstimate;
  const held = launchedOccupancy(plan, {
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: Math.max(1, plan.registersEstimate + beyond),
    sharedBytesPerBlock: report.sharedBytes.value + plan.sharedBytes - given.plan.sharedBytes,
  });
  const blocksPerSm = held.ok ? held.occupancy.blocksPerSm : 0;
  if (blocksPerSm === 0) return null;
  const predicts = { plan, device, occupancy: { blocksPerSm } };
  // Nothing is lowered where the model says nothing anyway.
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
  return analysedCosts(global, shared);
}

function pointOf(
  { plan }: PlanAt,
  { blocksPerSm, predicted }: Alike,
  { size, device }: { readonly size: number; readonly device: Device },
): SweepPoint {
  const { m, n, k, batch } = plan.spec.problem;
  const { tiles, blocksPerWave, waves, tailBlocks, balance, efficiency } = wavesOfPlan(
    plan,
    device,
    blocksPerSm,
  );
  const useful = (batch * m * n * k) / tileMultiplyAdds(plan);
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

/** Of an analysed kernel; null where nothing tells how many of its blocks fit an SM. */
export function sweepInputOf(analysis: Analysis, plan: Plan | null): SweepInput | null {
  const { occupancy: report, device, globalMemory, sharedMemory } = analysis;
  if (plan === null || report === null || report.blocksPerSm === 0 || !isDeviceId(device)) {
    return null;
  }
  const costs = analysedCosts(globalMemory, sharedMemory);
  return { plan, device: deviceOf(device), occupancy: report, costs };
}
