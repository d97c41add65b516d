/**
 * Runs items one at a time within a time limit. An item starts only if the remaining time exceeds
 * the time of the longest item so far.
 */

export interface Turns<T> {
  readonly items: readonly T[];
  /** Runs one item; resolves to false if the run was canceled. */
  readonly run: (item: T, leftMs: number) => Promise<boolean>;
  /** Deadline on the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
}

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
