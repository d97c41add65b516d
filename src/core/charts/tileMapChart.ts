/**
 * Chart of the tile map for a saved picture: A, B and C with the tiles of the selected element, and
 * its block tile by warp.
 */
import { t } from '@vscode/l10n';
import type { Kernel } from '../kernel/kernel';
import type { GemmPoint } from '../trace/elementFacts';
import type { TileOfC } from '../trace/tileOfC';
import type { AreaMark, Chart, Mark, Role } from './chart';
import { moved, type LegendItem } from './chartCaption';
import type { Sides } from '../plan/tileCount';
import { operandGeometry, type Box } from './operandGeometry';
import { beside } from './stacked';
import { cellsPath, warpCells, warpOf, waveTiles } from './tileMap';

export interface TileMapInput {
  readonly kernel: Kernel;
  /** Null for a device without an occupancy model. */
  readonly blocksPerWave: number | null;
  readonly tile: TileOfC;
  /** Thread index of each element of the block tile, in row-major order. */
  readonly threads: Int32Array;
  readonly point: GemmPoint;
}

const SIDE_PX = 380;
const MARGIN_PX = 16;
const POINT_PX = 5;
const WAVE_OPACITIES = [0.55, 0.35, 0.2, 0.08] as const;
const UNIT_CELL = 'M0 0h1v1h-1z';

export const tileMapChart = (input: TileMapInput): Chart =>
  beside([padded(operandChart(input)), padded(blockChart(input))], t('Tile map'));

export const tileMapLegend = (): readonly LegendItem[] => [
  { role: 'selected', shape: 'square', text: t('block tile, and its staged tiles of A and B') },
  { role: 'bar', shape: 'square', text: t('thread tile') },
];

/** Adds margins: left and right, with which the caption is aligned, and above the legend. */
const padded = (chart: Chart): Chart => ({
  ...chart,
  width: chart.width + 2 * MARGIN_PX,
  height: chart.height + MARGIN_PX / 2,
  marks: chart.marks.map(mark => moved(mark, MARGIN_PX, 0)),
});

function operandChart({ kernel, blocksPerWave, tile, point }: TileMapInput): Chart {
  const geometry = operandGeometry(kernel, tile, point, SIDE_PX);
  const { width, height, a, b, c, letters, per, rows, columns, staged, at } = geometry;
  const waves = blocksPerWave === null ? null : waveTiles(kernel.plan, blocksPerWave);
  const perTile = {
    scaleX: per.column * geometry.tile.columns,
    scaleY: per.row * geometry.tile.rows,
  };
  const stagedA = { x: staged.from, width: staged.extent, ...rows };
  const stagedB = { y: staged.from, height: staged.extent, ...columns };
  return {
    title: '',
    width,
    height,
    marks: [
      ...(waves ?? []).map(({ wave, path }): AreaMark => ({
        kind: 'area',
        role: 'bar',
        x: c.x,
        y: c.y,
        ...perTile,
        path: clippedCells(path, { m: c.height / perTile.scaleY, n: c.width / perTile.scaleX }),
        opacity: WAVE_OPACITIES[wave % WAVE_OPACITIES.length] ?? 1,
      })),
      ...tileLines(c, geometry.tiles, perTile),
      ...[
        { ...rows, x: a.x, width: a.width },
        { ...columns, y: b.y, height: b.height },
      ].map(box => filled(box, 'selected', 0.45)),
      filled(stagedA, 'selected', 1),
      filled(stagedB, 'selected', 1),
      ...[a, b, c].map(box => outlined(box, 'axis')),
      outlined({ ...rows, ...columns }, 'selected'),
      ...[
        [at.k, at.row],
        [at.column, at.k],
        [at.column, at.row],
      ].map(([x = 0, y = 0]) =>
        filled(
          { x: x - POINT_PX / 2, y: y - POINT_PX / 2, width: POINT_PX, height: POINT_PX },
          'label',
          1,
        ),
      ),
      ...letters.map(({ name, x, y }): Mark => ({
        kind: 'text',
        role: 'label',
        anchor: 'start',
        x,
        y,
        text: name,
      })),
    ],
  };
}

/** Clips the cells of `cellsPath` at the edges of C, which may cut the last row and column. */
const clippedCells = (path: string, { m, n }: Sides): string =>
  path.replace(
    /M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g,
    (_, x: string, y: string, width: string, height: string) => {
      const [across, down] = [
        Math.min(Number(width), n - Number(x)),
        Math.min(Number(height), m - Number(y)),
      ].map(extent => Number(extent.toPrecision(6)));
      return `M${x} ${y}h${across}v${down}h-${across}z`;
    },
  );

function tileLines(
  { x, y, width, height }: Box,
  tiles: Sides | null,
  { scaleX, scaleY }: { readonly scaleX: number; readonly scaleY: number },
): readonly Mark[] {
  if (tiles === null) return [];
  const line = (x1: number, y1: number, x2: number, y2: number): Mark => ({
    kind: 'line',
    role: 'grid',
    x1,
    y1,
    x2,
    y2,
  });
  const across = Array.from({ length: tiles.m - 1 }, (_, i) => y + (i + 1) * scaleY);
  const down = Array.from({ length: tiles.n - 1 }, (_, i) => x + (i + 1) * scaleX);
  return [
    ...across.map(at => line(x, at, x + width, at)),
    ...down.map(at => line(at, y, at, y + height)),
  ];
}

function blockChart({ tile, threads, point }: TileMapInput): Chart {
  const { rows, columns } = tile;
  const scale = SIDE_PX / Math.max(rows, columns);
  const cell = { row: point.row - tile.row, column: point.column - tile.column };
  const thread = threads[cell.row * columns + cell.column] ?? -1;
  const area = (path: string, role: Role, opacity: number): AreaMark => ({
    kind: 'area',
    role,
    x: 1,
    y: 1,
    scaleX: scale,
    scaleY: scale,
    path,
    opacity,
  });
  const extent = { m: rows, n: columns };
  return {
    title: '',
    width: columns * scale + 2,
    height: rows * scale + 2,
    marks: [
      ...warpCells(threads, extent).map(({ warp, path }, index) =>
        warp === warpOf(thread)
          ? area(path, 'bar', 0.4)
          : area(path, 'axis', index % 2 === 0 ? 0.12 : 0.24),
      ),
      area(
        cellsPath(extent, at => threads[at] === thread),
        'bar',
        1,
      ),
      filled(
        { x: 1 + cell.column * scale, y: 1 + cell.row * scale, width: scale, height: scale },
        'selected',
        1,
      ),
      outlined({ x: 1, y: 1, width: columns * scale, height: rows * scale }, 'axis'),
    ],
  };
}

const filled = ({ x, y, width, height }: Box, role: Role, opacity: number): AreaMark => ({
  kind: 'area',
  role,
  x,
  y,
  scaleX: width,
  scaleY: height,
  path: UNIT_CELL,
  opacity,
});

const outlined = ({ x, y, width, height }: Box, role: Role): Mark => ({
  kind: 'path',
  role,
  at: [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ],
});
