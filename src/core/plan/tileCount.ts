/** How many tiles cover C: the one place that divides a problem's sizes by a tile's. */

/** Elements along M and N, or tiles along them. */
export interface Sides {
  readonly m: number;
  readonly n: number;
}

/** Returns the tiles of C along M and N; those at the edge may reach past it. A plan has them as `plan.tiles`. */
export const tileCount = (problem: Sides, tile: Sides): Sides => ({
  m: Math.ceil(problem.m / tile.m),
  n: Math.ceil(problem.n / tile.n),
});

/** Returns the part of C that one cluster of blocks computes. */
export const clusterSides = (tile: Sides, cluster: Sides): Sides => ({
  m: tile.m * cluster.m,
  n: tile.n * cluster.n,
});
