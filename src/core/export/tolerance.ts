/** Error bound that the tests of a project check, the bound of `gemm-explorer run`. */
import type { Kernel } from '../kernel/kernel';
import { UNIT_ROUNDOFF, type DType } from '../types/dtype';
import { checkedOf, flushedOf, gammaOf, outputRoundoff } from '../verify/bound';
import type { GemmType } from './subject';

/**
 * Returns the relative error bound at this K extent against sum |a||b|: that of the least exact
 * kernel, because any kernel may be chosen.
 */
export const gammaAt = (kernels: readonly Kernel[], k: number): number =>
  Math.max(...kernels.map(kernel => gammaOf({ ...checkedOf(kernel), k })));

/** Returns the relative error of storing a result, and the absolute error of flushed subnormals. */
export function storeErrors(kernel: Kernel): {
  readonly relative: number;
  readonly absolute: number;
} {
  const { sum, stored } = flushedOf(kernel.problem);
  return { relative: outputRoundoff(kernel.problem), absolute: sum + stored };
}

/**
 * Returns the relative error of rounding an input before it is multiplied; 0 unless the type is
 * stored with more bits than it has.
 */
export const inputRoundoff = ({ a, b }: GemmType): number =>
  [a, b].some(({ dtype }) => dtype === 'tf32') ? UNIT_ROUNDOFF.tf32 : 0;

/** Maximum absolute value of random inputs of a type: floating-point inputs are fractions. */
export const inputRange = (dtype: DType): number =>
  dtype === 's8' ? 127 : dtype === 's32' ? 8 : 1;
