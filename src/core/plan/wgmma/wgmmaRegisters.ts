/**
 * Registers of `wgmma` warp groups, and the maximum number of accumulators without spills (measured
 * with ptxas of CUDA 13.0).
 */
import type { WgmmaPlan } from './wgmmaPlan';

/**
 * Maximum number of accumulators per thread, by number of consumers. Blocks with one consumer do
 * not use setmaxnreg.
 */
const MAX_ACCUMULATORS = {
  1: { alone: 192, columns: 192, clusteredPieces: 160, parts: 160 },
  2: { alone: 192, columns: 176, clusteredPieces: 160, parts: 128 },
  3: { alone: 96, columns: 96, clusteredPieces: 80, parts: 80 },
} as const;

export interface AccumulatorContext extends Partial<
  Pick<WgmmaPlan, 'splitK' | 'fp32Emulation' | 'cluster'>
> {
  /** Whether columns of the accumulators are contiguous in C, which requires many addresses. */
  readonly storesColumns?: boolean;
}

/**
 * Returns the maximum number of accumulators per consumer thread without spills. Split-K, FP32
 * emulation in clusters, and column-major C reduce the maximum.
 */
export function maxAccumulators(
  consumers: number,
  {
    storesColumns = false,
    splitK = 1,
    fp32Emulation,
    cluster = { m: 1, n: 1 },
  }: AccumulatorContext = {},
): number {
  const most = MAX_ACCUMULATORS[consumers === 3 || consumers === 2 ? consumers : 1];
  if (splitK > 1) return most.parts;
  if (fp32Emulation !== undefined && cluster.m * cluster.n > 1) return most.clusteredPieces;
  return storesColumns ? most.columns : most.alone;
}

/**
 * Maximum number of accumulators with the default division of registers. With more accumulators, a
 * TMA epilogue requires additional registers, which the producer releases.
 */
const MAX_ORDINARY_ACCUMULATORS = 160;
export const areMany = (sums: number): boolean => sums > MAX_ORDINARY_ACCUMULATORS;

/**
 * Returns the register counts for setmaxnreg; undefined for one consumer. With 40 registers, the
 * producer spills if the blocks of a cluster share MN-major tiles and C is stored from registers.
 */
export function registersFor(
  { consumers, cluster, output, a, b }: Shared,
  sums: number,
): WgmmaPlan['registers'] {
  if (consumers === 1) return undefined;
  if (consumers === 3) return { producer: 56, consumer: 152 };
  const sharesPanels = cluster.m * cluster.n > 1 && (a.major === 'mn' || b.major === 'mn');
  return areMany(sums) && (output.by !== 'registers' || !sharesPanels)
    ? { producer: 40, consumer: 232 }
    : { producer: 56, consumer: 224 };
}
type Shared = Pick<WgmmaPlan, 'consumers' | 'cluster' | 'output' | 'a' | 'b'>;
