/**
 * Grid of locations. The pointer or the arrow keys select a cell, and the text below describes it.
 */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';

export interface PlaceCell {
  readonly text: string;
  /** Second line of the cell. */
  readonly detail?: string;
  /** Number of the background color, below 8. */
  readonly tint?: number;
  /** Group of the cell. All cells in the group of the selected cell are highlighted. */
  readonly group: string;
  readonly told: string;
}

export interface PlaceRow {
  readonly head: string;
  readonly cells: readonly PlaceCell[];
}

export interface PlaceGridProps {
  /** Accessible name. */
  readonly label: string;
  readonly corner: string;
  readonly columns: readonly string[];
  readonly rows: readonly PlaceRow[];
}

interface Place {
  readonly row: number;
  readonly column: number;
}

const STEPS: Readonly<Record<string, Place>> = {
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
  Home: { row: 0, column: -Infinity },
  End: { row: 0, column: Infinity },
};

const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

export function PlaceGrid({ label, corner, columns, rows }: PlaceGridProps): VNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const [chosen, setChosen] = useState<Place>({ row: 0, column: 0 });
  // The next kernel may have a smaller grid, so clamp the selection.
  const at = {
    row: within(chosen.row, rows.length),
    column: within(chosen.column, columns.length),
  };
  const shown = rows[at.row]?.cells[at.column];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = {
      row: within(at.row + step.row, rows.length),
      column: within(at.column + step.column, columns.length),
    };
    setChosen(to);
    body.current?.rows[to.row]?.querySelectorAll('td')[to.column]?.focus();
  };
  return (
    <div class="place-grid">
      <div class="table">
        <table class="banks places" role="grid" aria-label={label} aria-readonly="true">
          <thead>
            <tr>
              <th scope="col">{corner}</th>
              {columns.map(column => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={onKeyDown}>
            {rows.map(({ head, cells }, row) => (
              <tr key={head}>
                <th scope="row">{head}</th>
                {cells.map(({ text, detail = '', tint, group }, column) => {
                  const isChosen = row === at.row && column === at.column;
                  const choose = () => {
                    setChosen({ row, column });
                  };
                  return (
                    <td
                      key={column}
                      class={classOf(isChosen, group === shown?.group, tint)}
                      tabIndex={isChosen ? 0 : -1}
                      // Use onPointerMove, not onPointerEnter, so that scrolling under a resting
                      // pointer keeps the keyboard selection.
                      onPointerMove={choose}
                      onFocus={choose}
                    >
                      {text}
                      {detail === '' ? null : <small>{detail}</small>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="readout" role="status">
        {shown?.told}
      </p>
    </div>
  );
}

const classOf = (
  isChosen: boolean,
  isAlike: boolean,
  tint: number | undefined,
): string | undefined =>
  [
    isChosen ? 'served chosen' : isAlike ? 'served' : '',
    tint === undefined ? '' : `tint tint-${tint}`,
  ]
    .filter(name => name !== '')
    .join(' ') || undefined;
