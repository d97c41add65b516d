/** Split-K in a cluster, whose blocks exchange accumulators through distributed shared memory. */

/**
 * Granularity of the columns that a block reduces. Each lane holds two of every 8 columns (PTX ISA,
 * "Register Fragments for wgmma.mma_async.m64nNk16").
 */
const COLUMNS_PER_SHARE = 8;
const SUM_BYTES = 4;

/**
 * Returns the number of slices whose blocks reduce equal parts of the columns of a tile: as many as
 * possible. The blocks of the other slices only send their accumulators. A tile with 8 columns has
 * one such block.
 */
export function reducersOf(columns: number, slices: number): number {
  const shares = columns / COLUMNS_PER_SHARE;
  for (let count = slices; count > 1; count--) if (shares % count === 0) return count;
  return 1;
}

/** Returns the bytes of accumulators that a reducing block receives, with room for its own. */
export const exchangedBytes = (
  { m, n }: Readonly<Record<'m' | 'n', number>>,
  slices: number,
): number => (m * n * SUM_BYTES * slices) / reducersOf(n, slices);
