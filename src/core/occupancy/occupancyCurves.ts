/**
 * Computes occupancy as a function of one resource, with all other resources unchanged. The curves
 * have steps, because resources are allocated in units.
 */
import {
  limitsOf,
  isComputeCapability,
  type ComputeCapabilityLimits,
} from '../hardware/computeCapability';
import { occupancy, type OccupancyInput } from './occupancy';

export type CurveParameter = 'threadsPerBlock' | 'registersPerThread' | 'sharedBytesPerBlock';

/** Inclusive range of values with equal occupancy. */
export interface CurveStep {
  readonly from: number;
  readonly to: number;
  /** Resident blocks per SM; 0 if the block does not fit. */
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  /** Active warps divided by the maximum warps per SM, 0..1. */
  readonly occupancy: number;
}

export interface OccupancyCurve {
  readonly parameter: CurveParameter;
  /** Contiguous steps from the smallest legal value to the largest. */
  readonly steps: readonly CurveStep[];
  /** Value of the kernel, which may exceed the last step. */
  readonly current: number;
  /**
   * Allocated amount for the kernel's value, rounded up to the unit. Shared memory includes the
   * bytes reserved by the driver.
   */
  readonly allocated: number;
  readonly unit: number;
  /** Amount that is added to the requested amount before rounding. */
  readonly reserved: number;
}

/**
 * Returns the curves of threads, registers and shared memory. Returns an empty list for an unknown
 * compute capability.
 */
export function occupancyCurves(input: OccupancyInput): readonly OccupancyCurve[] {
  const { computeCapability } = input;
  if (!isComputeCapability(computeCapability)) return [];
  const sm = limitsOf(computeCapability);
  return [threadCurve(input, sm), registerCurve(input, sm), sharedCurve(input, sm)];
}

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

function threadCurve(input: OccupancyInput, sm: ComputeCapabilityLimits): OccupancyCurve {
  const unit = sm.threadsPerWarp;
  const current = input.threadsPerBlock;
  const at = (threadsPerBlock: number) => stepAt({ ...input, threadsPerBlock });
  return {
    parameter: 'threadsPerBlock',
    current,
    unit,
    reserved: 0,
    allocated: roundUp(current, unit),
    steps: everyUnit(unit, sm.maxThreadsPerBlock, at),
  };
}

function registerCurve(input: OccupancyInput, sm: ComputeCapabilityLimits): OccupancyCurve {
  const unit = sm.registerAllocationUnit / sm.threadsPerWarp;
  const current = input.registersPerThread;
  const at = (registersPerThread: number) => stepAt({ ...input, registersPerThread });
  const steps = everyUnit(unit, sm.maxRegistersPerThread, at);
  return {
    parameter: 'registersPerThread',
    current,
    unit,
    reserved: 0,
    allocated: roundUp(current, unit),
    steps,
  };
}

function sharedCurve(input: OccupancyInput, sm: ComputeCapabilityLimits): OccupancyCurve {
  const { sharedAllocationUnitBytes: unit, sharedBytesReservedPerBlock: reserved } = sm;
  const current = input.sharedBytesPerBlock;
  const most = sm.sharedBytesPerBlockOptIn;
  const at = (sharedBytesPerBlock: number) => stepAt({ ...input, sharedBytesPerBlock });
  // With n blocks, each block can allocate at most the SM's shared memory divided by n, rounded
  // down.
  const ends = Array.from({ length: sm.maxBlocksPerSm }, (_, i) => sm.maxBlocksPerSm - i).map(
    blocks => Math.floor(sm.sharedBytesPerSm / blocks / unit) * unit - reserved,
  );
  return {
    parameter: 'sharedBytesPerBlock',
    current,
    unit,
    reserved,
    allocated: roundUp(current + reserved, unit),
    steps: merged(0, [...ends.filter(end => end >= 0 && end < most), most], at),
  };
}

type StepAt = (value: number) => Omit<CurveStep, 'from' | 'to'>;

function stepAt(input: OccupancyInput): Omit<CurveStep, 'from' | 'to'> {
  const result = occupancy(input);
  if (!result.ok) return { blocksPerSm: 0, activeWarps: 0, occupancy: 0 };
  const { blocksPerSm, activeWarps, occupancy: share } = result.occupancy;
  return { blocksPerSm, activeWarps, occupancy: share };
}

const everyUnit = (unit: number, most: number, at: StepAt): readonly CurveStep[] =>
  merged(
    1,
    Array.from({ length: Math.ceil(most / unit) }, (_, i) => Math.min(most, (i + 1) * unit)),
    at,
  );

/**
 * Returns steps that end at the given values. Consecutive steps with equal occupancy are merged.
 */
function merged(first: number, ends: readonly number[], at: StepAt): readonly CurveStep[] {
  const steps: CurveStep[] = [];
  let from = first;
  for (const to of ends) {
    if (to < from) continue;
    const step = { from, to, ...at(to) };
    const last = steps.at(-1);
    if (last?.blocksPerSm === step.blocksPerSm && last.activeWarps === step.activeWarps) {
      steps[steps.length - 1] = { ...last, to };
    } else steps.push(step);
    from = to + 1;
  }
  return steps;
}

/**
 * Returns the first step that ends at or above a value, or the last step if there is none. Returns
 * undefined if there are no steps.
 */
export const stepOf = ({ steps }: OccupancyCurve, value: number): CurveStep | undefined =>
  steps.find(({ to }) => value <= to) ?? steps.at(-1);
