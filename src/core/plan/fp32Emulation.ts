/**
 * FP32 emulation (`split` of `mma` and `wgmma`). A and B are represented as sums of tf32 terms (11
 * significand bits) or bf16 terms (8 bits). C is the sum of the products of their terms, without
 * negligible products.
 *
 * Two tf32 terms hold 22 bits; three bf16 terms hold all 24 significand bits of f32 (Markidis et
 * al., IPDPSW 2018; Henry, Tang and Heinecke, ARITH 2019; Ootomo and Yokota, IJHPCA 2022). `wgmma`
 * splits operands in pre-pass kernels; `mma` splits them in registers.
 */
import type { DType } from '../types/dtype';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import type { Fp32Emulation } from './plan';

type Split = NonNullable<Schedule['split']>;

/**
 * Number of k-iterations between FP32 promotions in `wgmma` kernels (256 products of bf16 or 128 of
 * tf32). Tensor-core accumulation truncates, so the error grows with the number of products.
 */
const PROMOTION = 4;

/**
 * Terms and products by the value of `split`. Products of the most significant terms are
 * accumulated last, so that small products are not lost in large accumulators.
 */
export const SPLITS: Readonly<Record<Split, Fp32Emulation>> = {
  tf32x3: { dtype: 'tf32', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x3: { dtype: 'bf16', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x6: { dtype: 'bf16', count: 3, products: upTo(2, 3), promotion: PROMOTION },
  bf16x9: { dtype: 'bf16', count: 3, products: upTo(4, 3), promotion: PROMOTION },
};

/**
 * Returns the pairs of A and B terms whose indices sum to at most `most`, least significant first.
 */
function upTo(most: number, count: number): Fp32Emulation['products'] {
  const places = Array.from({ length: count }, (_, place) => place);
  return places
    .flatMap(a => places.map(b => [a, b] as const))
    .filter(([a, b]) => a + b <= most)
    .sort(([a, b], [c, d]) => c + d - a - b);
}

export const fp32EmulationOf = ({ split }: Pick<Schedule, 'split'>): Fp32Emulation | undefined =>
  split === undefined ? undefined : SPLITS[split];

export const elementOf = ({
  problem,
  schedule,
}: {
  readonly problem: ResolvedProblem;
  readonly schedule: Pick<Schedule, 'split'>;
}): DType => fp32EmulationOf(schedule)?.dtype ?? problem.a.dtype;

/**
 * Returns the `split` field of a spec, for copying to another schedule. `split` determines the
 * accuracy of C, so searches must not change it.
 */
export const splitOf = ({ schedule: { split } }: ResolvedSpec): Pick<Schedule, 'split'> =>
  split === undefined ? {} : { split };
