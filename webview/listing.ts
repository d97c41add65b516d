/** Lines of kernel source for display: their tokens, and whether the last change affected them. */
import { lineDiff } from '../src/core/text/lineDiff';
import { tokensOf, type Token } from './sourceTokens';

export interface Touched {
  /** One-based line numbers in the new kernel source. */
  readonly lines: ReadonlySet<number>;
  readonly removed: number;
}

export const UNTOUCHED: Touched = { lines: new Set(), removed: 0 };

/**
 * Pattern of the `@gemm` and `Compile:` header lines, which are ignored because they can change
 * with every edit.
 */
const NAMES = /^\/\/ (@gemm|Compile:)/;

/** A changed line counts as removed and added. Lines that match `NAMES` are ignored. */
export function touched(before: string, after: string): Touched {
  if (before === after) return UNTOUCHED;
  const diff = lineDiff(before, after).filter(({ text }) => !NAMES.test(text));
  const lines = diff.flatMap(({ kind, after: at }) =>
    kind === 'added' && at !== undefined ? [at] : [],
  );
  const removed = diff.filter(({ kind }) => kind === 'removed').length;
  return { lines: new Set(lines), removed };
}

export interface SourceLine {
  readonly tokens: readonly Token[];
  /** True for a changed line; an empty line is never highlighted. */
  readonly changed: boolean;
}

export function sourceLines(source: string, changed: ReadonlySet<number>): readonly SourceLine[] {
  let isInComment = false;
  return source.split('\n').map((text, index) => {
    const { tokens, opensComment } = tokensOf(text, isInComment);
    isInComment = opensComment;
    return { tokens, changed: text !== '' && changed.has(index + 1) };
  });
}

export const gutterOf = (source: string, changed: ReadonlySet<number>): string =>
  source
    .replace(/\n$/, '')
    .split('\n')
    .map((_, index) => `${index + 1}${changed.has(index + 1) ? ' +' : '  '}`)
    .join('\n');
