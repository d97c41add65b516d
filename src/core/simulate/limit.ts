/** Limits and device of the simulate backend, in a module without its implementation. */

/** Maximum FMAs of a problem, which take about ten seconds. */
export const MAX_PROBLEM_FMAS = 2 ** 24;

/** Maximum executed FMAs, including FMAs outside the matrices, which take minutes. */
export const MAX_EXECUTED_FMAS = 2 ** 28;

/** Device that a simulated run reports. */
export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
