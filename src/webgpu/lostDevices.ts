/** Counts lost devices: one may be a driver glitch, a second one requires action. */
export interface Losses {
  /** Since the page was loaded or the process started. */
  count: number;
}

/**
 * Counts a lost device. `words` is the reason from the driver or the process, `next` the remedy
 * after a second loss.
 */
export function lostText(losses: Losses, words: string, next: string): string {
  losses.count++;
  const { count } = losses;
  return count === 1
    ? `The GPU device was lost: ${words}. The run is not retried; the next run gets a new device.`
    : `The GPU device was lost again (${count} times in total): ${words}. The run is not retried. ${next}`;
}
