/**
 * Order in which blocks process the tiles of C. Block indices increase along x first and are then
 * mapped by `raster`. kernel/wgmma/tileOrder.ts orders the tiles of `wgmma` kernels.
 */
import type { Plan } from './plan';

export interface TileOrder {
  readonly tilesM: number;
  readonly tilesN: number;
  /** Number of batch entries times split-K slices. Each slice is a contiguous range of blocks. */
  readonly slices: number;
  readonly tileAt: (block: number) => { readonly row: number; readonly column: number };
}

export function tileOrder(plan: Plan): TileOrder {
  const { grid, tiles, spec, gridMap } = plan;
  const inOrder = plan.family === 'simt' && plan.lanes === null;
  const xRows = gridMap === 'x-rows';
  const { m: tilesM, n: tilesN } = tiles;
  const { order = 'row', group = 1 } = spec.schedule.raster ?? {};
  const [along, across] = order === 'row' ? [tilesN, tilesM] : [tilesM, tilesN];
  const rastered = (block: number) => {
    const first = Math.floor(block / (group * along)) * group;
    const width = Math.min(across - first, group);
    const inGroup = block % (group * along);
    const [slow, fast] = [Math.floor(inGroup / width), first + (inGroup % width)];
    return order === 'row' ? { row: fast, column: slow } : { row: slow, column: fast };
  };
  const plain = (block: number) => {
    const [x, y] = [block % grid.x, Math.floor(block / grid.x)];
    return xRows ? { row: x, column: y } : { row: y, column: x };
  };
  return { tilesM, tilesN, slices: grid.z, tileAt: inOrder ? plain : rastered };
}
