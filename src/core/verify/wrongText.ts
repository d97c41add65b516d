/** Describes a wrong result as text and as a character map. */
import { t } from '@vscode/l10n';
import { grouped } from '../text/numbers';
import type { Measurement } from '../measure/measurement';
import { bitsOf, type BitMap, type WrongMap } from '../measure/wrongMap';
import { patternsOf } from './patterns';
import { setBits } from './shapes';

export function wrongSummary({ kinds, tiles, tile, fold }: WrongMap): string {
  const cells = setBits(tiles).length;
  const elements = kinds.unwritten + kinds.notFinite + kinds.wrong;
  const size = `${tile.m * fold} x ${tile.n * fold}`;
  const all = tiles.rows * tiles.columns;
  return t(
    '{0} wrong elements found in {1} of {2} tiles ({3} elements each).',
    grouped(elements),
    grouped(cells),
    grouped(all),
    size,
  );
}

/** Formats each finding as three sentences: title, evidence and code to check. */
export const patternLines = (run: Measurement): readonly string[] =>
  patternsOf(run).map(({ title, reason, look }) => `${title} ${reason} ${look}`);

export interface BitPicture {
  readonly lines: readonly string[];
  /** Rows and columns of the map per character. */
  readonly rows: number;
  readonly columns: number;
}

const MAX_SIDE = { rows: 24, columns: 64 } as const;

/** Draws a map: `#` marks cells with wrong elements, `.` marks all other cells. */
export function bitPicture(map: BitMap): BitPicture {
  const is = bitsOf(map);
  const rows = Math.ceil(map.rows / MAX_SIDE.rows);
  const columns = Math.ceil(map.columns / MAX_SIDE.columns);
  const any = (row: number, column: number): boolean => {
    for (let r = row; r < Math.min(map.rows, row + rows); r++)
      for (let c = column; c < Math.min(map.columns, column + columns); c++)
        if (is(r, c)) return true;
    return false;
  };
  const lines: string[] = [];
  for (let row = 0; row < map.rows; row += rows) {
    let line = '';
    for (let column = 0; column < map.columns; column += columns)
      line += any(row, column) ? '#' : '.';
    lines.push(line);
  }
  return { lines, rows, columns };
}

/**
 * Formats a wrong result for a terminal: summary, tiles of C, and positions within a tile. Returns
 * an empty string without a map of wrong elements.
 */
export function wrongText(run: Measurement): string {
  const { wrong } = run.verification;
  if (wrong === undefined) return '';
  const { tile, fold } = wrong;
  const picture = (of: string, map: BitMap, unit: (p: BitPicture) => string): readonly string[] => {
    const drawn = bitPicture(map);
    return ['', `${of}, ${unit(drawn)}:`, ...drawn.lines.map(line => `  ${line}`)];
  };
  const places = [
    'Positions that are wrong in at least one tile',
    wrong.within,
    ({ rows, columns }: BitPicture) => `one character is ${rows} x ${columns} elements`,
  ] as const;
  return [
    wrongSummary(wrong),
    ...patternLines(run).map(line => `- ${line}`),
    ...picture('C', wrong.tiles, ({ rows, columns }) => {
      return `one character is ${rows * fold * tile.m} x ${columns * fold * tile.n} elements`;
    }),
    ...(setBits(wrong.within).length === 0 ? [] : picture(...places)),
  ].join('\n');
}
