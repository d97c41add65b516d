/**
 * Layouts as grids of cells. A cell has a color by thread, bank or sector, and the same information
 * as text, so that the color is never the only carrier.
 */
import { t } from '@vscode/l10n';
import { tupleText } from '../layout/intTuple';
import { coordinateOf, LayoutError, modes, rank, size } from '../layout/layout';
import { offsetIn, type PlacedLayout } from '../layout/value';
import { WARP_LANES } from '../hardware/warp';
import { BANK_BYTES, BANKS, SECTOR_BYTES } from '../memory/requestCost';
import type { FragmentMap } from './fragmentMap';

/**
 * Meaning of a color: the offset modulo 8, the thread whose index is the offset, or the first
 * shared-memory bank or 32-byte sector of the element at the offset.
 */
export const LAYOUT_COLORS = ['offset', 'thread', 'bank', 'sector'] as const;
export type LayoutColor = (typeof LAYOUT_COLORS)[number];

export interface Coloring {
  readonly color: LayoutColor;
  /** Element size, for banks and sectors. */
  readonly bytes: number;
}

/** Number of colors of a grid. More groups than colors share colors. */
export const TINTS = 8;

/** Content of a cell, before it has a color. */
interface CellContent {
  readonly text: string;
  /** Second line: the bank, the sector or the value; empty if the text is sufficient. */
  readonly detail: string;
  /** Cells of one group have the same color; -1 for a cell without a color. */
  readonly group: number;
  /** Sentence that describes the cell. */
  readonly told: string;
}

export interface LayoutCell extends CellContent {
  /** Number of the color, below `TINTS`; -1 for none. */
  readonly tint: number;
}

