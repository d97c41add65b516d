/** Error bound of a correct result against the f64 reference. It covers rounding only. */
import { UNIT_ROUNDOFF, type DType } from '../types/dtype';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';

/** Smallest normal number of types whose subnormals a GPU may flush to zero. */
const SMALLEST_NORMAL: Readonly<Partial<Record<DType, number>>> = {
  f32: 2 ** -126,
  bf16: 2 ** -126,
  f16: 2 ** -14,
};

/**
 * Returns the effect of flushing subnormals on an accumulation of magnitude at most 1, and on its
 * stored value.
 */
export const flushedOf = ({ accumulator, c }: ResolvedProblem) => ({
  sum: SMALLEST_NORMAL[accumulator] ?? 0,
  stored: c.dtype === accumulator ? 0 : (SMALLEST_NORMAL[c.dtype] ?? 0),
});

/**
 * Smallest magnitudes that round to infinity: half a unit in the last place above the largest
 * number. For f64, the limit is the largest number itself.
 */
const OVERFLOW: Readonly<Partial<Record<DType, number>>> = {
  f16: 65_520,
  bf16: (2 - 2 ** -8) * 2 ** 127,
  f32: (2 - 2 ** -24) * 2 ** 127,
  f64: Number.MAX_VALUE,
};

/** Returns the limits below which alpha times an accumulator, and a stored element, are finite. */
export function overflowOf({ accumulator, c }: ResolvedProblem) {
  const sum = OVERFLOW[accumulator] ?? Number.MAX_VALUE;
  return { sum, stored: Math.min(sum, OVERFLOW[c.dtype] ?? Number.MAX_VALUE) };
}

/** Bounds the absolute error of flushing subnormals to zero, for sum |a||b| = magnitude. */
export function flushBound(problem: ResolvedProblem, magnitude: number): number {
  const { sum, stored } = flushedOf(problem);
  return sum * (1 + magnitude) + stored;
}

/**
 * Returns the unit roundoff of storing the accumulator as an element of C; 0 if the store does not
 * round.
 */
export const outputRoundoff = ({ accumulator, c }: ResolvedProblem): number =>
  UNIT_ROUNDOFF[c.dtype] > UNIT_ROUNDOFF[accumulator] ? UNIT_ROUNDOFF[c.dtype] : 0;

/**
 * Confidence parameter. The probability that a correct element exceeds its probabilistic bound is
 * below 2 n exp(-LAMBDA^2 / 2), that is, 4e-22 n.
 */
export const LAMBDA = 10;

/**
 * Returns the relative error bound of K products and the epilogue (n = K + 4) against sum |a||b|.
 * It is the smaller of two bounds:
 * - gamma_n = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1);
 * - the probabilistic gamma = exp(LAMBDA sqrt(n) u + n u^2 / (1 - u)) - 1 (Higham and Mary, SIAM J.
 * Sci. Comput. 41(5), 2019, 2.3).
 *
 * This bound is doubled for f64 accumulators, because the reference has the same error. Errors of
 * FP32 emulation and of fp8 accumulation are added.
 */
export function gammaOf(problem: Checked): number {
  const { k, accumulator, a, b } = problem;
  const u = UNIT_ROUNDOFF[accumulator];
  const n = k + 4;
  const worst = n * u < 1 ? (n * u) / (1 - n * u) : Infinity;
  const probable = Math.expm1(LAMBDA * Math.sqrt(n) * u + (n * u * u) / (1 - u));
  const dotLength = Math.min(worst, probable) * (accumulator === 'f64' ? 2 : 1);
  const isFp8 = [a, b].some(({ dtype }) => dtype === 'e4m3' || dtype === 'e5m2');
  return dotLength + splitErrorOf(problem) + (isFp8 ? FP8_TRUNCATION * Math.sqrt(n) : 0);
}

/** Returns the error of FP32 emulation relative to sum |a||b|; 0 without emulation. */
export const splitErrorOf = ({ split }: Pick<Checked, 'split'>): number =>
  split === undefined ? 0 : TRUNCATED_TERMS[split];

export interface Checked extends ResolvedProblem {
  readonly split?: Schedule['split'];
}

export const checkedOf = ({
  problem,
  spec,
}: {
  readonly problem: ResolvedProblem;
  readonly spec?: ResolvedSpec;
}): Checked => {
  const { split } = spec?.schedule ?? {};
  return split === undefined ? problem : { ...problem, split };
};

/**
 * Relative error of FP32 emulation: truncation of the terms of A and B, and omitted
 * products of terms. tf32 rounds by 2^-11, bf16 by 2^-8, once per term (Henry, Tang and Heinecke,
 * ARITH 2019, III).
 */
const TRUNCATED_TERMS: Readonly<Record<NonNullable<Schedule['split']>, number>> = {
  tf32x3: 3 * 2 ** -22,
  bf16x3: 3 * 2 ** -16,
  bf16x6: 4 * 2 ** -24,
  bf16x9: 2 * 2 ** -24,
};

/**
 * Relative error of fp8 accumulation. Hopper's tensor cores accumulate fp8 products with about 14
 * bits: they truncate below 2^-13 of the accumulator (DeepSeek-AI, DeepSeek-V3 Technical Report,
 * 2024, 3.3.2). Truncation occurs once per 32 elements of K.
 */
const FP8_TRUNCATION = 2 ** -13 / Math.sqrt(32);
