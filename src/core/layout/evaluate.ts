/** Evaluates layout expressions. */
import { coalesce, coalesceModes, complement, compose, rightInverse } from './compose';
import {
  flattened,
  isByMode,
  localPartition,
  localTile,
  logicalDivide,
  logicalProduct,
  slice,
  zippedDivide,
  zippedProduct,
  type Coordinate,
  tooManyModes,
  type Tiler,
  type View,
} from './divide';
import type { IntTuple } from './intTuple';
import {
  coordinateOf,
  cosize,
  LayoutError,
  layoutOf,
  modes,
  ofModes,
  packed,
  packedRight,
  size,
  type Layout,
} from './layout';
import { ExpressionError, parseExpression, type Node } from './parse';

/** A number, a coordinate, or a layout with an offset. */
export type LayoutValue =
  | { readonly kind: 'layout'; readonly layout: Layout; readonly offset: number }
  | { readonly kind: 'tuple'; readonly value: IntTuple };

interface Operation {
  readonly takes: string;
  readonly least: number;
  readonly most: number;
  readonly what: string;
  readonly run: (args: Arguments) => LayoutValue;
}

interface Arguments {
  readonly count: number;
  readonly layout: (at: number) => Layout;
  readonly tiler: (at: number) => Tiler;
  readonly coordinate: (at: number) => Coordinate;
  readonly whole: (at: number) => number;
  readonly step: (at: number) => readonly boolean[];
}

const whole = (layout: Layout): LayoutValue => ({ kind: 'layout', layout, offset: 0 });
const part = ({ layout, offset }: View): LayoutValue => ({ kind: 'layout', layout, offset });
const tuple = (value: IntTuple): LayoutValue => ({ kind: 'tuple', value });

const operation = (takes: string, what: string, run: Operation['run'], optional = 0): Operation => {
  const most = takes.split(', ').length;
  return { takes, what, run, most, least: most - optional };
};

/** Operations by name; CuTe's names are also accepted (`ALIASES`). */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  size: operation('LAYOUT', 'number of coordinates', a => tuple(size(a.layout(0)))),
  cosize: operation('LAYOUT', 'largest offset plus one', a => tuple(cosize(a.layout(0)))),
  at: operation('LAYOUT, COORD', 'offset of a coordinate; _ leaves a mode free', a =>
    at(a.layout(0), a.coordinate(1)),
  ),
  coord: operation('LAYOUT, INDEX', 'coordinate of an index', a =>
    tuple(coordinateOf(a.layout(0).shape, inside(a.layout(0), a.whole(1)))),
  ),
  row: operation('SHAPE', 'packed layout with a contiguous last mode', a =>
    whole(packedRight(a.layout(0).shape)),
  ),
  layout: {
    takes: 'LAYOUT, ...',
    least: 1,
    most: 64,
    what: 'layout with the given layouts as modes',
    run: a => whole(ofModes(Array.from({ length: a.count }, (_, i) => a.layout(i)))),
  },
  coalesce: operation('LAYOUT', 'same offsets with as few modes as possible', a =>
    whole(coalesce(a.layout(0))),
  ),
  coalesce_modes: operation('LAYOUT', 'layout with each mode coalesced', a =>
    whole(coalesceModes(a.layout(0))),
  ),
  flatten: operation('LAYOUT', 'layout without nested modes', a => whole(flattened(a.layout(0)))),
  compose: operation('A, B', 'R with R(c) = A(B(c))', a =>
    whole(composed(a.layout(0), a.tiler(1))),
  ),
  complement: operation(
    'LAYOUT, SIZE',
    'offsets below SIZE that the layout does not reach',
    a => whole(complement(a.layout(0), a.count < 2 ? cosize(a.layout(0)) : a.whole(1))),
    1,
  ),
  inverse: operation('LAYOUT', 'R with LAYOUT(R(i)) = i', a => whole(rightInverse(a.layout(0)))),
  divide: operation('LAYOUT, TILE', 'each mode as (tile, rest)', a =>
    whole(logicalDivide(a.layout(0), a.tiler(1))),
  ),
  zipped_divide: operation('LAYOUT, TILE', '((tile), (rest))', a =>
    whole(zippedDivide(a.layout(0), a.tiler(1))),
  ),
  tile: operation(
    'LAYOUT, TILE, COORD, STEP',
    'tile at a coordinate, _ keeps a mode; without a coordinate, all tiles',
    a => tiled(a),
    2,
  ),
  partition: operation('LAYOUT, THREADS, INDEX', 'elements of one thread in each tile', a =>
    part(localPartition(a.layout(0), a.layout(1), a.whole(2))),
  ),
  product: operation('BLOCK, TILER', 'layout of the repeated block', a =>
    whole(logicalProduct(a.layout(0), a.layout(1))),
  ),
  blocked_product: operation(
    'BLOCK, TILER',
    'layout of repeated blocks, adjacent to each other',
    a => whole(zippedProduct(a.layout(0), a.layout(1), 'blocked')),
  ),
  raked_product: operation(
    'BLOCK, TILER',
    'layout of repeated blocks with interleaved elements',
    a => whole(zippedProduct(a.layout(0), a.layout(1), 'raked')),
  ),
};

