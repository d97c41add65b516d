/** Block tiles of C. */
import type { Kernel } from '../kernel/kernel';
import type { Plan } from '../plan/plan';
import type { Element } from './owner';

/** A block tile, clipped to C. */
export interface TileOfC {
  readonly entry: number;
  /** First row and column. */
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Returns the extent of the block tile along the rows and columns of C, also with swap-AB, because
 * `block` refers to C.
 */
export const tileExtent = ({
  tile: { m, n },
}: Plan): { readonly rows: number; readonly columns: number } => ({ rows: m, columns: n });

export function tileAround({ plan, problem }: Kernel, { entry, row, column }: Element): TileOfC {
  const { rows, columns } = tileExtent(plan);
  const first = {
    row: Math.floor(row / rows) * rows,
    column: Math.floor(column / columns) * columns,
  };
  return {
    entry,
    ...first,
    rows: Math.min(rows, problem.m - first.row),
    columns: Math.min(columns, problem.n - first.column),
  };
}
