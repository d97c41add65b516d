/** What simulate is and takes on, apart from simulate itself: for those who only ask. */

/** Multiply-adds: about ten seconds. */
export const SIMULATE_LIMIT = 2 ** 24;

/** The same with what blocks compute past the edges of a matrix: minutes. */
export const MOST_SIMULATED = 2 ** 28;

/** Where a simulated run says it was made. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
