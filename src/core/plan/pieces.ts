/**
 * f32 by splitting (`split` of `mma` and `wgmma`): A and B as sums of pieces of tf32 (11 bits of significand) or bf16 (8
 * bits), and C as the sum of their products, but for those that are too small to matter. Two pieces of tf32 hold 22 bits and
 * three of bf16 all 24 of f32 (Markidis et al., IPDPSW 2018; Henry, Tang and Heinecke, ARITH 2019; Ootomo and Yokota, IJHPCA
 * 2022). Kernels before make the pieces of `wgmma`, lanes those of `mma` in registers.
 */
import type { DType } from '../types/dtype';
import type { ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import type { Schedule } from '../spec/schema';
import type { PiecesPlan } from './plan';

type Split = NonNullable<Schedule['split']>;

/** Of `wgmma`. Tensor cores cut sums off, and the longer they do the larger the error: 256 products of bf16 a sum, 128 of tf32. */
const PROMOTION = 4;

/** Products of the most significant pieces come last: a small one is not lost behind a large sum. */
export const SPLITS: Readonly<Record<Split, PiecesPlan>> = {
  tf32x3: { dtype: 'tf32', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x3: { dtype: 'bf16', count: 2, products: upTo(1, 2), promotion: PROMOTION },
  bf16x6: { dtype: 'bf16', count: 3, products: upTo(2, 3), promotion: PROMOTION },
  bf16x9: { dtype: 'bf16', count: 3, products: upTo(4, 3), promotion: PROMOTION },
};

/** Pairs of pieces whose places in their sums add up to so much at most. */
function upTo(most: number, count: number): PiecesPlan['products'] {
  const places = Array.from({ length: count }, (_, place) => place);
  return places
    .flatMap(a => places.map(b => [a, b] as const))
    .filter(([a, b]) => a + b <= most)
    .sort(([a, b], [c, d]) => c + d - a - b);
}

export const piecesOf = ({ split }: Pick<Schedule, 'split'>): PiecesPlan | undefined =>
  split === undefined ? undefined : SPLITS[split];

/** What tensor cores multiply: pieces, or A and B as they are. */
export const elementOf = ({
  problem,
  schedule,
}: {
  readonly problem: ResolvedProblem;
  readonly schedule: Pick<Schedule, 'split'>;
}): DType => piecesOf(schedule)?.dtype ?? problem.a.dtype;

/** As another schedule of the spec has it: how f32 is split decides how exact C is, which no search does. */
export const splitOf = ({ schedule: { split } }: ResolvedSpec): Pick<Schedule, 'split'> =>
  split === undefined ? {} : { split };
