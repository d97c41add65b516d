/** Position in the tokens of a layout expression. */
import { ExpressionError, foundText, tokensOf, type Token } from './tokens';

export interface Cursor {
  readonly peek: () => Token;
  readonly next: () => Token;
  readonly isMark: (mark: string) => boolean;
  readonly isWord: (word: string) => boolean;
  /** Moves past the mark if it is next; returns whether it was. */
  readonly accept: (mark: string) => boolean;
  /** Moves past the mark and returns it. Throws `ExpressionError` if another token is next. */
  readonly expect: (mark: string, where: string) => Token;
  /** Moves past `auto NAME =` and returns the name; returns null if no definition is next. */
  readonly definedName: () => string | null;
}

const END: Token = { kind: 'end', text: '', start: 0, end: 1 };

export function cursorOf(text: string): Cursor {
  const tokens = tokensOf(text);
  let at = 0;
  const tokenAt = (index: number): Token => tokens[index] ?? tokens.at(-1) ?? END;
  const peek = (): Token => tokenAt(at);
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const isMark = (mark: string): boolean => peek().kind === 'mark' && peek().text === mark;
  return {
    peek,
    next,
    isMark,
    isWord: word => peek().kind === 'word' && peek().text === word,
    accept: mark => {
      if (!isMark(mark)) return false;
      at += 1;
      return true;
    },
    expect: (mark, where) => {
      if (isMark(mark)) return next();
      throw new ExpressionError(`Expected "${mark}" ${where}, but ${foundText(peek())}.`, peek());
    },
    definedName: () => {
      let last = at;
      while (tokenAt(last).kind === 'word') last += 1;
      if (last === at || tokenAt(last).text !== '=') return null;
      at = last + 1;
      return tokenAt(last - 1).text;
    },
  };
}
