/**
 * Runs items sequentially within a time limit: an item starts only if the longest item so far would
 * fit.
 */

export interface Turns<T> {
  readonly items: readonly T[];
  /** Returns false if everything was cancelled meanwhile. */
  readonly run: (item: T, leftMs: number) => Promise<boolean>;
  /** Deadline in milliseconds of `performance.now()`. */
  readonly endsAt: number;
}

/** Returns the items that were not started. */
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
