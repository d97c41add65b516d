/** Number of tiles that cover C; the only division of problem sizes by tile sizes. */

/** Elements or tiles along M and N. */
export interface Sides {
  readonly m: number;
  readonly n: number;
}

/**
 * Returns the tiles of C along M and N, including partial boundary tiles. A plan stores them as
 * `plan.tiles`.
 */
export const tileCount = (problem: Sides, tile: Sides): Sides => ({
  m: Math.ceil(problem.m / tile.m),
  n: Math.ceil(problem.n / tile.n),
});

/** Returns the extent of C that one cluster of blocks computes. */
export const clusterSides = (tile: Sides, cluster: Sides): Sides => ({
  m: tile.m * cluster.m,
  n: tile.n * cluster.n,
});
