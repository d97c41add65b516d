/** Limits and device of the simulate backend, in a module without its implementation. */

/** Maximum M x N x K x batch of a problem. */
export const MAX_PROBLEM_FMAS = 2 ** 24;

/** Maximum number of executed FMAs, including FMAs outside the matrices. */
export const MAX_EXECUTED_FMAS = 2 ** 28;

export const SIMULATE_DEVICE = {
  name: 'simulate',
  adapter: 'loop IR interpreter',
  driver: '',
  where: 'core',
} as const;
