/** Operations of layout expressions, and CuTe's names for them (`ALIASES`). */
import { coalesce, coalesceModes, complement, compose, rightInverse } from './compose';
import {
  flatDivide,
  flattened,
  isByMode,
  localPartition,
  localTile,
  logicalDivide,
  logicalProduct,
  slice,
  tiledDivide,
  zippedDivide,
  zippedProduct,
  type Coordinate,
  tooManyModes,
  type Tiler,
  type View,
} from './divide';
import { depthOf, type IntTuple } from './intTuple';
import {
  coordinateOf,
  cosize,
  LayoutError,
  layoutOf,
  modes,
  ofModes,
  packed,
  packedRight,
  rank,
  size,
  type Layout,
} from './layout';
import type { LayoutValue } from './value';

/** Arguments of an operation, decoded on demand. */
export interface Arguments {
  readonly count: number;
  /** Whether an argument is a layout, a tuple of integers, or an order such as `LayoutRight`. */
  readonly kind: (at: number) => 'layout' | 'tuple' | 'left' | 'right';
  readonly layout: (at: number) => Layout;
  readonly tiler: (at: number) => Tiler;
  readonly coordinate: (at: number) => Coordinate;
  readonly whole: (at: number) => number;
  readonly extents: (at: number) => IntTuple;
  readonly strides: (at: number) => IntTuple;
  readonly step: (at: number) => readonly boolean[];
}

export interface Operation {
  readonly takes: string;
  readonly least: number;
  readonly most: number;
  readonly what: string;
  /**
   * Result of a layout with an offset or a swizzle: `carried` to the result, not needed because
   * only coordinates matter (`domain`), or `refused`. Offsets are ignored unless carried.
   */
  readonly placement: 'carried' | 'domain' | 'refused';
  readonly run: (args: Arguments) => LayoutValue;
}

const whole = (layout: Layout): LayoutValue => ({ kind: 'layout', layout, offset: 0 });
const part = ({ layout, offset }: View): LayoutValue => ({ kind: 'layout', layout, offset });
const tuple = (value: IntTuple): LayoutValue => ({ kind: 'tuple', value });

const operation =
  (placement: Operation['placement']) =>
  (takes: string, what: string, run: Operation['run'], optional = 0): Operation => {
    const most = takes.split(', ').length;
    return { takes, what, run, most, least: most - optional, placement };
  };
const [carrying, ofDomain, refusing] = [
  operation('carried'),
  operation('domain'),
  operation('refused'),
];

/** Operations by name; CuTe's names are also accepted (`ALIASES`). */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  size: ofDomain('LAYOUT', 'number of coordinates', a => tuple(size(a.layout(0)))),
  cosize: refusing('LAYOUT', 'largest offset plus one', a => tuple(cosize(a.layout(0)))),
  shape: ofDomain('LAYOUT', 'extents of the modes', a => tuple(a.layout(0).shape)),
  stride: refusing('LAYOUT', 'strides of the modes', a => tuple(a.layout(0).stride)),
  rank: ofDomain('LAYOUT', 'number of modes', a => tuple(rank(a.layout(0)))),
  depth: ofDomain('LAYOUT', 'levels of nested modes', a => tuple(depthOf(a.layout(0).shape))),
  mode: carrying('LAYOUT, INDEX', 'one mode of a layout', a => mode(a.layout(0), a.whole(1))),
  at: carrying('LAYOUT, COORD', 'offset of a coordinate; _ leaves a mode free', a =>
    at(a.layout(0), a.coordinate(1)),
  ),
  coord: ofDomain('LAYOUT, INDEX', 'coordinate of an index', a =>
    tuple(coordinateOf(a.layout(0).shape, inside(a.layout(0), a.whole(1)))),
  ),
  row: refusing('SHAPE', 'packed layout with a contiguous last mode', a =>
    whole(packedRight(a.layout(0).shape)),
  ),
  layout: {
    ...refusing('LAYOUT, ...', 'layout with the given layouts as modes', a =>
      whole(ofModes(Array.from({ length: a.count }, (_, i) => a.layout(i)))),
    ),
    least: 1,
    most: 64,
  },
  make_layout: {
    ...refusing('SHAPE, STRIDE', 'layout of a shape and strides, or of layouts as modes', a =>
      whole(madeLayout(a)),
    ),
    least: 1,
    most: 64,
  },
  coalesce: carrying(
    'LAYOUT, STEP',
    'same offsets with as few modes as possible; with a step, mode by mode',
    a => whole(a.count < 2 ? coalesce(a.layout(0)) : coalesceModes(a.layout(0))),
    1,
  ),
  coalesce_modes: carrying('LAYOUT', 'layout with each mode coalesced', a =>
    whole(coalesceModes(a.layout(0))),
  ),
  flatten: carrying('LAYOUT', 'layout without nested modes', a => whole(flattened(a.layout(0)))),
  compose: carrying('A, B', 'R with R(c) = A(B(c))', a => whole(composed(a.layout(0), a.tiler(1)))),
  complement: refusing(
    'LAYOUT, SIZE',
    'offsets below SIZE that the layout does not reach',
    a => whole(complement(a.layout(0), a.count < 2 ? cosize(a.layout(0)) : a.whole(1))),
    1,
  ),
  inverse: refusing('LAYOUT', 'R with LAYOUT(R(i)) = i', a => whole(rightInverse(a.layout(0)))),
  divide: carrying('LAYOUT, TILE', 'each mode as (tile, rest)', a =>
    whole(logicalDivide(a.layout(0), a.tiler(1))),
  ),
  zipped_divide: carrying('LAYOUT, TILE', '((tile), (rest))', a =>
    whole(zippedDivide(a.layout(0), a.tiler(1))),
  ),
  tiled_divide: carrying('LAYOUT, TILE', '((tile), rest, ...)', a =>
    whole(tiledDivide(a.layout(0), a.tiler(1))),
  ),
  flat_divide: carrying('LAYOUT, TILE', '(tile, ..., rest, ...)', a =>
    whole(flatDivide(a.layout(0), a.tiler(1))),
  ),
  tile: carrying(
    'LAYOUT, TILE, COORD, STEP',
    'tile at a coordinate, _ keeps a mode; without a coordinate, all tiles',
    a => tiled(a),
    2,
  ),
  partition: carrying(
    'LAYOUT, THREADS, INDEX, STEP',
    'elements of one thread in each tile; X in the step omits a mode of the threads',
    a =>
      part(
        localPartition(a.layout(0), a.layout(1), a.whole(2), a.count < 4 ? undefined : a.step(3)),
      ),
    1,
  ),
  product: refusing('BLOCK, TILER', 'layout of the repeated block', a =>
    whole(logicalProduct(a.layout(0), a.layout(1))),
  ),
  blocked_product: refusing(
    'BLOCK, TILER',
    'layout of repeated blocks, adjacent to each other',
    a => whole(zippedProduct(a.layout(0), a.layout(1), 'blocked')),
  ),
  raked_product: refusing(
    'BLOCK, TILER',
    'layout of repeated blocks with interleaved elements',
    a => whole(zippedProduct(a.layout(0), a.layout(1), 'raked')),
  ),
};

