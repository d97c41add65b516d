/** What the time model was fitted to: cycles and rates that no datasheet states. */
import { DEFAULT_DEVICE, type DeviceId } from '../device/devices';

/** All cycles are of the SM's clock. */
export interface Calibration {
  /** Of the peak, what a loop of nothing but multiply-adds with operands at hand reaches. */
  readonly multiplyAddShare: number;
  /** Of the shared-memory pipe, a wavefront. */
  readonly cyclesPerWavefront: number;
  /** Of a load or store of a warp, beside its passes. */
  readonly cyclesPerRequest: number;
  /** Of the L1 cache, a 128-byte line. */
  readonly cyclesPerLine: number;
  /** From issuing a tile's loads to having it, under load. */
  readonly tileLatencyCycles: number;
  /** Bytes a cycle that the L2 cache gives each SM when all ask. */
  readonly l2BytesPerCycle: number;
  /** 1: costs add up; large: the largest hides the others. */
  readonly overlap: number;
  /** From one launch to the next, at least; assumed, since no recorded kernel is short enough to tell. */
  readonly launchMicroseconds: number;
  /** Which measurements, and where. */
  readonly origin: string;
}

/** Written by `node out/scripts/calibrateModel.js`, which also judges them (docs/analysis.md). */
const CALIBRATIONS: Readonly<Partial<Record<DeviceId, Calibration>>> = {
  h200: {
    multiplyAddShare: 1,
    cyclesPerWavefront: 0.3393,
    cyclesPerRequest: 0.09192,
    cyclesPerLine: 1.049,
    tileLatencyCycles: 819.2,
    l2BytesPerCycle: 39.9,
    overlap: 1.719,
    launchMicroseconds: 2,
    origin: 'every second rung at 1024 and 4096 in bench/h200-ladder-cuda.json, f32, nvcc 13.0',
  },
};

export interface DeviceCalibration {
  readonly calibration: Calibration;
  /** Whose it is: another device's where there is none of its own. */
  readonly device: DeviceId;
}

/** A device's own calibration, or the default device's, since cycles differ less than clocks and counts do. */
export function calibrationFor(device: DeviceId): DeviceCalibration | null {
  const own = CALIBRATIONS[device];
  if (own !== undefined) return { calibration: own, device };
  const other = CALIBRATIONS[DEFAULT_DEVICE];
  return other === undefined ? null : { calibration: other, device: DEFAULT_DEVICE };
}
