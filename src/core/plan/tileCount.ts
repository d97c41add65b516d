/**
 * Computes the number of tiles that cover C. Other files use `tileCount` instead of dividing M or N
 * by tile dimensions.
 */

/** Counts along M and N, in elements or tiles. */
export interface Sides {
  readonly m: number;
  readonly n: number;
}

/**
 * Returns the number of tiles along M and N, including partial tiles. A plan stores it as
 * `plan.tiles`.
 */
export const tileCount = (problem: Sides, tile: Sides): Sides => ({
  m: Math.ceil(problem.m / tile.m),
  n: Math.ceil(problem.n / tile.n),
});

/** Returns the number of rows and columns of C that a cluster computes. */
export const clusterSides = (tile: Sides, cluster: Sides): Sides => ({
  m: tile.m * cluster.m,
  n: tile.n * cluster.n,
});