const ALIASES: Readonly<Record<string, string>> = {
  composition: 'compose',
  local_tile: 'tile',
  local_partition: 'partition',
  logical_divide: 'divide',
  logical_product: 'product',
  right_inverse: 'inverse',
  slice: 'at',
  crd2idx: 'at',
  idx2crd: 'coord',
  make_layout: 'layout',
};

function at(layout: Layout, coordinate: Coordinate): LayoutValue {
  const view = slice(layout, coordinate);
  return hasFree(coordinate) ? part(view) : tuple(view.offset);
}

const hasFree = (coordinate: Coordinate): boolean =>
  coordinate === null || (typeof coordinate === 'object' && coordinate.some(hasFree));

function inside(layout: Layout, index: number): number {
  if (index < size(layout)) return index;
  throw new LayoutError(
    `Index ${index} is out of range: the layout has ${size(layout)} coordinates.`,
  );
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
  const kept = <T>(given: readonly T[]): readonly T[] =>
    given.filter((_, i) => a.step(3)[i] === true);
  if (!isByMode(tiler) || coordinate === null || typeof coordinate === 'number') {
    throw new LayoutError(
      'A step such as (1,X,1) requires a tile and a coordinate with the same number of modes.',
    );
  }
  return part(localTile(layout, kept(tiler), kept(coordinate)));
}

/**
 * Evaluates a layout expression.
 * @throws {ExpressionError} if the expression is invalid
 */
export const evaluateLayout = (text: string): LayoutValue => valueOf(parseExpression(text));

/** Parses a layout `shape:stride` without operations; returns null for any other text. */
export function parseLayout(text: string): Layout | null {
  try {
    const node = parseExpression(text);
    return node.kind === 'layout' ? literal(node) : null;
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

function valueOf(node: Node): LayoutValue {
  if (node.kind === 'call') return call(node);
  return whole(literal(node));
}

type Call = Extract<Node, { kind: 'call' }>;

function call(node: Call): LayoutValue {
  const lower = node.name.toLowerCase();
  const name = Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? lower) : lower;
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) {
    throw new ExpressionError(
      `Unknown operation ${node.name}. Supported: ${Object.keys(OPERATIONS).join(', ')}.`,
      { start: node.start, end: node.start + node.name.length },
    );
  }
  const { least: minArguments, most, takes, run } = operation;
  const { length } = node.args;
  if (length < minArguments || length > most) {
    const count = minArguments === most ? String(minArguments) : `${minArguments} to ${most}`;
    throw new ExpressionError(
      `${name}(${takes}) expects ${count} ${most === 1 ? 'argument' : 'arguments'}, got ${length}.`,
      node,
    );
  }
  return within(node, () => run(argumentsOf(node)));
}

/** Runs `work` and attributes its errors to the source span of a node. */
function within<T>(node: Node, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LayoutError) throw new ExpressionError(error.message, node);
    throw error;
  }
}

function argumentsOf({ args, ...span }: Call): Arguments {
  const node = (at: number): Node => {
    const found = args[at];
    if (found === undefined) throw new ExpressionError('An argument is missing.', span);
    return found;
  };
  return {
    count: args.length,
    layout: at => layoutAt(node(at)),
    tiler: at => tilerAt(node(at)),
    coordinate: at => coordinateAt(node(at)),
    whole: at => {
      const found = node(at);
      if (found.kind !== 'int') throw new ExpressionError('Expected a number.', found);
      return found.value;
    },
    step: at => {
      const found = node(at);
      const items = found.kind === 'tuple' ? found.items : [found];
      return items.map(({ kind }) => kind !== 'crossed');
    },
  };
}

function layoutAt(node: Node): Layout {
  if (node.kind !== 'call') return literal(node);
  const value = call(node);
  if (value.kind === 'layout') return value.layout;
  throw new ExpressionError(`Expected a layout, but ${node.name} does not return a layout.`, node);
}

function literal(node: Node): Layout {
  if (node.kind === 'layout') {
    return within(node, () => layoutOf(integers(node.shape, 1), integers(node.stride, 0)));
  }
  if (node.kind === 'tuple' && node.items.some(({ kind }) => kind === 'layout')) {
    throw new ExpressionError(
      'Layouts in parentheses form a tile with one layout per mode. Fix: write layout(4:1, 8:4) to combine layouts, or (4,8):(1,4) for a nested layout.',
      node,
    );
  }
  return within(node, () => packed(integers(node, 1)));
}

function integers(node: Node, minArguments: number): IntTuple {
  if (node.kind === 'tuple') return node.items.map(item => integers(item, minArguments));
  if (node.kind !== 'int')
    throw new ExpressionError('Expected a number or a tuple of numbers.', node);
  if (node.value >= minArguments) return node.value;
  throw new ExpressionError('An extent must be at least 1.', node);
}

function tilerAt(node: Node): Tiler {
  if (node.kind === 'tuple') return node.items.map(tilerAt);
  return node.kind === 'int' ? within(node, () => layoutOf(integers(node, 1), 1)) : layoutAt(node);
}

function coordinateAt(node: Node): Coordinate {
  if (node.kind === 'int') return node.value;
  if (node.kind === 'free') return null;
  if (node.kind === 'tuple') return node.items.map(coordinateAt);
  if (node.kind === 'call') {
    const value = call(node);
    if (value.kind === 'tuple') return value.value;
  }
  throw new ExpressionError('Expected a coordinate such as (1,2) or (0,_).', node);
}
