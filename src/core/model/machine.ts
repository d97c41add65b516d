/** What the time model needs of a device. */
import { PEAK_OF } from '../analysis/roofline';
import type { Device } from '../device/devices';
import type { DType } from '../spec/dtype';

export interface Machine {
  readonly multiprocessors: number;
  readonly clockMHz: number;
  /** Lanes of an SM that multiply and add in a cycle. */
  readonly lanes: number;
  /** As a copy reached it where that was measured. */
  readonly dramGBps: number;
}

/** Null for a device without occupancy rules, a clock, or a peak of the type. */
export function machineFor(device: Device, accumulator: DType): Machine | null {
  const { multiprocessors, boostClockMHz: clockMHz, peakTflops, measured } = device;
  const key = PEAK_OF[accumulator];
  const peak = key === undefined ? undefined : peakTflops[key];
  if (peak === undefined || clockMHz === undefined || device.computeCapability === undefined) {
    return null;
  }
  // An instruction multiplies two halves in each lane.
  const packed = accumulator === 'f16' ? 2 : 1;
  return {
    ...{ multiprocessors, clockMHz },
    lanes: (peak * 1e6) / (2 * multiprocessors * clockMHz) / packed,
    dramGBps: measured?.memoryBandwidthGBps ?? device.memoryBandwidthGBps,
  };
}
