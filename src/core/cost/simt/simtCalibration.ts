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
  readonly storedBytesPerCycle: number;
  readonly scatteredBytesPerCycle: number;
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
    copy4Cycles: 0.5611,
    copy2Cycles: 0.9133,
    copy1Cycles: 2.851,
    transposedCycles: 2.185,
    stridedCycles: 4,
    irregularCycles: 7.914,
    stepCycles: 101.8,
    l2BytesPerCycle: 36.32,
    latencyCycles: 99.24,
    blockCycles: 50.99,
    storedBytesPerCycle: 30.01,
    scatteredBytesPerCycle: 5.63,
    overlap: 2.408,
    reducedGBps: 2495,
    launchMicroseconds: 4.077,
    reductionMicroseconds: 0.4783,
    tiles: {
      '128x256x16 8x16': {
        busy: 0.8773,
        alone: 1.006,
      },
      '256x128x16 16x8': {
        busy: 1.151,
        alone: 0.4738,
      },
      '64x128x16 8x8': {
        busy: 1.181,
        alone: 0.623,
      },
      '128x64x16 8x8': {
        busy: 1.18,
        alone: 0.7674,
      },
      '128x128x16 8x8': {
        busy: 1.208,
        alone: 0.3,
      },
      '96x128x16 12x8': {
        busy: 1.161,
        alone: 0.7028,
      },
      '64x256x16 8x16': {
        busy: 0.8092,
        alone: 2.089,
      },
      '128x128x16 16x8': {
        busy: 0.8013,
        alone: 2.067,
      },
      '160x128x16 20x8': {
        busy: 0.983,
        alone: 1.848,
      },
      '64x64x16 8x4': {
        busy: 1.223,
        alone: 0.5998,
      },
      '32x128x16 4x8': {
        busy: 1.27,
        alone: 0.3204,
      },
      '64x64x32 8x4': {
        busy: 1.313,
        alone: 0.7828,
      },
      '128x32x16 8x4': {
        busy: 1.247,
        alone: 0.5556,
      },
      '32x64x16 4x4': {
        busy: 1.398,
        alone: 0.4873,
      },
      '128x96x16 8x12': {
        busy: 1.211,
        alone: 1.035,
      },
      '256x64x16 16x8': {
        busy: 0.8093,
        alone: 2.14,
      },
      '32x128x32 8x4': {
        busy: 1.533,
        alone: 0.5374,
      },
    },
    errorPercent: 6,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
  flat: {
    copy4Cycles: 0.25,
    copy2Cycles: 5.365,
    copy1Cycles: 11.81,
    transposedCycles: 7.671,
    stridedCycles: 10.8,
    irregularCycles: 4,
    stepCycles: 1.733,
    l2BytesPerCycle: 21.63,
    latencyCycles: 789.9,
    blockCycles: 1181,
    storedBytesPerCycle: 284.2,
    scatteredBytesPerCycle: 8.735,
    overlap: 2.601,
    reducedGBps: 804.3,
    launchMicroseconds: 2.356,
    reductionMicroseconds: 1.012,
    tiles: {
      '32x128x16 4x8': {
        busy: 0.8,
        alone: 1.162,
      },
      '16x256x32 8x4': {
        busy: 1.005,
        alone: 1.193,
      },
      '16x128x32 8x2': {
        busy: 1.273,
        alone: 0.3251,
      },
      '16x128x32 4x4': {
        busy: 1.245,
        alone: 0.7932,
      },
      '4x256x16 4x2 registers': {
        busy: 0.8,
        alone: 20.18,
      },
      '4x256x32 4x2': {
        busy: 0.9152,
        alone: 2.253,
      },
      '4x128x32 4x1': {
        busy: 1.14,
        alone: 1.117,
      },
      '1x128x32 1x1 registers': {
        busy: 14.6,
        alone: 1.511,
      },
      '1x128x64 1x1': {
        busy: 1.187,
        alone: 1.485,
      },
      '2x128x32 2x1 registers': {
        busy: 5.974,
        alone: 1.52,
      },
      '8x128x32 4x2': {
        busy: 1.006,
        alone: 1.608,
      },
      '8x256x32 2x8': {
        busy: 2.016,
        alone: 0.6018,
      },
      '8x256x32 4x4': {
        busy: 1.353,
        alone: 0.7035,
      },
      '128x16x32 4x4': {
        busy: 1.471,
        alone: 0.4446,
      },
      '256x4x32 2x4': {
        busy: 1.644,
        alone: 2.324,
      },
      '256x16x32 4x8': {
        busy: 0.8568,
        alone: 2.003,
      },
      '128x32x16 8x4': {
        busy: 0.8703,
        alone: 0.5247,
      },
      '128x16x32 2x8': {
        busy: 1.209,
        alone: 0.3029,
      },
      '128x1x32 1x1 registers': {
        busy: 1.871,
        alone: 1.516,
      },
      '256x8x32 4x4': {
        busy: 1.007,
        alone: 1.592,
      },
      '128x1x64 1x1': {
        busy: 4.881,
        alone: 1.51,
      },
      '128x4x32 1x4': {
        busy: 1.129,
        alone: 3.381,
      },
      '256x8x32 8x2': {
        busy: 1.217,
        alone: 2.341,
      },
      '128x8x32 2x4': {
        busy: 0.8458,
        alone: 0.5425,
      },
    },
    errorPercent: 4,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
};
