/** Saved picture of the grids of a layout. */
import { t } from '@vscode/l10n';
import type { GridWindow, LayoutGrid } from '../../src/core/charts/layoutGrid';
import { gridsSvg, MAX_PICTURE_CELLS } from '../../src/core/charts/layoutPicture';
import type { Picture } from '../picture';

export interface LayoutDrawing {
  readonly title: string;
  readonly gridOf: (window: GridWindow) => LayoutGrid;
}

const WHOLE: GridWindow = { row: 0, column: 0, rows: Infinity, columns: Infinity };

/** A large layout is saved in part: the cells that the page shows. */
export const layoutPicture = (
  drawings: readonly LayoutDrawing[],
  lines: readonly string[],
  window: GridWindow,
): Picture => ({
  name: 'layout',
  svg: theme => {
    const grids = drawings.map(({ title, gridOf }) => {
      const shown = gridOf(window);
      return shown.rows * shown.columns <= MAX_PICTURE_CELLS
        ? { title, grid: gridOf(WHOLE) }
        : { title: `${title}: ${partText(shown)}`, grid: shown };
    });
    return gridsSvg(drawings.at(-1)?.title ?? '', grids, theme, { lines });
  },
});

const partText = ({ window: { row, column, rows, columns } }: LayoutGrid): string =>
  t('rows {0} to {1}, columns {2} to {3}', row, row + rows - 1, column, column + columns - 1);
