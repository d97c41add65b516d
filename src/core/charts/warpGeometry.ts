/**
 * Geometry of a warp on a matrix: one cell per element, or per vector, that the lanes access. Rows
 * and columns that no lane accesses are left out where they are many. All lengths are in pixels.
 */
import type { PlacedRequest } from '../memory/placedRequest';
import type { Box } from './operandGeometry';

/** Rows or columns of one line of cells. */
export interface Slot {
  /** Index of the first row or column. */
  readonly first: number;
  /** Number of rows or columns: the elements of a vector along the contiguous dimension. */
  readonly count: number;
  /** Position of the start, and the size. */
  readonly at: number;
  readonly size: number;
}

export interface Axis {
  readonly slots: readonly Slot[];
  /** Centers of the breaks, at which rows or columns are left out. */
  readonly breaks: readonly number[];
  readonly length: number;
}

export interface WarpCell extends Box {
  /** First row and column, and the element index in the buffer. */
  readonly row: number;
  readonly column: number;
  readonly element: number;
  /** Lanes that access the cell, in ascending order. */
  readonly lanes: readonly number[];
}

export interface WarpGeometry {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly cells: readonly WarpCell[];
}

export interface CellSize {
  readonly width: number;
  readonly height: number;
  /** Length of a break. */
  readonly gap: number;
}

/** Rows and columns of the matrix that are drawn behind the last used ones. */
export interface Surroundings {
  /** Minimum number of rows or columns of cells. */
  readonly least: { readonly rows: number; readonly columns: number };
  readonly matrix: { readonly rows: number; readonly columns: number };
}

const NOTHING_AROUND: Surroundings = {
  least: { rows: 0, columns: 0 },
  matrix: { rows: 0, columns: 0 },
};

/** Maximum number of unused lines between two used ones that are drawn instead of a break. */
const MAX_EMPTY_SLOTS = 2;

export function warpGeometry(
  placed: PlacedRequest,
  size: CellSize,
  { least, matrix }: Surroundings = NOTHING_AROUND,
): WarpGeometry {
  const isByRow = placed.layout === 'row';
  const active = placed.lanes.flatMap((place, lane) => (place === null ? [] : [{ place, lane }]));
  const rows = axisOf(
    active.map(({ place }) => place.row),
    isByRow ? 1 : placed.width,
    { slot: size.height, gap: size.gap, least: least.rows, end: matrix.rows },
  );
  const columns = axisOf(
    active.map(({ place }) => place.column),
    isByRow ? placed.width : 1,
    { slot: size.width, gap: size.gap, least: least.columns, end: matrix.columns },
  );
  const [rowAt, columnAt] = [slotsByIndex(rows), slotsByIndex(columns)];
  const cells = new Map<number, WarpCell>();
  for (const { place, lane } of active) {
    const { row, column, element } = place;
    const [down, across] = [rowAt.get(row), columnAt.get(column)];
    if (down === undefined || across === undefined)
      throw new Error(`The cell of lane ${lane} has no row or column.`);
    const lanes = [...(cells.get(element)?.lanes ?? []), lane];
    const box = { x: across.at, y: down.at, width: across.size, height: down.size };
    cells.set(element, { ...place, ...box, lanes });
  }
  return { rows, columns, cells: [...cells.values()] };
}

const slotsByIndex = ({ slots }: Axis): ReadonlyMap<number, Slot> =>
  new Map(slots.map(slot => [slot.first, slot]));

function axisOf(
  indices: readonly number[],
  step: number,
  px: {
    readonly slot: number;
    readonly gap: number;
    readonly least: number;
    readonly end: number;
  },
): Axis {
  const slots: Slot[] = [];
  const breaks: number[] = [];
  let at = 0;
  const add = (first: number): void => {
    slots.push({ first, count: step, at, size: px.slot });
    at += px.slot;
  };
  for (const index of [...new Set(indices)].sort((one, other) => one - other)) {
    const last = slots.at(-1)?.first ?? index - step;
    const missing = (index - last) / step - 1;
    if (missing > MAX_EMPTY_SLOTS || !Number.isInteger(missing)) {
      breaks.push(at + px.gap / 2);
      at += px.gap;
    } else for (let i = 1; i <= missing; i++) add(last + i * step);
    add(index);
  }
  let next = (slots.at(-1)?.first ?? 0) + step;
  for (; slots.length < px.least && next + step <= px.end; next += step) add(next);
  return { slots, breaks, length: at };
}
