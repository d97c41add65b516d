/** Fitted constants of the `wgmma` time model, which no datasheet lists. */
import type { DeviceId } from '../../hardware/devices';

export interface WarpGroupCalibration {
  /**
   * SM cycles per k-iteration in addition to the MMAs: barriers, and the fence before the next
   * MMAs.
   */
  readonly stepCycles: number;
  /**
   * Tensor-core stall cycles per FP32 promotion of the split products, in addition to the
   * additions.
   */
  readonly promotionCycles: number;
  /**
   * Latency from the request of a tile to its arrival; pipeline stages hide it. The unit is ns,
   * because the clocks of L2 and DRAM are independent of the SM clock.
   */
  readonly latencyNanoseconds: number;
  /** Prologue and drain: from block start to its first MMA, and after its last tile. */
  readonly blockMicroseconds: number;
  /**
   * Time that the split-K slices of a tile take to synchronize, in addition to exchanging partial
   * results.
   */
  readonly meetingMicroseconds: number;
  /**
   * Time between launches, excluding the blocks; `programmaticMicroseconds` applies to programmatic
   * dependent launch.
   */
  readonly launchMicroseconds: number;
  readonly programmaticMicroseconds: number;
  /** GPU power without tensor cores, and energy per SM cycle at `REFERENCE_MHZ`. */
  readonly idleWatts: number;
  readonly tensorNanojoules: number;
  /**
   * Highest tile rate of any raced kernel, summed over all SMs. It exceeds the L2 bandwidth,
   * because simultaneous requests of neighboring blocks read a line only once. It is not fitted and
   * not part of a predicted time.
   */
  readonly arrivingGBps: number;
  /** Names the measurements and the machine. */
  readonly origin: string;
}

/**
 * Clock at which an SM cycle takes `tensorNanojoules`. Voltage scales with the clock, energy with
 * the square of the voltage.
 */
export const REFERENCE_MHZ = 1980;

/** The GPU of the fit; other GPUs of compute capability 9.0 use its values. */
export const WARP_GROUP_DEVICE: DeviceId = 'h200';

/**
 * Written by `node out/bench/calibrateWarpGroups.js`, which also evaluates the fit on other shapes
 * (docs/analysis.md).
 */
export const WARP_GROUPS: WarpGroupCalibration = {
  stepCycles: 2.532,
  promotionCycles: 276.5,
  latencyNanoseconds: 569.9,
  blockMicroseconds: 0.9992,
  meetingMicroseconds: 2.468,
  launchMicroseconds: 2.16,
  programmaticMicroseconds: 1.476,
  idleWatts: 236.2,
  tensorNanojoules: 6.031,
  arrivingGBps: 14360,
  origin:
    'two thirds of the shapes in bench/h200-wgmma.jsonl and h200-wgmma-split.jsonl (H200, 700 W, nvcc 13.0)',
};