export interface GridWindow {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

export interface LayoutGrid {
  /** Extents of the whole grid. */
  readonly rows: number;
  readonly columns: number;
  /** Part of the grid that `cells` has. */
  readonly window: GridWindow;
  readonly cells: readonly (readonly LayoutCell[])[];
}

const WHOLE: GridWindow = { row: 0, column: 0, rows: Infinity, columns: Infinity };

/**
 * Rows are coordinates of the first mode, columns are coordinates of the other modes. A layout with
 * a single mode has one row.
 */
export function layoutGrid(value: PlacedLayout, coloring: Coloring, window = WHOLE): LayoutGrid {
  const { layout } = value;
  const [first] = modes(layout);
  const rows = first === undefined || rank(layout) === 1 ? 1 : size(first);
  return gridOf(
    { rows, columns: size(layout) / rows, wanted: window },
    (row, column) => {
      const index = row + column * rows;
      const coordinate = tupleText(coordinateOf(layout.shape, index));
      return cellAt(coordinate, offsetIn(value, index), coloring);
    },
    coloring.color === 'sector' ? 'appearance' : 'group',
  );
}

interface GridExtent {
  readonly rows: number;
  readonly columns: number;
  readonly wanted: GridWindow;
}

/**
 * @param tintBy `appearance` numbers the groups in the order of the cells: rows often have strides
 * of whole multiples of 8 sectors, so that the number of a sector would give all rows one color
 */
function gridOf(
  { rows, columns, wanted }: GridExtent,
  contentAt: (row: number, column: number) => CellContent,
  tintBy: 'group' | 'appearance' = 'group',
): LayoutGrid {
  const known = new Map<number, number>();
  const tintOf = (group: number): number => {
    if (group < 0) return -1;
    if (tintBy === 'group') return group % TINTS;
    const order = known.get(group) ?? known.size;
    known.set(group, order);
    return order % TINTS;
  };
  const row = Math.min(wanted.row, rows - 1);
  const column = Math.min(wanted.column, columns - 1);
  const window = {
    row,
    column,
    rows: Math.min(wanted.rows, rows - row),
    columns: Math.min(wanted.columns, columns - column),
  };
  const cells = Array.from({ length: window.rows }, (_, i) =>
    Array.from({ length: window.columns }, (_, j) => {
      const content = contentAt(row + i, column + j);
      return { ...content, tint: tintOf(content.group) };
    }),
  );
  return { rows, columns, window, cells };
}

function cellAt(coordinate: string, offset: number, { color, bytes }: Coloring): CellContent {
  const text = `${offset}`;
  const place = [coordinate, offset] as const;
  switch (color) {
    case 'offset':
      return { text, detail: '', group: offset, told: t('Coordinate {0}: offset {1}', ...place) };
    case 'thread':
      return {
        text: `T${offset}`,
        detail: '',
        group: offset,
        told: t(
          'Coordinate {0}: thread {1} (warp {2}, lane {3})',
          ...place,
          Math.floor(offset / WARP_LANES),
          offset % WARP_LANES,
        ),
      };
    case 'bank': {
      const word = Math.floor((offset * bytes) / BANK_BYTES);
      const bank = word % BANKS;
      const told = t('Coordinate {0}: offset {1}, bank {2}, 4-byte word {3}', ...place, bank, word);
      return { text, detail: `b${bank}`, group: bank, told };
    }
    case 'sector': {
      const sector = Math.floor((offset * bytes) / SECTOR_BYTES);
      const told = t('Coordinate {0}: offset {1}, sector {2}', ...place, sector);
      return { text, detail: `s${sector}`, group: sector, told };
    }
  }
}

interface ThreadValue {
  readonly thread: number;
  readonly value: number;
}

/** Parses the extent of a tile, such as `16x8`; returns null for any other text. */
export function tileOfText(
  text: string,
): { readonly rows: number; readonly columns: number } | null {
  const [, rows, columns] = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(text) ?? [];
  return rows === undefined ? null : { rows: Number(rows), columns: Number(columns) };
}

/** Maximum number of elements of a thread-value layout. */
const MAX_THREAD_VALUES = 2 ** 16;

/**
 * Draws a thread-value layout over a tile: the first mode is the thread, the others are its values,
 * and the offset is the column-major index in the tile.
 * @throws {LayoutError} if the layout does not fit the tile
 */
export function threadValueGrid(
  value: PlacedLayout,
  tile: { readonly rows: number; readonly columns: number },
  window = WHOLE,
): LayoutGrid {
  const holders = holdersOf(value, tile);
  return gridOf({ ...tile, wanted: window }, (row, column) => {
    const held = holders.get(row + column * tile.rows) ?? [];
    const [first] = held;
    if (first === undefined) {
      const told = t('Element ({0}, {1}): no thread holds it', row, column);
      return { text: '', detail: '', group: -1, told };
    }
    const more = held.length > 1 ? `+${held.length - 1}` : '';
    return {
      text: `T${first.thread}${more}`,
      detail: `V${first.value}`,
      group: first.thread,
      told: t(
        'Element ({0}, {1}): {2}',
        row,
        column,
        held.map(one => t('thread {0}, value {1}', one.thread, one.value)).join('; '),
      ),
    };
  });
}

function holdersOf(
  value: PlacedLayout,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): ReadonlyMap<number, readonly ThreadValue[]> {
  const { layout } = value;
  const [threads, ...values] = modes(layout);
  if (threads === undefined || values.length === 0) {
    throw new LayoutError(
      'A thread-value layout has a mode of threads and a mode of values, such as ((4,8),(2,2)).',
    );
  }
  if (size(layout) > MAX_THREAD_VALUES) {
    throw new LayoutError(`A thread-value layout has at most ${MAX_THREAD_VALUES} elements.`);
  }
  const holders = new Map<number, ThreadValue[]>();
  for (let index = 0; index < size(layout); index++) {
    const offset = offsetIn(value, index);
    if (offset >= rows * columns) {
      throw new LayoutError(
        `Offset ${offset} is outside of the ${rows} x ${columns} tile. Fix: use a tile with more than ${offset} elements.`,
      );
    }
    const held = holders.get(offset) ?? [];
    held.push({ thread: index % size(threads), value: Math.floor(index / size(threads)) });
    holders.set(offset, held);
  }
  return holders;
}

/** Draws the lane and the register that hold each element of a tensor-core fragment. */
export function fragmentGrid({ holders, rows, columns }: FragmentMap, window = WHOLE): LayoutGrid {
  return gridOf({ rows, columns, wanted: window }, (row, column) => {
    const holder = holders[row]?.[column];
    if (holder === undefined) throw new RangeError(`The fragment has no element ${row}, ${column}`);
    const { warp, lane, register, bit } = holder;
    const thread = warp * WARP_LANES + lane;
    return {
      text: `T${thread}`,
      detail: bit === 0 ? `R${register}` : `R${register}.${bit}`,
      group: thread,
      told: t(
        'Element ({0}, {1}): thread {2}, register {3}, from bit {4}',
        row,
        column,
        thread,
        register,
        bit,
      ),
    };
  });
}

/** Draws the thread that accumulates each element of a tile of C; `threads` is row-major. */
export const threadGrid = (
  threads: ArrayLike<number>,
  tile: { readonly rows: number; readonly columns: number },
  window = WHOLE,
): LayoutGrid =>
  gridOf({ ...tile, wanted: window }, (row, column) =>
    cellAt(`(${row},${column})`, threads[row * tile.columns + column] ?? 0, {
      color: 'thread',
      bytes: 1,
    }),
  );
