/**
 * The block tile of the selected element, divided by warp; the elements of the selected warp and
 * thread are highlighted.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { cellsPath, warpCells, warpOf } from '../../src/core/charts/tileMap';
import type { Kernel } from '../../src/core/kernel/kernel';
import type { TileOfC } from '../../src/core/trace/tileOfC';
import { MapSurface, type SelectedPoint } from './mapSurface';
import { TileHandles, type TileEditing } from './tileHandle';

const SIDE_PX = 320;

export interface BlockMapProps {
  readonly kernel: Kernel;
  readonly tile: TileOfC;
  /** Thread index of each element, in row-major order. */
  readonly threads: Int32Array;
  readonly point: SelectedPoint;
  readonly onMove: (to: SelectedPoint) => void;
  /** Editing of an extent; null if the tiles cannot be edited. */
  readonly editing: TileEditing | null;
}

export function BlockMap(props: BlockMapProps): VNode {
  const { tile, threads, point, onMove } = props;
  const { rows, columns } = tile;
  const extent = { m: rows, n: columns };
  const warps = useMemo(() => warpCells(threads, extent), [threads, rows, columns]);
  const [row, column] = [point.row - tile.row, point.column - tile.column];
  const thread = threads[row * columns + column] ?? -1;
  const ofThread = useMemo(
    () => cellsPath(extent, cell => threads[cell] === thread),
    [threads, thread, rows, columns],
  );
  const scale = SIDE_PX / Math.max(rows, columns);
  return (
    <MapSurface
      label={t('Block tile of C: elements of the selected warp and thread')}
      width={columns * scale}
      height={rows * scale}
      point={point}
      step={{ row: 1, column: 1 }}
      pointAt={(x, y) => ({
        operand: 'c',
        row: tile.row + Math.max(0, Math.min(rows - 1, Math.floor(y / scale))),
        column: tile.column + Math.max(0, Math.min(columns - 1, Math.floor(x / scale))),
      })}
      onMove={onMove}
      handles={<WarpHandles {...props} warp={warpOf(thread)} />}
    >
      <g transform={`scale(${scale})`}>
        {warps.map(({ warp, path }, i) => (
          <path
            key={warp}
            class={warp === warpOf(thread) ? 'warp chosen' : `warp warp-${i % 2}`}
            d={path}
          />
        ))}
        <path class="thread" d={ofThread} />
        <rect class="element" x={column} y={row} width={1} height={1} />
      </g>
    </MapSurface>
  );
}

/** Handles of the tile of a warp, at the lower and the right end of its elements. */
function WarpHandles(props: BlockMapProps & { readonly warp: number }): VNode | null {
  const { kernel, tile, threads, editing, warp } = props;
  const { warp: extent } = kernel.spec.schedule;
  const { rows, columns } = tile;
  const first = useMemo(() => firstOf(threads, columns, warp), [threads, columns, warp]);
  if (editing === null || extent?.m === undefined || extent.n === undefined) return null;
  const end = {
    row: Math.min(rows, first.row + extent.m),
    column: Math.min(columns, first.column + extent.n),
  };
  return (
    <TileHandles
      kernel={kernel}
      level="warp"
      extent={{ rows: extent.m, columns: extent.n }}
      editing={editing}
      rows={{
        edge: {
          at: end.row / rows,
          from: first.column / columns,
          to: end.column / columns,
        },
        span: rows,
      }}
      columns={{
        edge: { at: end.column / columns, from: first.row / rows, to: end.row / rows },
        span: columns,
      }}
    />
  );
}

/** Returns the first row and the first column with an element of the warp. */
function firstOf(
  threads: Int32Array,
  columns: number,
  warp: number,
): { readonly row: number; readonly column: number } {
  let [row, column] = [Infinity, Infinity];
  threads.forEach((thread, cell) => {
    if (warpOf(thread) !== warp) return;
    row = Math.min(row, Math.floor(cell / columns));
    column = Math.min(column, cell % columns);
  });
  return Number.isFinite(row) ? { row, column } : { row: 0, column: 0 };
}
