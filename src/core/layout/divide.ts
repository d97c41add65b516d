/** Tilings of layouts: CuTe's divides, local_tile, local_partition and logical products. */
import { coalesce, complement, compose, rightInverse } from './compose';
import { modesOf, product } from './intTuple';
import {
  coordinateOf,
  cosize,
  flatModes,
  LayoutError,
  layoutOf,
  modes,
  offsetOf,
  ofModes,
  rank,
  size,
  textOf,
  type Layout,
} from './layout';

/** One tile layout for the whole index, or one tiler per mode. */
export type Tiler = Layout | readonly Tiler[];

/** Coordinate of a layout; `null` leaves a mode free, as CuTe's underscore does. */
export type Coordinate = number | null | readonly Coordinate[];

export interface View {
  readonly layout: Layout;
  readonly offset: number;
}

export const isByMode = (tiler: Tiler): tiler is readonly Tiler[] => Array.isArray(tiler);

const pair = (first: Layout, second: Layout): Layout =>
  layoutOf([first.shape, second.shape], [first.stride, second.stride]);

/** Divides a layout into (tile, rest): the elements of a tile, then the tiles. */
function divideWhole(layout: Layout, tile: Layout): Layout {
  return pair(compose(layout, tile), compose(layout, complement(tile, size(layout))));
}

/**
 * Computes CuTe's logical_divide: the layout, or each mode that the tiler covers, becomes (tile,
 * rest).
 */
export function logicalDivide(layout: Layout, tiler: Tiler): Layout {
  if (!isByMode(tiler)) return divideWhole(layout, tiler);
  const parts = modes(layout);
  needRank(layout, tiler.length);
  return ofModes(
    parts.map((mode, i) => {
      const tile = tiler[i];
      return tile === undefined ? mode : logicalDivide(mode, tile);
    }),
  );
}

/** Computes CuTe's zipped_divide: ((elements of a tile), (tiles)). */
export function zippedDivide(layout: Layout, tiler: Tiler): Layout {
  if (!isByMode(tiler)) return divideWhole(layout, tiler);
  needRank(layout, tiler.length);
  const split = modes(layout).map((mode, i) => {
    const tile = tiler[i];
    if (tile === undefined) return { tile: null, rest: mode };
    const [first = mode, rest = mode] = modes(zippedDivide(mode, tile));
    return { tile: first, rest };
  });
  return pair(
    ofModes(split.flatMap(({ tile }) => (tile === null ? [] : [tile]))),
    ofModes(split.map(({ rest }) => rest)),
  );
}

/** Computes CuTe's tiled_divide: ((elements of a tile), tiles of mode 0, tiles of mode 1, ...). */
export function tiledDivide(layout: Layout, tiler: Tiler): Layout {
  const [tile = layout, rest = layout] = modes(zippedDivide(layout, tiler));
  return ofModes([tile, ...modes(rest)]);
}

/** Computes CuTe's flat_divide: the modes of a tile, then the modes of the tiles. */
export function flatDivide(layout: Layout, tiler: Tiler): Layout {
  const [tile = layout, rest = layout] = modes(zippedDivide(layout, tiler));
  return ofModes([...modes(tile), ...modes(rest)]);
}

function needRank(layout: Layout, needed: number): void {
  if (rank(layout) < needed) throw tooManyModes(layout, needed);
}

export const tooManyModes = (layout: Layout, needed: number): LayoutError =>
  new LayoutError(
    `${textOf(layout)} has ${rank(layout)} ${rank(layout) === 1 ? 'mode' : 'modes'}, but the tile has ${needed}.`,
  );

/** Fixes the given coordinates. Free modes keep their order. */
export function slice(layout: Layout, coordinate: Coordinate): View {
  const { free, offset } = fix(layout, coordinate);
  return { layout: free.length === 0 ? layoutOf(1, 0) : ofModes(free), offset };
}

