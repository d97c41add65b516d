/** Splits a layout expression into tokens. Skips white space, C++ comments and `cute::`. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export class ExpressionError extends Error {
  constructor(
    message: string,
    readonly span: Span,
  ) {
    super(message);
  }
}

export interface Token extends Span {
  readonly kind: 'int' | 'word' | 'mark' | 'end';
  readonly text: string;
}

const MAX_CHARACTERS = 10_000;
const SKIPPED = String.raw`(?:\s|//[^\n]*|/\*.*?\*/|cute::)*`;
/** A word may have members, such as blockIdx.x. */
const TOKEN = new RegExp(`${SKIPPED}(?:(_?\\d+)|([A-Za-z_]\\w*(?:\\.\\w+)*)|(.))?`, 'suy');

/** @throws {ExpressionError} if the text is too long */
export function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_CHARACTERS) {
    const span = { start: MAX_CHARACTERS, end: text.length };
    throw new ExpressionError(`An expression has at most ${MAX_CHARACTERS} characters.`, span);
  }
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const [, int, word, mark] = TOKEN.exec(text) ?? [];
    const found = int ?? word ?? mark;
    if (found === undefined) break;
    const kind = int === undefined ? (word === undefined ? 'mark' : 'word') : 'int';
    tokens.push({ kind, text: found, start: TOKEN.lastIndex - found.length, end: TOKEN.lastIndex });
  }
  const end = text.trimEnd().length;
  return [...tokens, { kind: 'end', text: '', start: end, end: end + 1 }];
}

/** Describes a token that is not expected. */
export const foundText = ({ kind, text }: Token): string =>
  kind === 'end' ? 'the expression ends' : `found "${text}"`;
