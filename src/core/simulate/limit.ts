/** Limits and device of the simulate backend, in a module without its implementation. */

/** Maximum number of FMAs of a problem; they take about ten seconds. */
export const MAX_PROBLEM_FMAS = 2 ** 24;

/** Maximum number of executed FMAs, including FMAs outside the matrices; they take minutes. */
export const MAX_EXECUTED_FMAS = 2 ** 28;

/** Device that a simulated run reports. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
