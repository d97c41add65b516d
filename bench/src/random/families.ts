/**
 * Families of random problems, and the distribution of their extents. A seed draws the same problem
 * on every machine.
 */
import type { DType } from '../../../src/core/types/dtype';
import type { GemmSpec, Layout } from '../../../src/core/spec/schema';
import { choicesOf, type Choices } from '../../../scripts/grid/choices';

export interface Family {
  readonly dtype: DType;
  /** Layouts of A and B, drawn with equal probability. */
  readonly layouts: readonly (readonly [a: Layout, b: Layout])[];
  /** Percentage of problems whose extents are any integers; the others are multiples of `STEP`. */
  readonly unalignedPercent: number;
}

const NN = ['row', 'row'] as const;
const TN = ['row', 'col'] as const;

export const FAMILIES = {
  f32: {
    dtype: 'f32',
    layouts: [NN, TN, ['col', 'row'], ['col', 'col']],
    unalignedPercent: 50,
  },
  bf16: { dtype: 'bf16', layouts: [TN, NN], unalignedPercent: 25 },
  f16: { dtype: 'f16', layouts: [TN, NN], unalignedPercent: 25 },
  tf32: { dtype: 'tf32', layouts: [TN], unalignedPercent: 0 },
  e4m3: { dtype: 'e4m3', layouts: [TN], unalignedPercent: 0 },
} as const satisfies Readonly<Record<string, Family>>;
export type FamilyName = keyof typeof FAMILIES;

/** Extents are log-uniform between these limits, and drawn again until the work is in `FLOP`. */
const EXTENT = { least: 64, most: 16_384 } as const;
const FLOP = { least: 5e8, most: 3e12 } as const;
const STEP = 8;
const RESOLUTION = 2 ** 24;

const logUniform = ({ between }: Choices): number =>
  EXTENT.least * (EXTENT.most / EXTENT.least) ** (between(0, RESOLUTION) / RESOLUTION);

export function randomProblem(family: Family, seed: number): GemmSpec['problem'] {
  const from = choicesOf(seed);
  const [a, b] = from.pick(family.layouts);
  const step = from.between(1, 100) <= family.unalignedPercent ? 1 : STEP;
  const side = (): number => step * Math.round(logUniform(from) / step);
  for (;;) {
    const [m, n, k] = [side(), side(), side()];
    const flop = 2 * m * n * k;
    if (flop < FLOP.least || flop > FLOP.most) continue;
    return {
      m,
      n,
      k,
      a: { dtype: family.dtype, layout: a },
      b: { dtype: family.dtype, layout: b },
      ...(family.dtype === 'e4m3' ? { c: { dtype: 'bf16' } } : {}),
    };
  }
}
