/** Limits and device of simulate, separate from its implementation. */

/** FMAs: about ten seconds. */
export const SIMULATE_LIMIT = 2 ** 24;

/** FMAs including those outside the matrices: minutes. */
export const MOST_SIMULATED = 2 ** 28;

/** Device of a simulated run. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
