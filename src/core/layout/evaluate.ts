/** Evaluates layout expressions. */
import type { Coordinate, Tiler } from './divide';
import type { IntTuple } from './intTuple';
import { LayoutError, layoutOf, packed, type Layout } from './layout';
import type { Call, Node } from './node';
import { ALIASES, OPERATIONS, type Arguments, type Operation } from './operations';
import { parseExpression } from './parse';
import { periodOf } from './swizzle';
import { ExpressionError } from './tokens';
import { swizzledOffset, type LayoutValue, type PlacedLayout } from './value';

/**
 * Evaluates a layout expression.
 * @throws {ExpressionError} if the expression is invalid
 */
export const evaluateLayout = (text: string): LayoutValue => valueOf(parseExpression(text));

/**
 * Parses a layout `shape:stride` without operations, definitions and comments; returns null for any
 * other text.
 */
export function parseLayout(text: string): Layout | null {
  if (!/^[\s\d_(),:]*$/.test(text)) return null;
  try {
    const node = parseExpression(text);
    return node.kind === 'layout' ? literal(node).layout : null;
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** @throws {ExpressionError} if the tree has no value */
export const valueOf = (node: Node): LayoutValue =>
  node.kind === 'call' ? call(node) : literal(node);

/** Returns the name of the operation in `OPERATIONS`; CuTe's names are aliases. */
export function operationName({ name }: Call): string {
  const lower = name.toLowerCase();
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? lower) : lower;
}

function operationOf(node: Call): Operation {
  const name = operationName(node);
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation !== undefined) return operation;
  throw new ExpressionError(
    `Unknown operation ${node.name}. Supported: ${Object.keys(OPERATIONS).join(', ')}.`,
    { start: node.start, end: node.start + node.name.length },
  );
}

function call(node: Call): LayoutValue {
  const { least, most, takes, placement, run } = operationOf(node);
  const { length } = node.args;
  if (length < least || length > most) {
    const count = least === most ? String(least) : `${least} to ${most}`;
    throw new ExpressionError(
      `${operationName(node)}(${takes}) expects ${count} ${most === 1 ? 'argument' : 'arguments'}, got ${length}.`,
      node,
    );
  }
  const given = argumentsOf(node, placement);
  const result = within(node, () => run(given));
  return placement === 'carried' ? carried(given.placed(0), result) : result;
}

