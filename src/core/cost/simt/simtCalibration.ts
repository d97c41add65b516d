/** Fitted constants of the time model that chooses SIMT schedules. */
import type { DeviceId } from '../../hardware/devices';

/** Constants of one tile; both are multiples of the FMA time of a k-iteration. */
export interface TileConstants {
  /** SM time per k-iteration of a block with all blocks of the SM resident, without copies. */
  readonly busy: number;
  /** Time per k-iteration of a block that is alone on its SM. */
  readonly alone: number;
}

/** All cycles are SM clock cycles. */
export interface SimtCalibration {
  /**
   * SM cycles per copy instruction of a warp. A lane copies 4, 2 or 1 adjacent elements, or single
   * elements of a tile that is transposed on the way, or single elements of its own row.
   */
  readonly copy4Cycles: number;
  readonly copy2Cycles: number;
  readonly copy1Cycles: number;
  readonly transposedCycles: number;
  readonly stridedCycles: number;
  /** Additional cycles of copies of single elements that are not regular. */
  readonly irregularCycles: number;
  /** Cycles per k-iteration to wait for the next tile and to synchronize the block. */
  readonly stepCycles: number;
  /** L2 bandwidth per SM in bytes per cycle, with all SMs loading. */
  readonly l2BytesPerCycle: number;
  /** Cycles from the request of a tile to its arrival. */
  readonly latencyCycles: number;
  /** Cycles of the prologue and epilogue per block, without the stores. */
  readonly blockCycles: number;
  /** Bytes of C that an SM stores per cycle, by the width of the stores. */
  readonly vectorStoreBytesPerCycle: number;
  readonly scalarStoreBytesPerCycle: number;
  /** Exponent of the norm that combines costs that overlap. */
  readonly overlap: number;
  /** Bandwidth of the reduction of split-K slices, whose partial results are in L2. */
  readonly reducedGBps: number;
  /** Launch overhead, and the additional time of the launch that reduces the slices. */
  readonly launchMicroseconds: number;
  readonly reductionMicroseconds: number;
  /** Constants by tile; see simtSchedules.ts. */
  readonly tiles: Readonly<Record<string, TileConstants>>;
  /** Median error of predictions in percent, at shapes that the fit did not use. */
  readonly errorPercent: number;
  /** Devices of the measurements. */
  readonly fittedOn: readonly DeviceId[];
  readonly origin: string;
}

/** Problems with few rows or columns of C are `flat`. Each class has its own constants. */
export type SimtClass = 'general' | 'flat';

