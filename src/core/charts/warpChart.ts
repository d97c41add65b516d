/**
 * Draws the lanes of a global-memory request on the rows of its matrix, above the sectors and cache
 * lines of the request.
 */
import { t } from '@vscode/l10n';
import type { PlacedRequest } from '../memory/placedRequest';
import { SECTOR_BYTES } from '../memory/requestCost';
import { operandOf, type ResolvedProblem } from '../spec/resolved';
import { lineMark, type Chart, type Mark, type Role } from './chart';
import { moved, type LegendItem } from './chartCaption';
import { lanesText } from './pictureText';
import { sectorPicture, type SectorCell } from './sectorPicture';
import { textWidth } from './textBox';
import {
  warpGeometry,
  type Axis,
  type Slot,
  type WarpCell,
  type WarpGeometry,
} from './warpGeometry';

const CELL = { width: 20, height: 16, gap: 16 };
/** Rows and columns of cells that are drawn at least, so that rows are visible as rows. */
const LEAST = { rows: 2, columns: 8 };
const NO_MATRIX = { rows: 0, columns: 0 };
const LEFT = 40;
const HEAD = 30;
const SECTOR = { width: 34, height: 18 };
/** Height of the bar that shows the used part of a sector. */
const USED = 3;
const STRIP_LEFT = 8;
const LINE_GAP = 10;
const STRIP_ROW = 38;
const SECTORS_PER_LINE = 4;
/** Width in pixels at which the cache lines continue below. */
const STRIP_WIDTH = 640;

const text = (
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
  role: Role = 'tick',
): Mark => ({ kind: 'text', x, y, text: content, anchor, role });

/** Returns the name of the matrix: a letter, or the workspace. */
export const matrixName = ({ request: { operand } }: PlacedRequest): string =>
  operand === 'workspace' ? t('workspace') : operand.toUpperCase();

export function warpChart(placed: PlacedRequest, problem: ResolvedProblem): Chart {
  const matrix = matrixMarks(placed, problem);
  const strip = stripMarks(placed);
  const { request } = placed;
  return {
    width: Math.max(matrix.width, strip.width),
    height: matrix.height + strip.height,
    title: t('{0}: lanes on {1}, sectors {2}', request.site, matrixName(placed), request.cost),
    marks: [...matrix.marks, ...strip.marks.map(mark => moved(mark, 0, matrix.height))],
  };
}

export const warpLegend = (): readonly LegendItem[] => [
  { role: 'cell', shape: 'square', text: t('element or sector with its lanes') },
  { role: 'bar', shape: 'square', text: t('used part of the sector') },
  { role: 'selected', text: t('boundary of a 32-byte sector') },
];

function matrixMarks(
  placed: PlacedRequest,
  problem: ResolvedProblem,
): Pick<Chart, 'width' | 'height' | 'marks'> {
  const widest = Math.max(CELL.width, ...warpGeometry(placed, CELL).cells.map(cellWidth));
  const { operand } = placed.request;
  const matrix = operand === 'workspace' ? NO_MATRIX : operandOf(problem, operand);
  const geometry = warpGeometry(placed, { ...CELL, width: widest }, { least: LEAST, matrix });
  const { rows, columns, cells } = geometry;
  const marks: readonly Mark[] = [
    text(LEFT - 6, HEAD - 6, matrixName(placed), 'end', 'label'),
    ...columnLabels(columns),
    ...rows.slots.map(({ first, at, size }) =>
      text(LEFT - 6, HEAD + at + size - 4, String(first), 'end'),
    ),
    ...rows.breaks.map(at => text(LEFT - 6, HEAD + at + 4, '⋮', 'end')),
    ...columns.breaks.map(at => text(LEFT + at, HEAD - 6, '⋯')),
    ...[
      ...emptyCells(geometry),
      ...cells.flatMap(cell => cellMarks(cell, isOutside(cell, placed, problem))),
      ...boundaries(cells, placed),
    ].map(mark => moved(mark, LEFT, HEAD)),
  ];
  return { width: LEFT + columns.length + 12, height: HEAD + rows.length + 14, marks };
}

const cellText = ({ lanes }: WarpCell, isOut: boolean): string =>
  `${lanesText(lanes).replaceAll(', ', ',')}${isOut ? '!' : ''}`;
const cellWidth = (cell: WarpCell): number => Math.min(80, textWidth(cellText(cell, false)) + 8);

/** Labels as many columns as the room allows, the first one always. */
function columnLabels({ slots }: Axis): readonly Mark[] {
  let end = -Infinity;
  return slots.flatMap(({ first, at, size }) => {
    const label = String(first);
    const [center, half] = [at + size / 2, textWidth(label) / 2];
    if (center - half < end + 4) return [];
    end = center + half;
    return [text(LEFT + center, HEAD - 6, label)];
  });
}

