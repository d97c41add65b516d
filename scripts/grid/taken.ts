/** Returns the first `count` items of a possibly infinite sequence. */
export function taken<T>(count: number, from: Iterable<T>): readonly T[] {
  const all: T[] = [];
  for (const one of from) {
    if (all.length === count) break;
    all.push(one);
  }
  return all;
}

/** Yields at most the first `each` items of each kind, in their original order. */
export function* evenly<T>(
  from: Iterable<T>,
  { each, kindOf }: { readonly each: number; readonly kindOf: (one: T) => string },
): Generator<T> {
  const seen = new Map<string, number>();
  for (const one of from) {
    const kind = kindOf(one);
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    if (before < each) yield one;
  }
}