/** CuTe's names of operations. */
export const ALIASES: Readonly<Record<string, string>> = {
  composition: 'compose',
  local_tile: 'tile',
  local_partition: 'partition',
  logical_divide: 'divide',
  logical_product: 'product',
  right_inverse: 'inverse',
  slice: 'at',
  crd2idx: 'at',
  idx2crd: 'coord',
  cosize_v: 'cosize',
};

function at(layout: Layout, coordinate: Coordinate): LayoutValue {
  const view = slice(layout, coordinate);
  return hasFree(coordinate) ? part(view) : tuple(view.offset);
}

const hasFree = (coordinate: Coordinate): boolean =>
  coordinate === null || (typeof coordinate === 'object' && coordinate.some(hasFree));

function mode(layout: Layout, index: number): LayoutValue {
  const found = modes(layout)[index];
  if (found !== undefined) return whole(found);
  throw new LayoutError(`Mode ${index} does not exist: the layout has ${rank(layout)} modes.`);
}

function inside(layout: Layout, index: number): number {
  if (index < size(layout)) return index;
  throw new LayoutError(
    `Index ${index} is out of range: the layout has ${size(layout)} coordinates.`,
  );
}

/** CuTe's make_layout: shape and strides, shape and order, or the modes as layouts. */
function madeLayout(a: Arguments): Layout {
  if (a.kind(0) === 'layout')
    return ofModes(Array.from({ length: a.count }, (_, i) => a.layout(i)));
  const shape = a.extents(0);
  if (a.count === 1) return packed(shape);
  if (a.count > 2) {
    throw new LayoutError(
      'make_layout takes a shape and strides, or layouts. Fix: combine extents, such as make_shape(4, 8).',
    );
  }
  switch (a.kind(1)) {
    case 'left':
      return packed(shape);
    case 'right':
      return packedRight(shape);
    case 'tuple':
      return layoutOf(shape, a.strides(1));
    case 'layout':
      throw new LayoutError('make_layout takes a shape and strides, or layouts, but not both.');
  }
}

const composed = (a: Layout, tiler: Tiler): Layout =>
  isByMode(tiler) ? composeModes(a, tiler) : compose(a, tiler);

function composeModes(layout: Layout, tilers: readonly Tiler[]): Layout {
  const parts = modes(layout);
  if (tilers.length > parts.length) throw tooManyModes(layout, tilers.length);
  return ofModes(
    parts.map((mode, i) => {
      const tiler = tilers[i];
      return tiler === undefined ? mode : composed(mode, tiler);
    }),
  );
}

function tiled(a: Arguments): LayoutValue {
  const [layout, tiler] = [a.layout(0), a.tiler(1)];
  if (a.count < 3) return whole(zippedDivide(layout, tiler));
  const coordinate = a.coordinate(2);
  if (a.count < 4) return part(localTile(layout, tiler, coordinate));
  const step = a.step(3);
  const kept = <T>(given: readonly T[]): readonly T[] => given.filter((_, i) => step[i] === true);
  if (!isByMode(tiler) || coordinate === null || typeof coordinate === 'number') {
    throw new LayoutError(
      'A step such as (1,X,1) requires a tile and a coordinate with the same number of modes.',
    );
  }
  return part(localTile(layout, kept(tiler), kept(coordinate)));
}
