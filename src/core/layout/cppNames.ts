/** Names of CuTe's C++ types and constructors in layout expressions. */
import { LayoutError } from './layout';
import type { Node } from './node';
import { swizzleOf } from './swizzle';
import { ExpressionError, type Token } from './tokens';

/** Functions that return a tuple of their arguments. */
export const TUPLE_CALLS: ReadonlySet<string> = new Set([
  'make_shape',
  'make_stride',
  'make_coord',
  'make_step',
  'make_tile',
  'make_tuple',
]);

const TUPLE_TYPES: ReadonlySet<string> = new Set(['Shape', 'Stride', 'Coord', 'Step', 'Tile']);
const INTEGER_TYPES: ReadonlySet<string> = new Set(['Int', 'C', 'Constant']);

/** Returns the value of a word without arguments, such as `_` or `LayoutRight`. */
export function valueOfWord({ text, start, end }: Token): Node | null {
  const span = { start, end };
  switch (text) {
    case '_':
    case 'Underscore':
      return { kind: 'free', ...span };
    case 'X':
    case 'x':
      return { kind: 'crossed', ...span };
    case 'LayoutLeft':
    case 'GenColMajor':
      return { kind: 'left', ...span };
    case 'LayoutRight':
    case 'GenRowMajor':
      return { kind: 'right', ...span };
    default:
      return null;
  }
}

/**
 * Returns the value of a C++ type such as `Int<8>`; null for other templates.
 * @throws {ExpressionError} if the type does not permit the arguments
 */
export function valueOfTemplate(
  { text: name, start }: Token,
  args: readonly Node[],
  end: number,
): Node | null {
  const span = { start, end };
  const [first] = args;
  if (INTEGER_TYPES.has(name)) {
    if (first?.kind === 'int' && args.length === 1) return { ...first, isStatic: true, ...span };
    throw new ExpressionError(`${name} takes one integer, such as ${name}<8>.`, span);
  }
  if (TUPLE_TYPES.has(name)) {
    if (args.length > 0) return { kind: 'tuple', items: args, ...span };
    throw new ExpressionError(`${name} has at least one element, such as ${name}<_8>.`, span);
  }
  if (name === 'Layout') {
    if (args.length === 1 || args.length === 2)
      return { kind: 'call', name: 'make_layout', args, ...span };
    throw new ExpressionError(
      'Layout takes a shape and a stride, such as Layout<Shape<_2,_4>,Stride<_4,_1>>.',
      span,
    );
  }
  if (name === 'Swizzle' || name === 'Sw') return swizzleNode(args, span);
  return null;
}

function swizzleNode(
  args: readonly Node[],
  span: { readonly start: number; readonly end: number },
): Node {
  const [bits, base, shift, ...others] = args.map(node => (node.kind === 'int' ? node.value : 0));
  if (bits === undefined || base === undefined || others.length > 0) {
    throw new ExpressionError('Swizzle takes three integers, such as Swizzle<3,3,3>.', span);
  }
  try {
    return { kind: 'swizzle', swizzle: swizzleOf(bits, base, shift ?? bits), ...span };
  } catch (error) {
    if (error instanceof LayoutError) throw new ExpressionError(error.message, span);
    throw error;
  }
}
