/** Device properties that the time model requires. */
import { PEAK_OF, TENSOR_PEAK_OF } from '../hardware/peakKeys';
import type { Device } from '../hardware/devices';
import { WARP_LANES } from '../hardware/warp';
import type { MatrixShape } from '../plan/plan';
import type { DType } from '../types/dtype';

export interface Machine {
  readonly multiprocessors: number;
  readonly clockMHz: number;
  /** FMA lanes per cycle and SM. A packed half2 FMA occupies one lane, an MMA instruction 32. */
  readonly lanes: number;
  /** Fraction of the datasheet peak that the instruction reaches. Default: 1. */
  readonly share?: number;
  /** Measured DRAM copy bandwidth in GB/s, or the datasheet bandwidth if not measured. */
  readonly dramGBps: number;
}

/**
 * Returns the machine for FMA kernels, or null if the device has no compute capability, clock or
 * peak for the type.
 */
export function machineFor(device: Device, accumulator: DType): Machine | null {
  const { multiprocessors: smCount, boostClockMHz: clockMHz, peakTflops, measured } = device;
  const key = PEAK_OF[accumulator];
  const peak = key === undefined ? undefined : peakTflops[key];
  if (peak === undefined || clockMHz === undefined || device.computeCapability === undefined) {
    return null;
  }
  // A packed half2 instruction computes two FMAs per lane.
  const packed = accumulator === 'f16' ? 2 : 1;
  return {
    multiprocessors: smCount,
    clockMHz,
    lanes: (peak * 1e6) / (2 * smCount * clockMHz) / packed,
    dramGBps: measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
  };
}

const HOPPER = '9.0';
/**
 * Compute capabilities whose tensor cores reach their peak with `mma.sync`, because they have no
 * other MMA instruction.
 */
const BY_MMA_ALONE = ['7.5', '8.0', '8.6', '8.7', '8.9', '12.0'];

/**
 * Fraction of the tensor-core peak that `mma.sync` reaches on Hopper, where only `wgmma` reaches
 * the peak (bench/h200-ceilings.json).
 */
export const HOPPER_MMA_SHARE: Readonly<Partial<Record<DType, number>>> = {
  f16: 0.634,
  bf16: 0.639,
  tf32: 0.641,
  s8: 0.638,
};

/** Returns the machine for MMA instructions of a type and shape, or null if the rate is unknown. */
export function tensorMachineFor(
  device: Device,
  dtype: DType,
  { m, n, k }: MatrixShape,
): Machine | null {
  const { multiprocessors: smCount, boostClockMHz: clockMHz, computeCapability = '' } = device;
  const key = TENSOR_PEAK_OF[dtype];
  const peak = key === undefined ? undefined : device.peakTflops[key];
  const share = BY_MMA_ALONE.includes(computeCapability)
    ? 1
    : computeCapability === HOPPER
      ? HOPPER_MMA_SHARE[dtype]
      : undefined;
  if (peak === undefined || clockMHz === undefined || share === undefined) return null;
  const fmasPerCycle = (peak * 1e6) / (2 * smCount * clockMHz);
  return {
    multiprocessors: smCount,
    clockMHz,
    share,
    lanes: (share * fmasPerCycle * WARP_LANES) / (m * n * k),
    dramGBps: device.measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
  };
}
