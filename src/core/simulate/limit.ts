/** Limits and device of simulate, separate from its implementation. */

/** FMAs: about ten seconds. */
export const MAX_PROBLEM_FMAS = 2 ** 24;

/** FMAs including those outside the matrices: minutes. */
export const MAX_EXECUTED_FMAS = 2 ** 28;

/** Device of a simulated run. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
