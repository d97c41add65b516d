/** What the time of `wgmma` was fitted to: what no datasheet states of warp groups. */
import type { DeviceId } from '../../hardware/devices';

export interface WarpGroupCalibration {
  /** Of the multiprocessor, of a step along K beside its products: barriers, and the fence before the next ones. */
  readonly stepCycles: number;
  /** That tensor cores wait for at each promotion of the sums of pieces, beside the additions. */
  readonly promotionCycles: number;
  /** From the request of a tile until it may be multiplied: stages hide it. L2 and DRAM have clocks of their own. */
  readonly latencyNanoseconds: number;
  /** From a block's start to its first product, and what follows its last tile. */
  readonly blockMicroseconds: number;
  /** That the parts of K of a tile take to meet, beside the sums that they exchange. */
  readonly meetingMicroseconds: number;
  /** From one launch to the next, beside what the blocks take; and where the next one may begin early. */
  readonly launchMicroseconds: number;
  readonly programmaticMicroseconds: number;
  /** Of the GPU without tensor cores, and for a cycle of one multiprocessor's at `REFERENCE_MHZ`. */
  readonly idleWatts: number;
  readonly tensorNanojoules: number;
  /**
   * Of tiles at all multiprocessors together, the most of any kernel that was raced: beyond what the L2 cache gives, since lines
   * that neighbours ask for at about the same time leave it once. Not fitted, and no part of a predicted time.
   */
  readonly arrivingGBps: number;
  /** Which measurements, and where. */
  readonly origin: string;
}

/** The clock at which a cycle takes `tensorNanojoules`: voltage falls with the clock, and energy with its square. */
export const REFERENCE_MHZ = 1980;

/** The GPU that it was fitted to; others of compute capability 9.0 borrow it. */
export const WARP_GROUP_DEVICE: DeviceId = 'h200';

/** Written by `node out/bench/calibrateWarpGroups.js`, which also judges it on other shapes (docs/analysis.md). */
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
