/**
 * Draws layouts as SVG grids, in the colors of CuTe's print_latex. Each cell contains its offset or
 * its thread, so that the color is not the only carrier of information.
 */
import { placedOf, type LayoutReport } from '../layout/print';
import { size } from '../layout/layout';
import { chartBackground, escapeXml, type ChartTheme } from './chartSvg';
import { layoutGrid, type Coloring, type LayoutGrid } from './layoutGrid';
import type { LayoutStep } from './layoutSteps';

/** Maximum number of cells of a picture; the text table also covers larger layouts. */
export const MAX_PICTURE_CELLS = 1024;
const CELL = { height: 22, detailHeight: 14, minWidth: 26, perDigit: 8 } as const;
const TITLE_HEIGHT = 24;
const LINE_HEIGHT = 18;
const MARGIN = 12;

/** Colors by their number: light, so that dark text is readable in every theme. */
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
const EMPTY = '#d8d8d8';
const INK: Readonly<Record<ChartTheme, string>> = {
  light: '#444444',
  dark: '#b5b5b5',
  'high-contrast': '#ffffff',
  'high-contrast-light': '#000000',
};

export interface TitledGrid {
  /** Empty for a picture without a title. */
  readonly title: string;
  readonly grid: LayoutGrid;
}

/** Returns the grids of the steps; a grid of indices has no banks, sectors or threads. */
export const titledGrids = (
  steps: readonly LayoutStep[],
  coloring: Coloring,
): readonly TitledGrid[] =>
  steps.map(({ title, value, isIndex }) => ({
    title: steps.length === 1 ? '' : title,
    grid: layoutGrid(value, isIndex ? { ...coloring, color: 'offset' } : coloring),
  }));

const OFFSETS: Coloring = { color: 'offset', bytes: 1 };

/** Returns the SVG of a preview; null if a layout has more cells than a preview can show. */
export function layoutSvg(
  report: LayoutReport,
  theme: ChartTheme,
  steps: readonly LayoutStep[] = [{ title: '', value: placedOf(report), isIndex: false }],
): string | null {
  const isLarge = steps.some(({ value }) => size(value.layout) > MAX_PICTURE_CELLS);
  return isLarge
    ? null
    : gridsSvg(report.expression, titledGrids(steps, OFFSETS), theme, { background: 'none' });
}

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

export interface GridsOptions {
  /** `none` for a picture in a preview with its own background. Default: `theme`. */
  readonly background?: 'none' | 'theme';
  /** Lines above the grids, such as the meaning of the colors. */
  readonly lines?: readonly string[];
}

/** Draws grids in a column. */
export function gridsSvg(
  name: string,
  grids: readonly TitledGrid[],
  theme: ChartTheme,
  { background = 'theme', lines = [] }: GridsOptions = {},
): string {
  const drawn = grids.map(each => drawnGrid(each, theme));
  const margin = background === 'none' ? 0 : MARGIN;
  const widths = [
    ...drawn.map(each => each.width),
    ...lines.map(line => CELL.perDigit * line.length),
  ];
  const width = Math.max(...widths) + 2 * margin;
  const head = lines.map(
    (line, index) =>
      `<text x="${margin}" y="${margin + 12 + index * LINE_HEIGHT}" fill="${INK[theme]}">${escapeXml(line)}</text>`,
  );
  let y = margin + (lines.length === 0 ? 0 : lines.length * LINE_HEIGHT + MARGIN / 2);
  const parts = drawn.map(each => {
    const part = `<g transform="translate(${margin} ${y})">\n${each.parts.join('\n')}\n</g>`;
    y += each.height + MARGIN;
    return part;
  });
  const height = y - MARGIN + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escapeXml(name)}</title>`,
    ...(background === 'none'
      ? []
      : [`<rect width="${width}" height="${height}" fill="${chartBackground(theme)}"/>`]),
    ...head,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function drawnGrid({ title, grid: { cells, window } }: TitledGrid, theme: ChartTheme): Drawn {
  const flat = cells.flat();
  const hasDetail = flat.some(({ detail }) => detail !== '');
  const longest = Math.max(
    ...flat.map(({ text, detail }) => Math.max(text.length, detail.length)),
    String(window.column + window.columns - 1).length,
    String(window.row + window.rows - 1).length,
  );
  const cellWidth = Math.max(CELL.minWidth, 10 + CELL.perDigit * longest);
  const cellHeight = CELL.height + (hasDetail ? CELL.detailHeight : 0);
  const top = (title === '' ? 0 : TITLE_HEIGHT) + CELL.height;
  const xOf = (column: number): number => cellWidth * (1 + column);
  const yOf = (row: number): number => top + row * cellHeight;
  const text = (x: number, y: number, value: string, fill: string): string =>
    `<text x="${x + cellWidth / 2}" y="${y + 15}" text-anchor="middle" fill="${fill}">${value}</text>`;
  const ink = INK[theme];
  return {
    width: Math.max(xOf(window.columns) + 1, CELL.perDigit * title.length),
    height: yOf(window.rows) + 1,
    parts: [
      ...(title === ''
        ? []
        : [`<text x="0" y="14" font-weight="600" fill="${ink}">${escapeXml(title)}</text>`]),
      ...Array.from({ length: window.columns }, (_, i) =>
        text(xOf(i), top - CELL.height, `${window.column + i}`, ink),
      ),
      ...Array.from({ length: window.rows }, (_, i) =>
        text(0, yOf(i) + (cellHeight - CELL.height) / 2, `${window.row + i}`, ink),
      ),
      ...cells.flatMap((row, i) =>
        row.map((cell, j) => {
          const fill = FILLS[cell.tint] ?? EMPTY;
          const box = `<rect x="${xOf(j)}" y="${yOf(i)}" width="${cellWidth}" height="${cellHeight}" fill="${fill}" stroke="#555555"/>`;
          const detail =
            cell.detail === ''
              ? ''
              : text(xOf(j), yOf(i) + CELL.detailHeight, cell.detail, '#1b1b1b');
          return box + text(xOf(j), yOf(i), cell.text, '#1b1b1b') + detail;
        }),
      ),
    ],
  };
}
