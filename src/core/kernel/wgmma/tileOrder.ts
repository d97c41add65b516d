/**
 * Tile scheduler of `wgmma`: the tiles of C that each block computes, in order
 * (shaders/cuda/wgmma/tiles.cuh).
 */
import type { ResolvedProblem } from '../../spec/resolved';
import type { WgmmaModel } from './model';
import { clusterSides, tileCount } from '../../plan/tileCount';

export interface BlockTile {
  /** First row and column of the tile in C. */
  readonly m: number;
  readonly n: number;
  readonly product: number;
  /** Slice of K with two-pass split-K; otherwise 0. */
  readonly slice: number;
}

interface Of {
  /** The computed problem (see `computed` in model.ts). */
  readonly problem: ResolvedProblem;
  readonly model: WgmmaModel;
}

/**
 * Yields the tiles of one block in order, including tiles outside C in partial cluster tiles. If a
 * cluster reduces split-K slices, only its blocks of slice 0 yield tiles. With two-pass split-K, a
 * tile is yielded once per slice.
 */
export function* blockTiles({ problem, model }: Of, block: number): Generator<BlockTile> {
  const { tile, cluster, blocks, splitK, twoPass: { slices } = { slices: 1 } } = model;
  const size = cluster.m * cluster.n * splitK;
  const rank = block % size;
  if (rank >= cluster.m * cluster.n) return;
  const { m: rows, n: columns } = tileCount(problem, clusterSides(tile, cluster));
  const total = rows * columns * problem.batch * slices;
  for (let index = Math.floor(block / size); index < total; index += blocks / size) {
    const part = Math.floor(index / (rows * columns));
    const [m, n] = clusterTile(index % (rows * columns), rows, columns, model.raster);
    yield {
      m: (m * cluster.m + (rank % cluster.m)) * tile.m,
      n: (n * cluster.n + Math.floor(rank / cluster.m)) * tile.n,
      product: Math.floor(part / slices),
      slice: part % slices,
    };
  }
}

/**
 * Returns the coordinates of the cluster tile at position `index` of the raster order: groups of
 * `group` rows, column by column, or of `group` columns, row by row.
 */
export function clusterTile(
  index: number,
  rows: number,
  columns: number,
  { order, group }: WgmmaModel['raster'],
): readonly [m: number, n: number] {
  if (order === 'col') {
    const [n, m] = clusterTile(index, columns, rows, { order: 'row', group });
    return [m, n];
  }
  const strip = Math.floor(index / (group * columns));
  const inStrip = index - strip * group * columns;
  const height = Math.min(group, rows - strip * group);
  return [strip * group + (inStrip % height), Math.floor(inStrip / height)];
}