/** Applies the offset and the swizzle of an operation's first layout to its result. */
function carried(first: PlacedLayout, result: LayoutValue): LayoutValue {
  if (result.kind === 'layout') {
    const offset = first.offset + result.offset;
    return first.swizzle === undefined
      ? { ...result, offset }
      : { ...result, offset, swizzle: first.swizzle };
  }
  const { value } = result;
  return typeof value === 'number' ? { ...result, value: swizzledOffset(first, value) } : result;
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

interface PlacedArguments extends Arguments {
  readonly placed: (at: number) => PlacedLayout;
}

function argumentsOf({ args, ...span }: Call, placement: Operation['placement']): PlacedArguments {
  const node = (at: number): Node => {
    const found = args[at];
    if (found === undefined) throw new ExpressionError('An argument is missing.', span);
    return found;
  };
  const placedByArgument = new Map<number, PlacedLayout>();
  const placed = (at: number): PlacedLayout => {
    const known = placedByArgument.get(at) ?? placedAt(node(at));
    placedByArgument.set(at, known);
    return known;
  };
  return {
    count: args.length,
    placed,
    kind: at => kindOf(node(at)),
    layout: at => {
      const { layout, swizzle } = placed(at);
      if (
        swizzle !== undefined &&
        !(placement === 'domain' || (placement === 'carried' && at === 0))
      )
        throw notSwizzled(node(at));
      return layout;
    },
    tiler: at => tilerAt(node(at)),
    coordinate: at => coordinateAt(node(at)),
    whole: at => {
      const found = integers(node(at), 0);
      if (typeof found === 'number') return found;
      throw new ExpressionError('Expected a number.', node(at));
    },
    extents: at => integers(node(at), 1),
    strides: at => integers(node(at), 0),
    step: at => {
      const found = node(at);
      const items = found.kind === 'tuple' ? found.items : [found];
      return items.map(({ kind }) => kind !== 'crossed');
    },
  };
}

const notSwizzled = (node: Node): ExpressionError =>
  new ExpressionError(
    'This argument must be a layout without a swizzle. Fix: apply the operation to the layout, then compose(Swizzle<B,M,S>, LAYOUT).',
    node,
  );

function kindOf(node: Node): ReturnType<Arguments['kind']> {
  if (node.kind === 'left' || node.kind === 'right') return node.kind;
  if (node.kind === 'call') return call(node).kind;
  return node.kind === 'int' || (node.kind === 'tuple' && !node.items.some(isLayoutNode))
    ? 'tuple'
    : 'layout';
}

const isLayoutNode = ({ kind }: Node): boolean => kind === 'layout';

function placedAt(node: Node): PlacedLayout {
  if (node.kind !== 'call') return literal(node);
  const value = call(node);
  if (value.kind === 'layout') return value;
  throw new ExpressionError(`Expected a layout, but ${node.name} does not return a layout.`, node);
}

function layoutAt(node: Node): Layout {
  const { layout, swizzle } = placedAt(node);
  if (swizzle !== undefined) throw notSwizzled(node);
  return layout;
}

function literal(node: Node): PlacedLayout {
  const placed = (layout: Layout): PlacedLayout => ({ kind: 'layout', layout, offset: 0 });
  switch (node.kind) {
    case 'layout':
      return placed(
        within(node, () => layoutOf(integers(node.shape, 1), integers(node.stride, 0))),
      );
    case 'swizzle':
      return { ...placed(layoutOf(periodOf(node.swizzle), 1)), swizzle: node.swizzle };
    case 'swizzled':
      return { ...placed(layoutAt(node.layout)), offset: node.offset, swizzle: node.swizzle };
    default:
      break;
  }
  if (node.kind === 'tuple' && node.items.some(isLayoutNode)) {
    throw new ExpressionError(
      'Layouts in parentheses form a tile with one layout per mode. Fix: write layout(4:1, 8:4) to combine layouts, or (4,8):(1,4) for a nested layout.',
      node,
    );
  }
  return placed(within(node, () => packed(integers(node, 1))));
}

/** Returns the integers of a shape (`least` 1) or of strides (`least` 0). */
function integers(node: Node, least: number): IntTuple {
  if (node.kind === 'tuple') return node.items.map(item => integers(item, least));
  const value = node.kind === 'int' ? node.value : node.kind === 'call' ? tupleOfCall(node) : null;
  if (value === null) throw new ExpressionError('Expected a number or a tuple of numbers.', node);
  if (typeof value !== 'number' || value >= least) return value;
  throw new ExpressionError('An extent must be at least 1.', node);
}

function tupleOfCall(node: Call): IntTuple | null {
  const value = call(node);
  return value.kind === 'tuple' ? value.value : null;
}

function tilerAt(node: Node): Tiler {
  if (node.kind === 'tuple') return node.items.map(tilerAt);
  if (node.kind === 'call') {
    const value = call(node);
    return value.kind === 'tuple' ? within(node, () => tilerOf(value.value)) : layoutAt(node);
  }
  return node.kind === 'int' ? within(node, () => tilerOf(integers(node, 1))) : layoutAt(node);
}

const tilerOf = (extents: IntTuple): Tiler =>
  typeof extents === 'number' ? layoutOf(extents, 1) : extents.map(tilerOf);

function coordinateAt(node: Node): Coordinate {
  if (node.kind === 'int') return node.value;
  if (node.kind === 'free') return null;
  if (node.kind === 'tuple') return node.items.map(coordinateAt);
  if (node.kind === 'call') {
    const value = tupleOfCall(node);
    if (value !== null) return value;
  }
  throw new ExpressionError('Expected a coordinate such as (1,2) or (0,_).', node);
}
