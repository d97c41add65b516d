/** Work one piece after the other, as long as the time allows: a piece is begun where the longest one so far still fits. */

export interface Turns<T> {
  readonly items: readonly T[];
  /** False where the whole was cancelled meanwhile. */
  readonly run: (item: T, leftMs: number) => Promise<boolean>;
  /** Milliseconds, as of `performance.now()`, at which the time ends. */
  readonly endsAt: number;
}

/** What was not begun. */
export async function inTurn<T>({ items, run, endsAt }: Turns<T>): Promise<readonly T[]> {
  let longest = 0;
  for (const [at, item] of items.entries()) {
    const began = performance.now();
    const leftMs = endsAt - began;
    if (leftMs <= longest || !(await run(item, leftMs))) return items.slice(at);
    longest = Math.max(longest, performance.now() - began);
  }
  return [];
}
