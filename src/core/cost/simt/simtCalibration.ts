/** Fitted constants of the time model that chooses SIMT schedules. */
import type { DeviceId } from '../../hardware/devices';
import type { ShapeClass } from '../shapeClass';

/** Constants of one tile; both are multiples of the FMA time of a k-iteration. */
export interface TileConstants {
  /** SM time per k-iteration of a block with all blocks of the SM resident, without copies. */
  readonly busy: number;
  /** Time per k-iteration of a block that is alone on its SM. */
  readonly alone: number;
  /**
   * Fraction of the free slots of an SM that the block scheduler also fills in a last round with
   * fewer blocks than slots. 0 distributes these blocks evenly over all SMs.
   */
  readonly refill: number;
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

export const SIMT: Readonly<Record<ShapeClass, SimtCalibration>> = {
  general: {
    copy4Cycles: 0.5095,
    copy2Cycles: 1.818,
    copy1Cycles: 1.809,
    transposedCycles: 2.361,
    stridedCycles: 4,
    irregularCycles: 2.094,
    stepCycles: 6.768,
    l2BytesPerCycle: 230.6,
    latencyCycles: 118.1,
    blockCycles: 116.7,
    vectorStoreBytesPerCycle: 189.4,
    scalarStoreBytesPerCycle: 32.47,
    overlap: 1.441,
    reducedGBps: 2404,
    launchMicroseconds: 2.999,
    reductionMicroseconds: 0.5121,
    tiles: {
      '64x128x16 8x8': { busy: 1.184, alone: 0.5567, refill: 0.0196 },
      '128x64x16 8x8': { busy: 1.183, alone: 0.6301, refill: 0.02045 },
      '128x128x16 8x8': { busy: 1.205, alone: 0.3, refill: 0.01613 },
      '96x128x16 12x8': { busy: 1.158, alone: 0.4779, refill: 0.01805 },
      '128x128x16 16x8': { busy: 0.9364, alone: 1.116, refill: 0.8337 },
      '64x64x16 8x4': { busy: 1.279, alone: 0.4067, refill: 0.02864 },
      '32x128x16 4x8': { busy: 1.341, alone: 0.3011, refill: 0.02754 },
      '64x64x32 8x4': { busy: 1.336, alone: 0.4235, refill: 0.02395 },
      '128x128x8 8x8': { busy: 1.222, alone: 0.3158, refill: 0.03575 },
      '256x128x8 16x8': { busy: 0.9127, alone: 0.5768, refill: 0.4 },
      '128x256x8 8x16': { busy: 0.913, alone: 0.5885, refill: 0.4 },
      '160x128x8 20x8': { busy: 1.142, alone: 0.3396, refill: 0.8746 },
      '128x32x16 8x4': { busy: 1.301, alone: 0.3424, refill: 0.0241 },
      '32x64x16 4x4': { busy: 1.568, alone: 0.4499, refill: 0.02684 },
      '32x128x32 8x4': { busy: 1.407, alone: 0.7227, refill: 1 },
      '256x64x8 16x8': { busy: 1.153, alone: 0.4145, refill: 0.5722 },
      '128x64x8 8x8': { busy: 1.263, alone: 0.4126, refill: 0.03426 },
      '96x128x8 12x8': { busy: 1.16, alone: 0.475, refill: 0.02274 },
      '64x64x8 8x4': { busy: 1.317, alone: 0.3953, refill: 0.02436 },
      '64x128x8 8x8': { busy: 1.211, alone: 0.4182, refill: 0.01815 },
      '32x128x8 4x8': { busy: 1.327, alone: 0.3545, refill: 0.03632 },
      '64x256x8 8x16': { busy: 1.179, alone: 0.305, refill: 0.4967 },
      '128x96x8 8x12': { busy: 1.255, alone: 0.493, refill: 0.03323 },
    },
    errorPercent: 4,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
  flat: {
    copy4Cycles: 0.255,
    copy2Cycles: 7.255,
    copy1Cycles: 12.85,
    transposedCycles: 7.785,
    stridedCycles: 10.87,
    irregularCycles: 4,
    stepCycles: 1.672,
    l2BytesPerCycle: 21.54,
    latencyCycles: 182.7,
    blockCycles: 202.4,
    vectorStoreBytesPerCycle: 316.7,
    scalarStoreBytesPerCycle: 9.24,
    overlap: 2.627,
    reducedGBps: 810.3,
    launchMicroseconds: 3.096,
    reductionMicroseconds: 1.021,
    tiles: {
      '32x128x16 4x8': { busy: 0.8, alone: 1.146, refill: 0.01218 },
      '16x256x32 8x4': { busy: 0.9569, alone: 1.13, refill: 0.5022 },
      '16x128x32 8x2': { busy: 1.226, alone: 0.3121, refill: 0.8116 },
      '16x128x32 4x4': { busy: 1.21, alone: 0.4288, refill: 0.9163 },
      '4x256x16 4x2 registers': { busy: 0.8, alone: 20.25, refill: 0.09447 },
      '4x256x32 4x2': { busy: 0.839, alone: 2.246, refill: 0.4 },
      '4x128x32 4x1': { busy: 0.8332, alone: 0.9639, refill: 0.4296 },
      '1x128x32 1x1 registers': { busy: 1.253, alone: 1.51, refill: 0.3412 },
      '1x128x64 1x1': { busy: 1.196, alone: 1.496, refill: 0.4 },
      '2x128x32 2x1 registers': { busy: 5.198, alone: 1.517, refill: 0.4 },
      '8x128x32 4x2': { busy: 0.9616, alone: 1.475, refill: 0.03285 },
      '8x256x32 2x8': { busy: 2.018, alone: 0.6339, refill: 0.4 },
      '8x256x32 4x4': { busy: 1.356, alone: 0.6989, refill: 0.4 },
      '128x16x32 4x4': { busy: 1.435, alone: 0.4297, refill: 0.8074 },
      '256x4x32 2x4': { busy: 1.695, alone: 2.237, refill: 0.4 },
      '256x16x32 4x8': { busy: 0.8495, alone: 1.997, refill: 0.4015 },
      '128x32x16 8x4': { busy: 0.8543, alone: 0.5658, refill: 0.03023 },
      '128x16x32 2x8': { busy: 1.162, alone: 0.323, refill: 0.9599 },
      '128x1x32 1x1 registers': { busy: 1.749, alone: 1.514, refill: 0.6214 },
      '256x8x32 4x4': { busy: 1.004, alone: 1.697, refill: 0.4 },
      '128x1x64 1x1': { busy: 5.548, alone: 1.508, refill: 0.4 },
      '128x4x32 1x4': { busy: 1.095, alone: 2.287, refill: 0.06205 },
      '256x8x32 8x2': { busy: 1.277, alone: 2.25, refill: 0.4 },
      '128x8x32 2x4': { busy: 0.8232, alone: 0.5533, refill: 0.01076 },
    },
    errorPercent: 4,
    fittedOn: ['h200', 'h100-sxm'],
    origin: 'fitted to interleaved benchmarks of two thirds of the shapes (bench/simt-model.json)',
  },
};
