/**
 * Rejects implausible timings. A kernel cannot exceed the compute peak of its SMs at their clock.
 * With cold caches, it cannot load its matrices faster than the memory bandwidth.
 */
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import { compulsoryBytes } from '../plan/traffic';
import { closestDevice } from '../hardware/closestDevice';
import { findDevice, matchDevice, type Device } from '../hardware/devices';
import type { ResolvedProblem } from '../spec/resolved';
import type { MeasuredCeilings, Timing } from './measurement';

/** Tolerance for clock and bandwidth errors, and for matrices that partly stay in a cache. */
const SLACK = 1.1;

export interface TimedOn {
  /** Device name as reported by the driver. */
  readonly name: string;
  /** Compute capability, such as `9.0`. */
  readonly computeCapability: string;
  readonly multiprocessors: number;
  /** Maximum SM clock; 0 if unknown. */
  readonly peakSmMHz: number;
}

export interface PhysicalLimits {
  /** Compute peak in GFLOP/s; missing if unknown. */
  readonly peakGflops?: number;
  readonly clockMHz?: number;
  /**
   * DRAM bandwidth in GB/s: the higher of the datasheet's and the measured value; missing if both
   * are unknown.
   */
  readonly memoryGBps?: number;
}

/**
 * Matches identifiers of matrix-unit code: PTX, CUDA's wmma, CUTLASS and CuTe, WGSL subgroup
 * matrices.
 */
const MATRIX_UNITS =
  /\b(wmma|wgmma|mma|mma_sync|tcgen05|cutlass|cute|chromium_experimental_subgroup_matrix)\b/;

export const usesMatrixUnits = (source: string): boolean => MATRIX_UNITS.test(source);

/**
 * Computes the limits of a kernel on this GPU at the measured clock, or at the maximum clock if no
 * clock was measured.
 */
export function limitsOf(
  {
    problem,
    source,
    foreign,
  }: {
    readonly problem: ResolvedProblem;
    readonly source: string;
    /** Set if the source does not show the instructions of the kernel. */
    readonly foreign?: object;
  },
  on: TimedOn,
  clocks: Timing['clocks'],
  ceilings?: MeasuredCeilings,
): PhysicalLimits {
  const known = findDevice(matchDevice(on.name) ?? '');
  const alike = known ?? sameArchitecture(on.computeCapability);
  const clockMHz = clocks?.smMaxMHz ?? clocks?.smMHz ?? on.peakSmMHz;
  const perClock =
    alike === undefined
      ? 0
      : operationsPerClock(alike, problem, foreign !== undefined || usesMatrixUnits(source));
  const peakGflops = (on.multiprocessors * perClock * clockMHz) / 1000;
  const memoryGBps = Math.max(known?.memoryBandwidthGBps ?? 0, ceilings?.bandwidthGBps ?? 0);
  return {
    ...(peakGflops > 0 ? { peakGflops, clockMHz } : {}),
    ...(memoryGBps > 0 ? { memoryGBps } : {}),
  };
}

/** Explains why a timing is implausible. Returns undefined for a plausible timing. */
export function implausible(
  problem: ResolvedProblem,
  { gflops, medianMs, cache }: Pick<Timing, 'gflops' | 'medianMs' | 'cache'>,
  { peakGflops, clockMHz, memoryGBps }: PhysicalLimits,
): string | undefined {
  if (peakGflops !== undefined && gflops > SLACK * peakGflops) {
    return `Implausible result: ${rate(gflops)} GFLOP/s timed, but the SMs peak at ${rate(peakGflops)} GFLOP/s at ${rate(clockMHz ?? 0)} MHz. Either the timed launches skipped work, or the timer or clock reading is wrong.`;
  }
  const movedGBps = compulsoryBytes(problem) / (medianMs * 1e6);
  if (cache === 'cold' && memoryGBps !== undefined && movedGBps > SLACK * memoryGBps) {
    return `Implausible result: the matrices were moved at ${rate(movedGBps)} GB/s with cold caches, but the memory peaks at ${rate(memoryGBps)} GB/s. Either the timed launches skipped part of the matrices, or the caches were not cold.`;
  }
  return undefined;
}

const rate = (value: number): string => String(Number(value.toPrecision(4)));

/**
 * Returns the closest device with the same compute capability; undefined if the device table has
 * none.
 */
function sameArchitecture(computeCapability: string): Device | undefined {
  const device = closestDevice(computeCapability)?.device;
  return device?.computeCapability === computeCapability ? device : undefined;
}

/**
 * Returns the FLOPs per SM and clock cycle (two per FMA), derived from the datasheet's rate at the
 * boost clock. Returns 0 if the rate or the clock is unknown.
 */
function operationsPerClock(
  device: Device,
  { a, accumulator }: ResolvedProblem,
  matrixUnits: boolean,
): number {
  const { peakTflops, multiprocessors, boostClockMHz } = device;
  const lanes = (PEAK_OF[accumulator] && peakTflops[PEAK_OF[accumulator]]) ?? 0;
  // __dp4a multiplies four pairs of 8-bit values per instruction.
  const ordinary = lanes * (a.dtype === 's8' ? 4 : 1);
  const key = matrixUnits ? TENSOR_PEAK_OF[a.dtype] : undefined;
  const peak = Math.max(ordinary, (key && peakTflops[key]) ?? 0);
  return boostClockMHz === undefined ? 0 : (peak * 1e6) / (multiprocessors * boostClockMHz);
}
