/** Registers of the warp groups of `wgmma`, and sums that there is room for beside what else they need (ptxas of CUDA 13.0). */
import type { WgmmaPlan } from '../plan';

/** Blocks of one consumer have as many registers a thread as there are: nothing is shared out anew. */
const MOST_SUMS = {
  1: { alone: 192, columns: 192, clusteredPieces: 160, parts: 160 },
  2: { alone: 192, columns: 176, clusteredPieces: 160, parts: 128 },
  3: { alone: 96, columns: 96, clusteredPieces: 80, parts: 80 },
} as const;

export interface BesideSums extends Partial<Pick<WgmmaPlan, 'splitK' | 'pieces' | 'cluster'>> {
  /** A thread's sums go to columns of C that are each contiguous: their addresses are many. */
  readonly storesColumns?: boolean;
}

/** Sums that a thread of a consumer can hold and spill nothing: fewer of parts of K, of pieces in a cluster, and stored as columns. */
export function mostSums(
  consumers: number,
  { storesColumns = false, splitK = 1, pieces, cluster = { m: 1, n: 1 } }: BesideSums = {},
): number {
  const most = MOST_SUMS[consumers === 3 || consumers === 2 ? consumers : 1];
  if (splitK > 1) return most.parts;
  if (pieces !== undefined && cluster.m * cluster.n > 1) return most.clusteredPieces;
  return storesColumns ? most.columns : most.alone;
}

/** With more, boxes of C on their way through TMA want what a producer can do without. */
const MOST_ORDINARY_SUMS = 160;
export const areMany = (sums: number): boolean => sums > MOST_ORDINARY_SUMS;

/**
 * Registers after warp groups have shared them out anew, all that a multiprocessor has: what the producer gives back goes to those
 * that multiply. With 40 it spills where it shares panels in a cluster, and C is not stored by TMA.
 */
export function registersFor(
  { consumers, cluster, output, a, b }: Shared,
  sums: number,
): WgmmaPlan['registers'] {
  if (consumers === 1) return undefined;
  if (consumers === 3) return { producer: 56, consumer: 152 };
  const sharesPanels = cluster.m * cluster.n > 1 && (a.major === 'mn' || b.major === 'mn');
  return areMany(sums) && (output.by === 'tma' || !sharesPanels)
    ? { producer: 40, consumer: 232 }
    : { producer: 56, consumer: 224 };
}
type Shared = Pick<WgmmaPlan, 'consumers' | 'cluster' | 'output' | 'a' | 'b'>;