/** Returns the runs of slots without a break. */
function runsOf({ slots }: Axis): readonly (readonly Slot[])[] {
  const runs: Slot[][] = [];
  for (const slot of slots) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && last.at + last.size === slot.at) runs.at(-1)?.push(slot);
    else runs.push([slot]);
  }
  return runs;
}

/** Returns the grid of the elements around the cells. */
const emptyCells = ({ rows, columns, cells }: WarpGeometry): readonly Mark[] =>
  runsOf(rows).flatMap(down =>
    runsOf(columns).flatMap(across => {
      const box = {
        left: startOf(across),
        right: endOf(across),
        top: startOf(down),
        bottom: endOf(down),
      };
      const isUsed = cells.some(
        ({ x, y }) => x >= box.left && x < box.right && y >= box.top && y < box.bottom,
      );
      if (!isUsed) return [];
      return [
        ...[...down.map(({ at }) => at), box.bottom].map(y =>
          lineMark(box.left, y, box.right, y, 'grid'),
        ),
        ...[...across.map(({ at }) => at), box.right].map(x =>
          lineMark(x, box.top, x, box.bottom, 'grid'),
        ),
      ];
    }),
  );

const startOf = (run: readonly Slot[]): number => run[0]?.at ?? 0;
const endOf = (run: readonly Slot[]): number => (run.at(-1)?.at ?? 0) + (run.at(-1)?.size ?? 0);

/** Tests whether an access of a boundary tile is outside of the matrix. */
export function isOutside(
  { row, column }: Pick<WarpCell, 'row' | 'column'>,
  { request: { operand } }: PlacedRequest,
  problem: ResolvedProblem,
): boolean {
  if (operand === 'workspace') return false;
  const { rows, columns } = operandOf(problem, operand);
  return row >= rows || column >= columns;
}

const cellMarks = (cell: WarpCell, isOut: boolean): readonly Mark[] => {
  const { x, y, width, height } = cell;
  return [
    { kind: 'rect', x, y, width, height, role: isOut ? 'cell-conflict' : 'cell' },
    text(x + width / 2, y + height - 4, fitting(cellText(cell, isOut), width), 'middle', 'axis'),
  ];
};

const fitting = (content: string, width: number): string =>
  textWidth(content) <= width ? content : `${/^\d+/.exec(content)?.[0] ?? ''}…`;

/** Returns lines between neighboring cells of different sectors. */
function boundaries(cells: readonly WarpCell[], placed: PlacedRequest): readonly Mark[] {
  const { request, width: elements, layout } = placed;
  const bytes = request.widthBytes / elements;
  const after = new Map(cells.map(cell => [cell.element, cell]));
  const sectorOf = (element: number): number => Math.floor((element * bytes) / SECTOR_BYTES);
  return cells.flatMap(({ x, y, width, height, element, row, column }) => {
    const next = after.get(element + elements);
    const follows =
      next !== undefined && (layout === 'row' ? next.row === row : next.column === column);
    if (!follows || sectorOf(element) === sectorOf(next.element)) return [];
    return [
      layout === 'row'
        ? lineMark(x + width, y - 2, x + width, y + height + 2, 'selected')
        : lineMark(x - 2, y + height, x + width + 2, y + height, 'selected'),
    ];
  });
}

function stripMarks({ request }: PlacedRequest): Pick<Chart, 'width' | 'height' | 'marks'> {
  const { lines } = sectorPicture(request);
  const lineWidth = SECTORS_PER_LINE * SECTOR.width + LINE_GAP;
  const perRow = Math.max(1, Math.floor(STRIP_WIDTH / lineWidth));
  const marks = lines.flatMap(({ offset, sectors }, index): readonly Mark[] => {
    const left = STRIP_LEFT + (index % perRow) * lineWidth;
    const top = Math.floor(index / perRow) * STRIP_ROW;
    return [
      text(left, top + 10, t('line +{0} B', offset), 'start'),
      ...sectors.flatMap((cell, sector) =>
        sectorMarks(cell, left + sector * SECTOR.width, top + 14),
      ),
    ];
  });
  return {
    width: STRIP_LEFT + Math.min(lines.length, perRow) * lineWidth,
    height: Math.ceil(lines.length / perRow) * STRIP_ROW + 4,
    marks,
  };
}

function sectorMarks(cell: SectorCell | null, x: number, y: number): readonly Mark[] {
  const { width, height } = SECTOR;
  const outline: Mark = {
    kind: 'path',
    role: cell === null ? 'grid' : 'axis',
    at: [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
      [x, y],
    ],
  };
  if (cell === null) return [outline];
  const lanes = fitting(lanesText(cell.lanes), width);
  return [
    { kind: 'rect', x, y, width, height, role: 'cell' },
    {
      kind: 'rect',
      x,
      y: y + height - USED,
      width: (width * cell.usedBytes) / SECTOR_BYTES,
      height: USED,
      role: 'bar',
    },
    outline,
    text(x + width / 2, y + height - USED - 3, lanes, 'middle', 'axis'),
  ];
}
