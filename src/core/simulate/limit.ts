/** What simulate is and takes on, apart from simulate itself: for those who only ask. */

/** Multiply-adds: about ten seconds. */
export const SIMULATE_LIMIT = 2 ** 24;

/** Where a simulated run says it was made. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
