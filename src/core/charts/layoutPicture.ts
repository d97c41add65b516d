/**
 * Draws the offsets of a layout as an SVG grid, in the colors of CuTe's print_latex: cells have the
 * same color if their offsets are equal modulo 8.
 */
import type { LayoutReport } from '../layout/print';
import type { ChartTheme } from './chartSvg';

/** Maximum number of cells; the text table also covers larger layouts. */
const MAX_CELLS = 1024;
const CELL = { height: 22, minWidth: 26, perDigit: 8 } as const;

/** Light colors, so that dark text is readable in every theme. */
const FILLS = [
  '#ffffff',
  '#afc7ff',
  '#ffd9a0',
  '#b6ecb4',
  '#ffb9b3',
  '#e2c6ff',
  '#fff09a',
  '#b3ecec',
] as const;
const INK: Readonly<Record<ChartTheme, string>> = {
  light: '#444444',
  dark: '#b5b5b5',
  'high-contrast': '#ffffff',
  'high-contrast-light': '#000000',
};

/** Returns the SVG; null for a layout with more cells than a picture can show. */
export function layoutSvg({ table }: LayoutReport, theme: ChartTheme): string | null {
  const columns = table?.[0]?.length ?? 0;
  if (table === null || columns === 0 || table.length * columns > MAX_CELLS) return null;
  const largest = Math.max(columns, table.length, ...table.flat());
  const cellWidth = Math.max(CELL.minWidth, 10 + CELL.perDigit * String(largest).length);
  const [left, top] = [cellWidth, CELL.height];
  const [width, height] = [left + columns * cellWidth + 1, top + table.length * CELL.height + 1];
  const xOf = (column: number): number => left + column * cellWidth;
  const yOf = (row: number): number => top + row * CELL.height;
  const text = (x: number, y: number, value: number, fill: string): string =>
    `<text x="${x + cellWidth / 2}" y="${y + 15}" text-anchor="middle" fill="${fill}">${value}</text>`;
  const cells = table.flatMap((offsets, row) =>
    offsets.map((offset, column) => {
      const fill = FILLS[offset % FILLS.length] ?? FILLS[0];
      const box = `<rect x="${xOf(column)}" y="${yOf(row)}" width="${cellWidth}" height="${CELL.height}" fill="${fill}" stroke="#555555"/>`;
      return box + text(xOf(column), yOf(row), offset, '#1b1b1b');
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    ...Array.from({ length: columns }, (_, column) => text(xOf(column), 0, column, INK[theme])),
    ...table.map((_, row) => text(0, yOf(row), row, INK[theme])),
    ...cells,
    '</svg>',
  ].join('\n');
}
