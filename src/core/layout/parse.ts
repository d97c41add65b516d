/**
 * Parses layout expressions, `compose((8,8):(1,8), (4,2):(2,1))`, to a tree with source positions.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Node = Span &
  (
    | { readonly kind: 'int'; readonly value: number }
    /** `_`: a free mode. `X`: a mode that a step skips. */
    | { readonly kind: 'free' | 'crossed' }
    | { readonly kind: 'tuple'; readonly items: readonly Node[] }
    | { readonly kind: 'layout'; readonly shape: Node; readonly stride: Node }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  );

export class ExpressionError extends Error {
  constructor(
    message: string,
    readonly span: Span,
  ) {
    super(message);
  }
}

interface Token extends Span {
  readonly kind: 'int' | 'word' | 'mark' | 'end';
  readonly text: string;
}

const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 50;
const TOKEN = /\s*(?:(_?\d+)|([A-Za-z_]\w*)|(.))/suy;

function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_CHARACTERS) {
    const span = { start: MAX_CHARACTERS, end: text.length };
    throw new ExpressionError(`An expression has at most ${MAX_CHARACTERS} characters.`, span);
  }
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [, int, word, mark = ''] = match;
    const found = int ?? word ?? mark;
    const kind = int === undefined ? (word === undefined ? 'mark' : 'word') : 'int';
    tokens.push({ kind, text: found, start: TOKEN.lastIndex - found.length, end: TOKEN.lastIndex });
  }
  return [...tokens, { kind: 'end', text: '', start: end, end: end + 1 }];
}

/**
 * Parses a layout expression.
 * @throws {ExpressionError} if the expression is invalid
 */
export function parseExpression(text: string): Node {
  const tokens = tokensOf(text);
  let at = 0;
  const peek = (): Token => tokens[at] ?? tokens[tokens.length - 1] ?? END;
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const named = (token: Token): string =>
    token.kind === 'end' ? 'the expression ends' : `found "${token.text}"`;
  const isMark = (mark: string): boolean => peek().kind === 'mark' && peek().text === mark;

  const items = (open: Token, what: string, depth: number): readonly Node[] => {
    const found: Node[] = [];
    while (!isMark(')')) {
      if (found.length > 0) {
        if (!isMark(',')) {
          throw new ExpressionError(
            `Expected "," or ")" in ${what} that begins at column ${open.start + 1}, but ${named(peek())}.`,
            peek(),
          );
        }
        next();
        if (isMark(')')) break;
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
    if (!isMark(':')) return shape;
    next();
    const stride = part(depth);
    return { kind: 'layout', shape, stride, start: shape.start, end: stride.end };
  };

  const part = (depth: number): Node => {
    const token = next();
    const { start, end } = token;
    if (token.kind === 'int') return integer(token);
    if (token.kind === 'word' && isMark('(')) {
      const open = next();
      const args = items(open, `the call of ${token.text}`, depth);
      return { kind: 'call', name: token.text, args, start, end: next().end };
    }
    if (token.text === '_') return { kind: 'free', start, end };
    if (token.text.toUpperCase() === 'X') return { kind: 'crossed', start, end };
    if (token.kind === 'mark' && token.text === '(') {
      const found = items(token, 'the tuple', depth);
      const close = next();
      if (found.length === 0) {
        throw new ExpressionError('A tuple has at least one element.', { start, end: close.end });
      }
      return { kind: 'tuple', items: found, start, end: close.end };
    }
    throw new ExpressionError(expectation(token, named(token)), token);
  };

  const tree = value(0);
  if (peek().kind !== 'end') {
    throw new ExpressionError(`Expected the end of the expression, but ${named(peek())}.`, peek());
  }
  return tree;
}

const END: Token = { kind: 'end', text: '', start: 0, end: 1 };

function expectation(token: Token, found: string): string {
  if (token.text === '-')
    return 'Negative numbers are not supported: extents are at least 1, strides at least 0.';
  if (token.kind === 'word')
    return `Expected "(" after ${token.text}, or a layout such as (4,2):(1,4).`;
  return `Expected a number, a tuple such as (4,2), or an operation such as compose(A, B), but ${found}.`;
}

function integer({ text, start, end }: Token): Node {
  const value = Number(text.replace('_', ''));
  if (!Number.isSafeInteger(value))
    throw new ExpressionError(`${text} is too large.`, { start, end });
  return { kind: 'int', value, start, end };
}