export const SIMT: Readonly<Record<SimtClass, SimtCalibration>> = {
  general: {
    copy4Cycles: 0.6724,
    copy2Cycles: 0.3283,
    copy1Cycles: 1.949,
    transposedCycles: 2.338,
    stridedCycles: 4,
    irregularCycles: 1.221,
    stepCycles: 18.57,
    l2BytesPerCycle: 94.32,
    latencyCycles: 53.21,
    blockCycles: 134.2,
    vectorStoreBytesPerCycle: 109,
    scalarStoreBytesPerCycle: 24.52,
    overlap: 1.534,
    reducedGBps: 2401,
    launchMicroseconds: 3.535,
    reductionMicroseconds: 0.4233,
    tiles: {
      '64x128x16 8x8': { busy: 1.168, alone: 0.5572 },
      '128x64x16 8x8': { busy: 1.169, alone: 0.6445 },
      '128x128x16 8x8': { busy: 1.203, alone: 0.3055 },
      '96x128x16 12x8': { busy: 1.153, alone: 0.4694 },
      '128x128x16 16x8': { busy: 0.8, alone: 1.617 },
      '64x64x16 8x4': { busy: 1.252, alone: 0.4103 },
      '32x128x16 4x8': { busy: 1.307, alone: 0.3132 },
      '64x64x32 8x4': { busy: 1.312, alone: 0.4711 },
      '128x128x8 8x8': { busy: 1.204, alone: 0.3822 },
      '256x128x8 16x8': { busy: 0.9512, alone: 0.5359 },
      '128x256x8 8x16': { busy: 0.9536, alone: 0.5562 },
      '160x128x8 20x8': { busy: 1.14, alone: 0.4139 },
      '128x32x16 8x4': { busy: 1.273, alone: 0.5298 },
      '32x64x16 4x4': { busy: 1.519, alone: 0.3507 },
      '32x128x32 8x4': { busy: 1.391, alone: 0.8056 },
      '256x64x8 16x8': { busy: 0.9574, alone: 1.154 },
      '128x64x8 8x8': { busy: 1.239, alone: 0.4713 },
      '96x128x8 12x8': { busy: 1.153, alone: 0.4797 },
      '64x64x8 8x4': { busy: 1.279, alone: 0.4352 },
      '64x128x8 8x8': { busy: 1.191, alone: 0.3498 },
      '32x128x8 4x8': { busy: 1.23, alone: 0.6769 },
      '64x256x8 8x16': { busy: 0.9565, alone: 1.094 },
      '128x96x8 8x12': { busy: 1.208, alone: 0.7134 },
    },
    errorPercent: 4,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
  flat: {
    copy4Cycles: 0.25,
    copy2Cycles: 6.616,
    copy1Cycles: 12.28,
    transposedCycles: 7.808,
    stridedCycles: 10.87,
    irregularCycles: 4,
    stepCycles: 1.711,
    l2BytesPerCycle: 21.45,
    latencyCycles: 783.5,
    blockCycles: 1177,
    vectorStoreBytesPerCycle: 358,
    scalarStoreBytesPerCycle: 8.769,
    overlap: 2.611,
    reducedGBps: 806.5,
    launchMicroseconds: 2.407,
    reductionMicroseconds: 1.033,
    tiles: {
      '32x128x16 4x8': {
        busy: 0.8,
        alone: 1.153,
      },
      '16x256x32 8x4': {
        busy: 0.9727,
        alone: 1.198,
      },
      '16x128x32 8x2': {
        busy: 1.237,
        alone: 0.3172,
      },
      '16x128x32 4x4': {
        busy: 1.215,
        alone: 0.8004,
      },
      '4x256x16 4x2 registers': {
        busy: 0.8,
        alone: 20.17,
      },
      '4x256x32 4x2': {
        busy: 0.8068,
        alone: 1.909,
      },
      '4x128x32 4x1': {
        busy: 1.006,
        alone: 1.075,
      },
      '1x128x32 1x1 registers': {
        busy: 13.83,
        alone: 1.51,
      },
      '1x128x64 1x1': {
        busy: 1.188,
        alone: 1.486,
      },
      '2x128x32 2x1 registers': {
        busy: 5.838,
        alone: 1.518,
      },
      '8x128x32 4x2': {
        busy: 0.9437,
        alone: 1.572,
      },
      '8x256x32 2x8': {
        busy: 1.966,
        alone: 0.6113,
      },
      '8x256x32 4x4': {
        busy: 1.302,
        alone: 0.6988,
      },
      '128x16x32 4x4': {
        busy: 1.452,
        alone: 0.4644,
      },
      '256x4x32 2x4': {
        busy: 1.575,
        alone: 2.264,
      },
      '256x16x32 4x8': {
        busy: 0.8375,
        alone: 2.02,
      },
      '128x32x16 8x4': {
        busy: 0.8509,
        alone: 0.5657,
      },
      '128x16x32 2x8': {
        busy: 1.181,
        alone: 0.3451,
      },
      '128x1x32 1x1 registers': {
        busy: 1.85,
        alone: 1.515,
      },
      '256x8x32 4x4': {
        busy: 0.9835,
        alone: 1.508,
      },
      '128x1x64 1x1': {
        busy: 4.51,
        alone: 1.509,
      },
      '128x4x32 1x4': {
        busy: 1.045,
        alone: 3.414,
      },
      '256x8x32 8x2': {
        busy: 1.216,
        alone: 2.241,
      },
      '128x8x32 2x4': {
        busy: 0.8141,
        alone: 0.5505,
      },
    },
    errorPercent: 4,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
};
