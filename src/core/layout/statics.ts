/**
 * Static and dynamic integers: `_8` is a compile-time constant, `8` a run-time value. An integer of
 * a result is static if it does not depend on a dynamic integer. This is computed by evaluating the
 * expression again with other values of the dynamic integers.
 */
import { operationName, valueOf } from './evaluate';
import { flatten, isLeaf, type IntTuple } from './intTuple';
import type { Node } from './node';
import { OPERATIONS } from './operations';
import { ExpressionError } from './tokens';
import { valueText, type LayoutValue, type PlacedLayout } from './value';

/** Factors of distinct dynamic values, so that their ratios change too. */
const FACTORS = [2, 3, 5, 7, 11, 13] as const;
/** Arguments that only affect the offset, never the layout. */
const PLACES: ReadonlySet<string> = new Set(['COORD', 'INDEX', 'STEP']);

/**
 * Formats a value with `_` before static integers; returns null if the expression has no static
 * integer.
 */
export function staticText(node: Node, value: PlacedLayout): string | null {
  if (!hasStatic(node)) return null;
  const varied = variedValue(node);
  const marked = (tuple: IntTuple, other: IntTuple | null): string => {
    if (isLeaf(tuple)) return `${tuple === other ? '_' : ''}${tuple}`;
    const others = other === null || isLeaf(other) ? [] : other;
    return `(${tuple.map((mode, i) => marked(mode, others[i] ?? null)).join(',')})`;
  };
  const { shape, stride } = value.layout;
  const [otherShape, otherStride] =
    varied?.kind === 'layout' && hasEqualLength(varied.layout.shape, shape)
      ? [varied.layout.shape, varied.layout.stride]
      : [null, null];
  // A composition with a swizzle has the static offset 0.
  const offset = value.offset === 0 ? '_0' : `${value.offset}`;
  return valueText(value, `${marked(shape, otherShape)}:${marked(stride, otherStride)}`, offset);
}

const hasEqualLength = (a: IntTuple, b: IntTuple): boolean =>
  flatten(a).length === flatten(b).length;

const childrenOf = (node: Node): readonly Node[] => {
  switch (node.kind) {
    case 'tuple':
      return node.items;
    case 'layout':
      return [node.shape, node.stride];
    case 'swizzled':
      return [node.layout];
    case 'call':
      return node.args.filter((_, i) => !isPlace(node, i));
    default:
      return [];
  }
};

function isPlace(node: Extract<Node, { kind: 'call' }>, at: number): boolean {
  const takes = OPERATIONS[operationName(node)]?.takes.split(', ')[at];
  return takes !== undefined && PLACES.has(takes);
}

const hasStatic = (node: Node): boolean =>
  node.kind === 'int' ? node.isStatic : childrenOf(node).some(hasStatic);

/** Evaluates with changed dynamic integers; null if that fails, so that all depend on them. */
function variedValue(node: Node): LayoutValue | null {
  const factors = new Map<number, number>();
  const varied = (value: number): number => {
    const factor = factors.get(value) ?? FACTORS[factors.size % FACTORS.length] ?? 2;
    factors.set(value, factor);
    return Math.max(1, value) * factor;
  };
  const changed = (at: Node): Node => {
    switch (at.kind) {
      case 'int':
        return at.isStatic ? at : { ...at, value: varied(at.value) };
      case 'tuple':
        return { ...at, items: at.items.map(changed) };
      case 'layout':
        return { ...at, shape: changed(at.shape), stride: changed(at.stride) };
      case 'swizzled':
        return { ...at, layout: changed(at.layout) };
      case 'call':
        return { ...at, args: at.args.map((arg, i) => (isPlace(at, i) ? arg : changed(arg))) };
      default:
        return at;
    }
  };
  try {
    return valueOf(changed(node));
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}
