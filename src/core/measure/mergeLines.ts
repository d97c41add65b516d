/** Merges the lines of journals that several tasks have written. */

/**
 * Returns one line per key, sorted by key. The result depends neither on the order of the lines nor
 * on repeated lines, and merging it again changes nothing. If lines of one key differ, because two
 * processes measured the same kernel, the line whose JSON text sorts first is kept.
 */
export function mergeLines<L>(lines: Iterable<L>, keyOf: (line: L) => string): readonly L[] {
  const kept = new Map<string, { readonly line: L; readonly text: string }>();
  for (const line of lines) {
    const key = keyOf(line);
    const text = JSON.stringify(line);
    const before = kept.get(key);
    if (before === undefined || text < before.text) kept.set(key, { line, text });
  }
  return [...kept]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([, { line }]) => line);
}
