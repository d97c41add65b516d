/** The first `count` of what may have no end. */
export function taken<T>(count: number, from: Iterable<T>): readonly T[] {
  const all: T[] = [];
  for (const one of from) {
    if (all.length === count) break;
    all.push(one);
  }
  return all;
}