function fix(
  layout: Layout,
  coordinate: Coordinate,
): { readonly free: readonly Layout[]; readonly offset: number } {
  if (coordinate === null) return { free: [layout], offset: 0 };
  if (typeof coordinate === 'number') {
    if (coordinate >= size(layout)) {
      throw new LayoutError(
        `${coordinate} is not a coordinate of ${textOf(layout)}. Expected 0 to ${size(layout) - 1}; its size is ${size(layout)}.`,
      );
    }
    return { free: [], offset: offsetOf(layout, coordinate) };
  }
  const parts = modes(layout);
  if (parts.length !== coordinate.length) {
    throw new LayoutError(
      `A coordinate of ${textOf(layout)} has ${parts.length} ${parts.length === 1 ? 'mode' : 'modes'}, not ${coordinate.length}.`,
    );
  }
  const fixed = parts.map((mode, i) => fix(mode, coordinate[i] ?? null));
  return {
    free: fixed.flatMap(({ free }) => free),
    offset: fixed.reduce((sum, { offset }) => sum + offset, 0),
  };
}

/**
 * Computes CuTe's local_tile: the tile at a coordinate of the grid of tiles; free modes of the
 * coordinate remain modes.
 */
export function localTile(layout: Layout, tiler: Tiler, coordinate: Coordinate): View {
  const [tile = layout, rest = layout] = modes(zippedDivide(layout, tiler));
  const { free, offset } = fix(rest, coordinate);
  return { layout: ofModes([...(isByMode(tiler) ? modes(tile) : [tile]), ...free]), offset };
}

/**
 * Computes CuTe's local_partition: the elements of one thread, for a thread layout over the tile.
 * @param kept for each mode of `threads`, whether it divides a mode of `layout`; absent: all do
 */
export function localPartition(
  layout: Layout,
  threads: Layout,
  thread: number,
  kept?: readonly boolean[],
): View {
  const isKept = (_: unknown, i: number): boolean => kept === undefined || kept[i] === true;
  const coordinate = coordinateOfThread(threads, thread).filter(isKept);
  const extents = modesOf(threads.shape).map(product).filter(isKept);
  if (extents.length === 0) return { layout, offset: 0 };
  const tiler = extents.map(extent => layoutOf(extent, 1));
  const [tile = layout, rest = layout] = modes(zippedDivide(layout, tiler));
  const at = fix(tile, extents.length === 1 ? (coordinate[0] ?? 0) : coordinate);
  return { layout: rest, offset: at.offset };
}

function coordinateOfThread(threads: Layout, thread: number): readonly number[] {
  const inverse = rightInverse(threads);
  if (size(inverse) !== size(threads) || thread >= size(threads)) {
    throw new LayoutError(
      `No coordinate of ${textOf(threads)} is thread ${thread}: a thread layout must contain each of the threads 0 to ${size(threads) - 1} once.`,
    );
  }
  const extents = modesOf(threads.shape).map(product);
  return modesOf(coordinateOf(extents, offsetOf(inverse, thread))).map(Number);
}

/** Computes CuTe's logical_product: the first layout, repeated according to the second. */
export function logicalProduct(block: Layout, tiler: Layout): Layout {
  return pair(block, compose(complement(block, size(block) * cosize(tiler)), tiler));
}

/**
 * Combines two layouts mode by mode: as adjacent blocks (`blocked`), or with interleaved elements
 * (`raked`).
 */
export function zippedProduct(
  block: Layout,
  tiler: Layout,
  arrangement: 'blocked' | 'raked',
): Layout {
  const width = Math.max(rank(block), rank(tiler));
  const padded = (layout: Layout): Layout =>
    ofModes([
      ...modes(layout),
      ...Array.from({ length: width - rank(layout) }, () => layoutOf(1, 0)),
    ]);
  const [first, second] = modes(logicalProduct(padded(block), padded(tiler)));
  if (first === undefined || second === undefined) return block;
  const others = modes(second);
  return ofModes(
    modes(first).map((mode, i) => {
      const other = others[i] ?? layoutOf(1, 0);
      return coalesce(arrangement === 'blocked' ? pair(mode, other) : pair(other, mode));
    }),
  );
}

export const flattened = (layout: Layout): Layout =>
  ofModes(flatModes(layout).map(({ extent, stride }) => layoutOf(extent, stride)));
