/** Constants fitted to the time model: cycles and rates that no datasheet lists. */
import { DEFAULT_DEVICE, type DeviceId } from '../hardware/devices';

/** All cycles are SM clock cycles. */
export interface Calibration {
  /** Share of the peak that a pure FMA loop reaches with all operands in registers. */
  readonly multiplyAddShare: number;
  /** Shared-memory pipe cycles per wavefront. */
  readonly cyclesPerWavefront: number;
  /** Cycles per load or store of a warp, in addition to its wavefronts. */
  readonly cyclesPerRequest: number;
  /** The same two costs for an asynchronous copy, which reads one memory and writes another. */
  readonly cyclesPerCopyWavefront: number;
  readonly cyclesPerCopy: number;
  /** L1 cache cycles per 128-byte line. */
  readonly cyclesPerLine: number;
  /** Cycles of the same pipe per warp access to a spilled register. */
  readonly cyclesPerSpill: number;
  /** Cycles that a warp waits for a spilled word. */
  readonly spillLatencyCycles: number;
  /** Cycles that a warp waits for its fragments per k-step, regardless of other warps. */
  readonly fragmentLatencyCycles: number;
  /** Synchronization cycles per tile. */
  readonly barrierCycles: number;
  /** Cycles from issuing a tile's loads to their arrival, under load. */
  readonly tileLatencyCycles: number;
  /**
   * Prologue and drain: from block start to its first tile, and from its last tile to its results.
   */
  readonly blockCycles: number;
  /** L2 bandwidth per SM and cycle when all SMs read, and bandwidth for results. */
  readonly l2BytesPerCycle: number;
  readonly resultBytesPerCycle: number;
  /** Exponent of the norm: 1 adds all costs; large values let the largest cost hide the others. */
  readonly overlap: number;
  /** Time from one launch to the next, excluding the blocks. */
  readonly launchMicroseconds: number;
  /** Names the measurements and the machine. */
  readonly origin: string;
}

/**
 * Written by `node out/bench/calibrateModel.js`, which also evaluates the fit (docs/analysis.md).
 */
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
  /** Device that was measured: the default device if the given device is not calibrated. */
  readonly device: DeviceId;
}

/**
 * Returns the calibration of a device, or the default device's, because cycles vary less than
 * clocks and SM counts.
 */
export function calibrationFor(device: DeviceId): DeviceCalibration | null {
  const own = CALIBRATIONS[device];
  if (own !== undefined) return { calibration: own, device };
  const other = CALIBRATIONS[DEFAULT_DEVICE];
  return other === undefined ? null : { calibration: other, device: DEFAULT_DEVICE };
}

/**
 * Returns the calibration for tensor-core kernels, which were not part of the fit. Latencies and
 * copy rates are those of FMA kernels. Shared memory serves one wavefront per cycle, because rows
 * of 16 bytes per lane use its full width.
 */
export const onTensorCores = (calibration: Calibration): Calibration => ({
  ...calibration,
  cyclesPerWavefront: 1,
  cyclesPerRequest: 0,
  origin: `not fitted to tensor cores: MMA instruction rate, one shared-memory wavefront per cycle; the rest from ${calibration.origin}`,
});
