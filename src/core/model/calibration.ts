/** What the time model was fitted to: cycles and rates that no datasheet states. */
import { DEFAULT_DEVICE, type DeviceId } from '../hardware/devices';

/** All cycles are of the SM's clock. */
export interface Calibration {
  /** Of the peak, what a loop of nothing but multiply-adds with operands at hand reaches. */
  readonly multiplyAddShare: number;
  /** Of the shared-memory pipe, a wavefront. */
  readonly cyclesPerWavefront: number;
  /** Of a load or store of a warp, beside its passes. */
  readonly cyclesPerRequest: number;
  /** The same two of an asynchronous copy, which reads one memory and writes another. */
  readonly cyclesPerCopyWavefront: number;
  readonly cyclesPerCopy: number;
  /** Of the L1 cache, a 128-byte line. */
  readonly cyclesPerLine: number;
  /** Of the same pipe, a warp's access to a spilled register. */
  readonly cyclesPerSpill: number;
  /** That a warp waits for a word that it has spilled. */
  readonly spillLatencyCycles: number;
  /** That a warp waits at each depth for its fragments, however few other warps there are. */
  readonly fragmentLatencyCycles: number;
  /** At each tile, for the barriers and what stands around them. */
  readonly barrierCycles: number;
  /** From issuing a tile's loads to having it, under load. */
  readonly tileLatencyCycles: number;
  /** From a block's start to its first tile, and from its last one to its results. */
  readonly blockCycles: number;
  /** Bytes a cycle that the L2 cache gives each SM when all ask, and takes of results. */
  readonly l2BytesPerCycle: number;
  readonly resultBytesPerCycle: number;
  /** 1: costs add up; large: the largest hides the others. */
  readonly overlap: number;
  /** From one launch to the next, beside what the blocks take. */
  readonly launchMicroseconds: number;
  /** Which measurements, and where. */
  readonly origin: string;
}

/** Written by `node out/bench/calibrateModel.js`, which also judges them (docs/analysis.md). */
const CALIBRATIONS: Readonly<Partial<Record<DeviceId, Calibration>>> = {
  h200: {
    multiplyAddShare: 1,
    cyclesPerWavefront: 0.2903,
    cyclesPerRequest: 0.3329,
    cyclesPerCopyWavefront: 1.152,
    cyclesPerCopy: 0.09558,
    cyclesPerLine: 0.9298,
    cyclesPerSpill: 4.14,
    spillLatencyCycles: 45.22,
    fragmentLatencyCycles: 9.779,
    barrierCycles: 8.601,
    tileLatencyCycles: 850.2,
    blockCycles: 83.06,
    l2BytesPerCycle: 175.3,
    resultBytesPerCycle: 17.19,
    overlap: 1.505,
    launchMicroseconds: 4.415,
    origin:
      'the ladder and 159 schedules at 1024, 2048 and 4096 (bench/h200-ladder-cuda.json, bench/h200-schedules.json), f32, nvcc 13.0',
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

/**
 * Nothing was fitted to products of matrices: latencies and rates of copies are those of single multiply-adds, and shared
 * memory passes a wavefront a cycle, since a row of 16 bytes a lane leaves nothing of it unused.
 */
export const onTensorCores = (calibration: Calibration): Calibration => ({
  ...calibration,
  cyclesPerWavefront: 1,
  cyclesPerRequest: 0,
  origin: `not fitted to tensor cores: the rate of their instruction, a wavefront of shared memory a cycle; the rest from ${calibration.origin}`,
});
