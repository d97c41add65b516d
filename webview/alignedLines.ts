/** Correspondence of the lines of two sources of the same kernel. */
import type { Lines } from '../src/core/kernel/print/statementLines';
import { lineDiff } from '../src/core/text/lineDiff';

/**
 * Returns a function from lines of `from` to the same lines of `to`. It returns null if the first
 * line is not in `to`.
 */
export function alignedLines(from: string, to: string): (lines: Lines) => Lines | null {
  const numbers = new Map<number, number>();
  for (const { before, after } of lineDiff(from, to))
    if (before !== undefined && after !== undefined) numbers.set(before, after);
  return ({ first, last }) => {
    const at = numbers.get(first);
    if (at === undefined) return null;
    return { first: at, last: Math.max(at, numbers.get(last) ?? at) };
  };
}
