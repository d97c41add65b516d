/** Cells of a layout, of which a window of rows and columns is shown at a time. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import type { LayoutGrid } from '../../src/core/charts/layoutGrid';
import { PlaceGrid } from './placeGrid';

export interface WindowStart {
  readonly row: number;
  readonly column: number;
}

export interface LayoutCellsProps {
  readonly title: string;
  /** Whether the caption has the title. */
  readonly isTitled: boolean;
  readonly grid: LayoutGrid;
  readonly onStart: (start: WindowStart) => void;
}

export function LayoutCells({ title, isTitled, grid, onStart }: LayoutCellsProps): VNode {
  const { rows, columns, window, cells } = grid;
  const isPart = window.rows < rows || window.columns < columns;
  return (
    <figure class="request">
      <figcaption>
        {isTitled ? `${title}: ` : ''}
        {isPart
          ? t('{0} x {1} cells, in part', rows, columns)
          : t('{0} x {1} cells', rows, columns)}
      </figcaption>
      {isPart ? (
        <div class="tile-element">
          <Start
            label={t('first row')}
            value={window.row}
            step={16}
            most={rows - 1}
            onValue={row => {
              onStart({ row, column: window.column });
            }}
          />
          <Start
            label={t('first column')}
            value={window.column}
            step={16}
            most={columns - 1}
            onValue={column => {
              onStart({ row: window.row, column });
            }}
          />
        </div>
      ) : null}
      <PlaceGrid
        label={title}
        corner={t('row')}
        columns={Array.from({ length: window.columns }, (_, i) => `${window.column + i}`)}
        rows={cells.map((row, i) => ({
          head: `${window.row + i}`,
          cells: row.map(({ text, detail, group, tint, told }) => ({
            text,
            detail,
            told,
            group: `${group}`,
            ...(tint < 0 ? {} : { tint }),
          })),
        }))}
      />
    </figure>
  );
}

interface StartProps {
  readonly label: string;
  readonly value: number;
  readonly step: number;
  readonly most: number;
  readonly onValue: (value: number) => void;
}

const Start = ({ label, value, step, most, onValue }: StartProps): VNode => (
  <label>
    {label}
    <input
      type="number"
      min={0}
      max={most}
      step={step}
      value={value}
      onInput={event => {
        const next = event.currentTarget.valueAsNumber;
        if (Number.isInteger(next) && next >= 0 && next <= most) onValue(next);
      }}
    />
  </label>
);
