/**
 * Counts lost devices. A single loss may be a driver error that does not recur, so the remedy
 * follows the second loss.
 */
export interface Losses {
  /** Number of losses since the page was loaded or the process started. */
  count: number;
}

/**
 * Counts a lost device and returns the message for the user. `words` is the reason that the driver
 * or the process reported; `next` is the remedy after a second loss.
 */
export function lostText(losses: Losses, words: string, next: string): string {
  losses.count++;
  const { count } = losses;
  return count === 1
    ? `The GPU device was lost: ${words}. The run is not retried; the next run gets a new device.`
    : `The GPU device was lost again (${count} times in total): ${words}. The run is not retried. ${next}`;
}
