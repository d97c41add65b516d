/** Devices that were lost: one may be a driver's hiccup, the next one says that something must be done. */
export interface Losses {
  /** Since the page was loaded, or the program started. */
  count: number;
}

/** Counts one more. `words`: why, of the driver or the process; `next`: what to do about a second one. */
export function lostText(losses: Losses, words: string, next: string): string {
  losses.count++;
  const { count } = losses;
  return count === 1
    ? `The GPU device was lost: ${words}. Not tried again by itself; the next run gets a new one.`
    : `The GPU device was lost again, ${count} times by now: ${words}. Not tried again by itself. ${next}`;
}
