/** A grid of cells, each of one kind; the legend of the picture gives the kinds. */
import type { VNode } from 'preact';
import { cellsPath } from '../../src/core/charts/tileMap';

/** Class names of the cells in media/explorer/blockSteps.css. */
export const CELL_KINDS = [
  'even',
  'odd',
  'in-flight',
  'padding',
  'read',
  'written',
  'followed',
] as const;
export type CellKind = (typeof CELL_KINDS)[number];

export interface CellGridProps {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** Kind of each cell, row-major; null for an empty cell. */
  readonly kindAt: (row: number, column: number) => CellKind | null;
  /** Side of a cell in pixels. */
  readonly cellPx: number;
  readonly onChoose?: (row: number, column: number) => void;
}

export function CellGrid(props: CellGridProps): VNode {
  const { name, rows, columns, kindAt, cellPx, onChoose } = props;
  const kinds = Array.from({ length: rows * columns }, (_, cell) =>
    kindAt(Math.floor(cell / columns), cell % columns),
  );
  return (
    <figure class="cells">
      <figcaption>
        {name} <span class="quiet">{`${rows} x ${columns}`}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${columns} ${rows}`}
        width={columns * cellPx}
        height={rows * cellPx}
        aria-hidden="true"
        onClick={event => {
          const box = event.currentTarget.getBoundingClientRect();
          const at = (offset: number, size: number, count: number): number =>
            Math.max(0, Math.min(count - 1, Math.floor((offset / size) * count)));
          onChoose?.(
            at(event.clientY - box.top, box.height, rows),
            at(event.clientX - box.left, box.width, columns),
          );
        }}
      >
        <rect class="cell-empty" width={columns} height={rows} />
        {CELL_KINDS.map(kind => (
          <path
            key={kind}
            class={`cell-${kind}`}
            d={cellsPath({ m: rows, n: columns }, cell => kinds[cell] === kind)}
          />
        ))}
      </svg>
    </figure>
  );
}
