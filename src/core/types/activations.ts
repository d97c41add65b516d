/** Activation functions in f64, with the names of PyTorch (`gelu-tanh`: `approximate='tanh'`). */
import { UNIT_ROUNDOFF, type DType } from './dtype';

export const ACTIVATIONS = ['relu', 'gelu', 'gelu-tanh', 'silu'] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/**
 * Returns whether emitted CUDA activations use `tanh.approx`, whose error is less than the rounding
 * of the output.
 */
export const usesTanh = (accumulator: DType, output: DType): boolean =>
  accumulator === 'f32' && UNIT_ROUNDOFF[output] >= UNIT_ROUNDOFF.bf16;

/** Returns the value of an activation, with a relative error of about 1e-15. */
export function activate(of: Activation, x: number): number {
  switch (of) {
    case 'relu':
      return Math.max(x, 0);
    case 'gelu':
      return 0.5 * x * erfc(-x / Math.SQRT2);
    case 'gelu-tanh':
      return x * sigmoid(2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3));
    case 'silu':
      return x * sigmoid(x);
  }
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Below this magnitude, the series converges in fewer than 60 terms without cancellation. */
const SERIES_LIMIT = 2.5;

/** Complementary error function (Abramowitz and Stegun, 7.1.6 and 7.1.14). */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return NaN;
  const size = Math.abs(x);
  // exp(-x^2) is 0 in f64, and infinity times 0 would be NaN.
  if (size > 28) return x > 0 ? 0 : 2;
  const scale = Math.exp(-size * size) / Math.sqrt(Math.PI);
  if (size < SERIES_LIMIT) {
    let [sum, term] = [0, 2 * x];
    for (let n = 0; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      sum += term;
      term *= (2 * x * x) / (2 * n + 3);
    }
    return 1 - scale * sum;
  }
  let fraction = size;
  for (let n = 60; n >= 1; n--) fraction = size + n / 2 / fraction;
  return x > 0 ? scale / fraction : 2 - scale / fraction;
}
