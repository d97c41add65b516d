/** Smallest edit between two texts, so that unchanged characters are kept. */
import type { Replacement } from '../../core/spec/jsonText';

/** Returns the span to replace in `before`, and the replacement that yields `after`. */
export function difference(before: string, after: string): Replacement {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}
