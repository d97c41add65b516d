/** The thread block that computes a tile of C: the inverse of the tile order. */
import type { Dim3, Plan } from '../plan/plan';
import { tileOrder } from '../plan/tileOrder';

/** Tile of C, in units of the block tile. */
export interface TilePosition {
  readonly row: number;
  readonly column: number;
}

/**
 * Returns a function from a tile, a batch entry and a split-K slice to the block index. Not for
 * `wgmma`, whose blocks loop over tiles.
 */
export function blockLookup(
  plan: Plan,
): (tile: TilePosition, entry: number, slice: number) => Dim3 {
  const { tilesM, tilesN, tileAt } = tileOrder(plan);
  const { grid, split } = plan;
  const blockOfTile = new Int32Array(tilesM * tilesN);
  for (let block = 0; block < blockOfTile.length; block++) {
    const { row, column } = tileAt(block);
    blockOfTile[row * tilesN + column] = block;
  }
  return ({ row, column }, entry, slice) => {
    const block = blockOfTile[row * tilesN + column] ?? 0;
    return {
      x: block % grid.x,
      y: Math.floor(block / grid.x),
      z: entry * (split?.slices ?? 1) + slice,
    };
  };
}
