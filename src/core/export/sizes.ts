/** Sizes at which the test of a project runs each kernel. */
import { buffersOf, matrixElements } from '../spec/resolved';
import { leastCommonMultiple, sizeNeeds, type SizeNeeds } from '../kernel/file/sizeNeeds';
import type { Kernel } from '../kernel/kernel';
import { LEADING, memoryOrder } from './roles';
import type { GemmType } from './subject';

export interface TestSize {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  readonly lda: number;
  readonly ldb: number;
  readonly ldc: number;
}

/** Maximum extent of a small size, unless a kernel requires a larger one. */
const SMALL = 320;

/** Returns the size of the spec with the leading dimensions of the spec. */
export const ownSize = ({ problem }: Kernel): TestSize => {
  const { m, n, k, batch, a, b, c } = problem;
  return { m, n, k, batch, lda: a.ld, ldb: b.ld, ldc: c.ld };
};

/**
 * Returns a small size that the kernel supports, with packed matrices. Its extents are not
 * multiples of the tiles unless the kernel requires it.
 */
export function smallSize(kernel: Kernel, type: Pick<GemmType, 'a' | 'b' | 'c'>): TestSize {
  const { multiples, leastK, slices } = sizeNeeds(kernel);
  const { problem } = kernel;
  const step = { m: 1, n: 1, k: 1 };
  for (const { role, of } of multiples) {
    const operand = (['a', 'b', 'c'] as const).find(name => LEADING[name] === role);
    const side =
      role === 'm' || role === 'n' || role === 'k'
        ? role
        : operand === undefined
          ? undefined
          : memoryOrder(type, operand)[1];
    if (side !== undefined) step[side] = leastCommonMultiple(step[side], of);
  }
  const extentOf = (side: 'm' | 'n' | 'k', least: number): number => {
    const wanted = Math.max(least, Math.min(problem[side], SMALL - step[side]));
    return Math.ceil(wanted / step[side]) * step[side];
  };
  const m = extentOf('m', 1);
  const n = extentOf('n', 1);
  const k = filledBy(slices, step.k, extentOf('k', leastK));
  const extents = { m, n, k };
  const ld = (operand: 'a' | 'b' | 'c'): number => extents[memoryOrder(type, operand)[1]];
  return {
    ...extents,
    batch: Math.min(problem.batch, 3),
    lda: ld('a'),
    ldb: ld('b'),
    ldc: ld('c'),
  };
}

/**
 * Rounds K up so that every slice has the same number of k-iterations. The last one is partial if
 * the step of K permits it.
 */
function filledBy(slices: SizeNeeds['slices'], step: number, k: number): number {
  if (slices === undefined) return k;
  const span = leastCommonMultiple(step, slices.count * slices.depth);
  const full = Math.ceil(k / span) * span;
  return step < slices.depth && full - step >= k ? full - step : full;
}

/** Returns the small size and the size of the spec of each kernel, without duplicates. */
export function testSizes(
  kernels: readonly Kernel[],
  type: GemmType,
  { mostElements = Infinity }: { readonly mostElements?: number } = {},
): readonly TestSize[] {
  const all = kernels.flatMap(kernel => [
    smallSize(kernel, type),
    ...(buffersOf(kernel.problem).every(
      operand => matrixElements(kernel.problem, operand) <= mostElements,
    )
      ? [ownSize(kernel)]
      : []),
  ]);
  return [...new Map(all.map(size => [JSON.stringify(size), size])).values()];
}
