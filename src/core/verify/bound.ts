/** How far a right result may be from the f64 reference: rounding, and nothing else. */
import { UNIT_ROUNDOFF } from '../spec/dtype';
import type { ResolvedProblem } from '../spec/resolved';

/** Smallest normal f32: a GPU may take anything below it for zero. */
const SMALLEST_NORMAL_F32 = 2 ** -126;

/** Absolute error that flushing subnormals to zero may add to a result of sum |a||b| = magnitude. */
export const flushBound = ({ accumulator }: ResolvedProblem, magnitude: number): number =>
  accumulator === 'f32' ? SMALLEST_NORMAL_F32 * (1 + magnitude) : 0;

/** The probability that a right element passes its probabilistic bound is below 2 n exp(-LAMBDA^2 / 2), 4e-22 n. */
const LAMBDA = 10;

/**
 * Relative bound of a sum of n = K products and the epilogue's operations, against sum |a||b|: the smaller of
 * gamma_n = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) and the probabilistic
 * gamma = exp(LAMBDA sqrt(n) u + n u^2 / (1 - u)) - 1 (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, 2.3). The
 * second grows with sqrt(K), so that a lost product still shows at large K.
 */
export function gammaOf({ k, accumulator }: ResolvedProblem): number {
  const u = UNIT_ROUNDOFF[accumulator];
  const n = k + 4;
  const worst = n * u < 1 ? (n * u) / (1 - n * u) : Infinity;
  const probable = Math.expm1(LAMBDA * Math.sqrt(n) * u + (n * u * u) / (1 - u));
  return Math.min(worst, probable);
}
