/**
 * The block tile of the selected element, divided by warp; the elements of the selected warp and
 * thread are highlighted.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { cellsPath } from '../../src/core/charts/tileMap';
import { WARP_LANES } from '../../src/core/hardware/warp';
import type { Element } from '../../src/core/trace/owner';
import type { TileOfC } from '../../src/core/trace/tileOfC';
import { MapSurface } from './mapSurface';

const SIDE_PX = 320;

export interface BlockMapProps {
  readonly tile: TileOfC;
  /** Thread index of each element, in row-major order. */
  readonly threads: Int32Array;
  readonly element: Element;
  readonly onMove: (to: Element) => void;
}

const warpOf = (thread: number): number => Math.floor(thread / WARP_LANES);

export function BlockMap({ tile, threads, element, onMove }: BlockMapProps): VNode {
  const { rows, columns } = tile;
  const extent = { m: rows, n: columns };
  const warps = useMemo(() => {
    const numbers = [...new Set(Array.from(threads, warpOf))].sort((one, other) => one - other);
    return numbers.map(warp => ({
      warp,
      path: cellsPath(extent, cell => warpOf(threads[cell] ?? -1) === warp),
    }));
  }, [threads, rows, columns]);
  const [row, column] = [element.row - tile.row, element.column - tile.column];
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
      element={element}
      step={{ row: 1, column: 1 }}
      elementAt={(x, y) => ({
        row: tile.row + Math.max(0, Math.min(rows - 1, Math.floor(y / scale))),
        column: tile.column + Math.max(0, Math.min(columns - 1, Math.floor(x / scale))),
      })}
      onMove={onMove}
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
