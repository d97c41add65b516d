/**
 * Computes the number of tiles that cover C. Other files use `tileCount` instead of dividing M or N
 * by tile dimensions.
 */

export interface Sides {
  readonly m: number;
  readonly n: number;
}

/** Returns the number of tiles along M and N, including partial tiles. */
export const tileCount = (problem: Sides, tile: Sides): Sides => ({
  m: Math.ceil(problem.m / tile.m),
  n: Math.ceil(problem.n / tile.n),
});

export const clusterSides = (tile: Sides, cluster: Sides): Sides => ({
  m: tile.m * cluster.m,
  n: tile.n * cluster.n,
});
