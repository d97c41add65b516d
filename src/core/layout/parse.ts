/**
 * Parses layout expressions, `compose((8,8):(1,8), (4,2):(2,1))`, to a tree with source positions.
 * Accepts CuTe C++ source: `auto tA = make_layout(make_shape(Int<32>{}, Int<8>{}));`.
 */
import { cursorOf } from './cursor';
import { TUPLE_CALLS, valueOfTemplate, valueOfWord } from './cppNames';
import type { Node } from './node';
import { ExpressionError, foundText, type Token } from './tokens';

const MAX_DEPTH = 50;
/** Maximum number of nodes after each name is replaced by its definition. */
const MAX_PARTS = 10_000;

/** A named value, and the number of nodes of its tree. */
interface Definition {
  readonly node: Node;
  readonly parts: number;
}

/**
 * Parses a layout expression. Definitions such as `auto bM = Int<128>{};` may precede it. The last
 * statement is the result.
 * @param before valid definitions that precede the text; positions of errors are those of the text
 * @throws {ExpressionError} if the expression is invalid
 */
export function parseExpression(text: string, before = ''): Node {
  const definitions = new Map<string, Definition>();
  if (before !== '') parseStatements(before, definitions);
  return parseStatements(text, definitions);
}

/** Parses statements, adds their definitions, and returns the last value. */
function parseStatements(text: string, definitions: Map<string, Definition>): Node {
  const { peek, next, isMark, isWord, accept, expect, definedName } = cursorOf(text);
  let parts = 0;
  const count = (more: number, token: Token): void => {
    parts += more;
    if (parts > MAX_PARTS) {
      throw new ExpressionError(
        `The expression has more than ${MAX_PARTS} parts after its names are replaced.`,
        token,
      );
    }
  };

  const items = (open: Token, what: string, close: string, depth: number): readonly Node[] => {
    const found: Node[] = [];
    while (!isMark(close)) {
      if (found.length > 0) {
        if (!accept(',')) {
          throw new ExpressionError(
            `Expected "," or "${close}" in ${what} that begins at column ${open.start + 1}, but ${foundText(peek())}.`,
            peek(),
          );
        }
        if (isMark(close)) break;
      }
      found.push(value(depth + 1));
    }
    return found;
  };

  const value = (depth: number): Node => {
    if (depth > MAX_DEPTH) {
      throw new ExpressionError(`Nested deeper than ${MAX_DEPTH} levels.`, peek());
    }
    const shape = part(depth);
    if (shape.kind === 'swizzle' && isWord('o')) return swizzled(shape, depth);
    if (!accept(':')) return shape;
    const stride = part(depth);
    return { kind: 'layout', shape, stride, start: shape.start, end: stride.end };
  };

  /** Parses the end of `Sw<3,3,3> o 0 o LAYOUT`. */
  const swizzled = (
    { swizzle, start }: Extract<Node, { kind: 'swizzle' }>,
    depth: number,
  ): Node => {
    next();
    const offset = part(depth);
    if (offset.kind !== 'int' || !isWord('o')) {
      throw new ExpressionError('Expected an offset and a layout, such as Sw<3,3,3> o 0 o 64:1.', {
        start,
        end: offset.end,
      });
    }
    next();
    const layout = value(depth + 1);
    return { kind: 'swizzled', swizzle, offset: offset.value, layout, start, end: layout.end };
  };

  const part = (depth: number): Node => {
    const token = next();
    count(1, token);
    if (token.kind === 'int') return braced(integer(token, token.text.startsWith('_')));
    if (token.kind === 'word') return word(token, depth);
    if (token.text === '-' && peek().kind === 'int') {
      throw new ExpressionError(NEGATIVE, token);
    }
    if (token.kind === 'mark' && token.text === '(') {
      const found = items(token, 'the tuple', ')', depth);
      const { end } = next();
      return tupleNode(found, token.start, end);
    }
    throw new ExpressionError(
      `Expected a number, a tuple such as (4,2), or an operation such as compose(A, B), but ${foundText(token)}.`,
      token,
    );
  };

  /** Skips the `{}` that constructs a value of a C++ type. */
  const braced = (node: Node): Node => {
    if (!accept('{')) return node;
    return { ...node, end: expect('}', 'after "{"').end };
  };

  const word = (token: Token, depth: number): Node => {
    const { start, text: name } = token;
    const definition = definitions.get(name);
    if (definition !== undefined) {
      count(definition.parts, token);
      return applied(braced(definition.node), start, depth);
    }
    if (name === 'make_tensor') return tensor(token, depth);
    if (isMark('<')) return template(token, depth);
    if (isMark('(')) return call(token, [], depth);
    const known = valueOfWord(token);
    if (known !== null) return braced(known);
    throw new ExpressionError(
      `Expected "(" after ${name} if it is an operation, or a definition such as ${name} = 8; before it.`,
      token,
    );
  };

  /**
   * Parses `make_tensor(POINTER, LAYOUT)` or `make_tensor<TYPE>(LAYOUT)` to the layout, which may
   * also be a shape and strides. The pointer and the type can be any C++ expression.
   */
  const tensor = ({ start, text: name }: Token, depth: number): Node => {
    const isOwning = accept('<');
    if (isOwning) {
      skipTo('>');
      next();
    }
    const open = expect('(', `after ${name}`);
    if (!isOwning) {
      skipTo(',');
      expect(',', `after the pointer of ${name}`);
    }
    const args = items(open, `the call of ${name}`, ')', depth);
    const { end } = next();
    const [only] = args;
    const isLayout = args.length === 1 && only !== undefined && only.kind !== 'tuple';
    const layout: Node = isLayout ? only : { kind: 'call', name: 'make_layout', args, start, end };
    return applied(layout, start, depth);
  };

  /** Skips balanced tokens up to the mark, or to the end of the arguments. */
  const skipTo = (mark: string): void => {
    let open = 0;
    while (peek().kind !== 'end' && (open > 0 || !(isMark(mark) || isMark(')') || isMark(';')))) {
      const { text: skipped } = next();
      if ('([{<'.includes(skipped)) open += 1;
      if (')]}>'.includes(skipped)) open -= 1;
    }
  };

  /** Parses `Name<...>{}` or `name<0,1>(...)`. */
  const template = (token: Token, depth: number): Node => {
    const open = next();
    const args = isSwizzle(token.text)
      ? signedIntegers(open)
      : items(open, `the template arguments of ${token.text}`, '>', depth);
    const { end } = expect('>', `after the template arguments of ${token.text}`);
    const known = valueOfTemplate(token, args, end);
    if (known !== null) return applied(braced(known), token.start, depth);
    if (isMark('(')) return call(token, args, depth);
    throw new ExpressionError(
      `${token.text}<...> is not a supported type. Supported: Int, Shape, Stride, Coord, Step, Tile, Layout, Swizzle.`,
      token,
    );
  };

  const signedIntegers = (open: Token): readonly Node[] => {
    const found: Node[] = [];
    do {
      const isNegative = accept('-');
      const token = next();
      if (token.kind !== 'int') {
        throw new ExpressionError(
          `Expected three integers in the template arguments that begin at column ${open.start + 1}, but ${foundText(token)}.`,
          token,
        );
      }
      const node = integer(token, true);
      found.push({ ...node, value: isNegative ? -node.value : node.value });
    } while (accept(','));
    return found;
  };

  /** Parses the arguments of a call. `size<1>(L)` is the size of mode 1. */
  const call = (token: Token, indices: readonly Node[], depth: number): Node => {
    const { start, text: name } = token;
    const given = items(next(), `the call of ${name}`, ')', depth);
    const { end } = next();
    if (TUPLE_CALLS.has(name)) return tupleNode(given, start, end);
    const [only] = given;
    if (only !== undefined && given.length === 1) {
      if (CONVERSIONS.has(name)) return only.kind === 'int' ? { ...only, isStatic: false } : only;
      if (PRINTING.has(name)) return only;
    }
    const args = given.map((argument, i) =>
      i > 0
        ? argument
        : indices.reduce(
            (layout: Node, index): Node => ({
              kind: 'call',
              name: 'mode',
              args: [layout, index],
              start,
              end,
            }),
            argument,
          ),
    );
    return applied({ kind: 'call', name, args, start, end }, start, depth);
  };

  /** Parses the coordinate after a layout: `tAgA(_,_,3)` is `at(tAgA, (_,_,3))`. */
  const applied = (node: Node, start: number, depth: number): Node => {
    if (!isMark('(')) return node;
    const given = items(next(), 'the coordinate', ')', depth);
    const { end } = next();
    const [only] = given;
    const coordinate =
      given.length === 1 && only !== undefined ? only : tupleNode(given, start, end);
    return { kind: 'call', name: 'at', args: [node, coordinate], start, end };
  };

  for (;;) {
    const name = definedName();
    const before = parts;
    const node = value(0);
    if (name !== null) definitions.set(name, { node, parts: parts - before });
    const isSeparated = accept(';');
    if (peek().kind === 'end') return node;
    if (!isSeparated) {
      throw new ExpressionError(
        `Expected the end of the expression or ";", but ${foundText(peek())}.`,
        peek(),
      );
    }
  }
}

const NEGATIVE = 'Negative numbers are not supported: extents are at least 1, strides at least 0.';
/** C++ conversions, whose result is a dynamic integer. */
const CONVERSIONS: ReadonlySet<string> = new Set(['int', 'int32_t', 'int64_t', 'size_t']);
const PRINTING: ReadonlySet<string> = new Set(['print', 'print_layout', 'print_latex']);

const isSwizzle = (name: string): boolean => name === 'Swizzle' || name === 'Sw';

function tupleNode(items: readonly Node[], start: number, end: number): Node {
  if (items.length > 0) return { kind: 'tuple', items, start, end };
  throw new ExpressionError('A tuple has at least one element.', { start, end });
}

type Integer = Extract<Node, { kind: 'int' }>;

function integer({ text, start, end }: Token, isStatic: boolean): Integer {
  const value = Number(text.replace('_', ''));
  if (!Number.isSafeInteger(value))
    throw new ExpressionError(`${text} is too large.`, { start, end });
  return { kind: 'int', value, isStatic, start, end };
}
