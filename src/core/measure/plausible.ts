/**
 * Whether a timing can be: no kernel computes faster than its multiprocessors do at their clock, and with cold caches none
 * moves its matrices faster than the memory does. What passes these limits was not done, or not timed.
 */
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import { compulsoryBytes } from '../plan/traffic';
import { closestDevice } from '../hardware/closestDevice';
import { findDevice, matchDevice, type Device } from '../hardware/devices';
import type { ResolvedProblem } from '../spec/resolved';
import type { MeasuredCeilings, Timing } from './measurement';

/** Clocks and bandwidths are known to some percent, and a cache keeps a little of what rotates through it. */
const SLACK = 1.1;

export interface TimedOn {
  /** As its driver names it. */
  readonly name: string;
  /** Such as `9.0`. */
  readonly computeCapability: string;
  readonly multiprocessors: number;
  /** Highest clock of the multiprocessors; 0 where nobody says. */
  readonly peakSmMHz: number;
}

export interface PhysicalLimits {
  /** 1e9 FLOP/s; absent of an architecture that the device table does not know. */
  readonly peakGflops?: number;
  readonly clockMHz?: number;
  /** Of DRAM, from the datasheet or measured. */
  readonly memoryGBps?: number;
}

/** Words of kernels that multiply on matrix units: PTX, CUDA's wmma, CUTLASS and CuTe, subgroup matrices of WGSL. */
const MATRIX_UNITS =
  /\b(wmma|wgmma|mma|mma_sync|tcgen05|cutlass|cute|chromium_experimental_subgroup_matrix)\b/;

/** Whether a kernel of this text multiplies on matrix units. */
export const usesMatrixUnits = (source: string): boolean => MATRIX_UNITS.test(source);

/** What a kernel of this text may reach at most on this GPU, at the clock that it was measured at. */
export function limitsOf(
  { problem, source }: { readonly problem: ResolvedProblem; readonly source: string },
  on: TimedOn,
  clocks: Timing['clocks'],
  ceilings?: MeasuredCeilings,
): PhysicalLimits {
  const known = findDevice(matchDevice(on.name) ?? '');
  const alike = known ?? sameArchitecture(on.computeCapability);
  const clockMHz = clocks?.smMaxMHz ?? clocks?.smMHz ?? on.peakSmMHz;
  const perClock =
    alike === undefined ? 0 : operationsPerClock(alike, problem, usesMatrixUnits(source));
  const peakGflops = (on.multiprocessors * perClock * clockMHz) / 1000;
  const memoryGBps = Math.max(known?.memoryBandwidthGBps ?? 0, ceilings?.bandwidthGBps ?? 0);
  return {
    ...(peakGflops > 0 ? { peakGflops, clockMHz } : {}),
    ...(memoryGBps > 0 ? { memoryGBps } : {}),
  };
}

/** Why a timing cannot be, for its reader; undefined of one that can. */
export function implausible(
  problem: ResolvedProblem,
  { gflops, medianMs, cache }: Pick<Timing, 'gflops' | 'medianMs' | 'cache'>,
  { peakGflops, clockMHz, memoryGBps }: PhysicalLimits,
): string | undefined {
  if (peakGflops !== undefined && gflops > SLACK * peakGflops) {
    return `${rate(gflops)} GFLOP/s were timed, and the multiprocessors reach ${rate(peakGflops)} at ${rate(clockMHz ?? 0)} MHz: this is no result. Likely the kernel did not do all of its work in the timed launches, or the timer or the clock was read wrongly.`;
  }
  const moved = compulsoryBytes(problem) / (medianMs * 1e6);
  if (cache === 'cold' && memoryGBps !== undefined && moved > SLACK * memoryGBps) {
    return `The matrices were moved at ${rate(moved)} GB/s with cold caches, and the memory reaches ${rate(memoryGBps)}: this is no result. Likely the kernel did not read or write all of them in the timed launches, or the caches were not cold.`;
  }
  return undefined;
}

const rate = (value: number): string => String(Number(value.toPrecision(4)));

/** A stand-in of another architecture would mislead. */
function sameArchitecture(computeCapability: string): Device | undefined {
  const device = closestDevice(computeCapability)?.device;
  return device?.computeCapability === computeCapability ? device : undefined;
}

/** Of one multiprocessor: two a multiply-add. Datasheets give them as a rate at the boost clock. */
function operationsPerClock(
  device: Device,
  { a, accumulator }: ResolvedProblem,
  matrixUnits: boolean,
): number {
  const { peakTflops, multiprocessors, boostClockMHz } = device;
  const lanes = (PEAK_OF[accumulator] && peakTflops[PEAK_OF[accumulator]]) ?? 0;
  // __dp4a: four products of 8 bits an instruction.
  const ordinary = lanes * (a.dtype === 's8' ? 4 : 1);
  const key = matrixUnits ? TENSOR_PEAK_OF[a.dtype] : undefined;
  const peak = Math.max(ordinary, (key && peakTflops[key]) ?? 0);
  return boostClockMHz === undefined ? 0 : (peak * 1e6) / (multiprocessors * boostClockMHz);
}
