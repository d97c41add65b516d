/**
 * FP32 emulation (`split` of `mma` and `wgmma`): A and B as sums of tf32 terms (11 significand
 * bits) or bf16 terms (8 bits), and C as the sum of their products, without negligible products.
 * Two tf32 terms hold 22 bits; three bf16 terms hold all 24 bits of f32 (Markidis et al., IPDPSW
 * 2018; Henry, Tang and Heinecke, ARITH 2019; Ootomo and Yokota, IJHPCA 2022). `wgmma` uses
 * pre-pass kernels to split; `mma` splits in registers.
 */
import type { DType } from '../types/dtype';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import type { Fp32Emulation } from './plan';

type Split = NonNullable<Schedule['split']>;

/**
 * k-iterations per FP32 promotion of `wgmma`. Tensor cores truncate, so longer chains have larger
 * errors (256 bf16 or 128 tf32 products).
 */
const PROMOTION = 4;

/**
 * Products of the most significant terms come last, so that small products are not lost in large
 * accumulators.
 */
export const SPLITS: Readonly<Record<Split, Fp32Emulation>> = {
  tf32x3: { dtype: 'tf32', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x3: { dtype: 'bf16', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x6: { dtype: 'bf16', count: 3, products: upTo(2, 3), promotion: PROMOTION },
  bf16x9: { dtype: 'bf16', count: 3, products: upTo(4, 3), promotion: PROMOTION },
};

/** Pairs of terms whose significance ranks sum to at most `most`. */
function upTo(most: number, count: number): Fp32Emulation['products'] {
  const places = Array.from({ length: count }, (_, place) => place);
  return places
    .flatMap(a => places.map(b => [a, b] as const))
    .filter(([a, b]) => a + b <= most)
    .sort(([a, b], [c, d]) => c + d - a - b);
}

export const fp32EmulationOf = ({ split }: Pick<Schedule, 'split'>): Fp32Emulation | undefined =>
  split === undefined ? undefined : SPLITS[split];

/** Returns the element type of the MMAs: the split terms, or A and B themselves. */
export const elementOf = ({
  problem,
  schedule,
}: {
  readonly problem: ResolvedProblem;
  readonly schedule: Pick<Schedule, 'split'>;
}): DType => fp32EmulationOf(schedule)?.dtype ?? problem.a.dtype;

/**
 * Copies `split` to another schedule of the spec. It determines the accuracy of C, so searches must
 * not change it.
 */
export const splitOf = ({ schedule: { split } }: ResolvedSpec): Pick<Schedule, 'split'> =>
  split === undefined ? {} : { split };
