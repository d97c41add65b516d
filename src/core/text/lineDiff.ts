/** Line diff of two texts by longest common subsequence. */

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** One-based line numbers; absent if the line is not in that text. */
  readonly before?: number;
  readonly after?: number;
}

/**
 * Maximum number of line pairs to compare, which bounds the run time. Above it, all lines between
 * the common start and end count as replaced.
 */
const MAX_PAIRS = 4_000_000;

export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = { a: a.slice(head, a.length - tail), b: b.slice(head, b.length - tail) };
  const kept = longestCommonSubsequence(middle.a, middle.b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  const same = (text: string) => {
    lines.push({ kind: 'same', text, before: ++i, after: ++j });
  };
  const upTo = (toA: number, toB: number) => {
    while (i < toA) lines.push({ kind: 'removed', text: a[i] ?? '', before: ++i });
    while (j < toB) lines.push({ kind: 'added', text: b[j] ?? '', after: ++j });
  };
  for (const text of a.slice(0, head)) same(text);
  for (const [inA, inB] of kept) {
    upTo(head + inA, head + inB);
    same(a[i] ?? '');
  }
  upTo(a.length - tail, b.length - tail);
  for (const text of a.slice(a.length - tail)) same(text);
  return lines;
}

/** Returns the index pairs of a longest common subsequence, in order; empty above MAX_PAIRS. */
function longestCommonSubsequence(
  a: readonly string[],
  b: readonly string[],
): readonly (readonly [number, number])[] {
  if (a.length * b.length > MAX_PAIRS) return [];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
