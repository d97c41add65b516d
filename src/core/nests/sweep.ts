/** The order in which a loop nest accesses the elements of small matrices. */
import { createLines, forEachFma, type Cache, type CachedLines } from './cacheLines';
import type { LoopNest, LoopProblem } from './nest';

/** Indices of an FMA. */
export interface Fma {
  readonly i: number;
  readonly j: number;
  readonly k: number;
}

export interface Sweep {
  /** FMAs in the order of the loops. */
  readonly fmas: readonly Fma[];
  /** Numbers of FMAs after which the innermost loop has ended once more. */
  readonly ends: readonly number[];
}

export function sweepOf(nest: LoopNest, problem: LoopProblem): Sweep {
  const fmas: Fma[] = [];
  forEachFma(nest, problem, (i, j, k) => fmas.push({ i, j, k }));
  const axis = nest.at(-1)?.axis ?? 'k';
  const outer = (['i', 'j', 'k'] as const).filter(other => other !== axis);
  const ends = fmas.flatMap((fma, at) => {
    const next = fmas[at + 1];
    const continues =
      next !== undefined &&
      outer.every(other => next[other] === fma[other]) &&
      next[axis] === fma[axis] + 1;
    return continues ? [] : [at + 1];
  });
  return { fmas, ends };
}

export interface SweepState {
  /** The last executed FMA; null before the first. */
  readonly last: Fma | null;
  readonly cached: CachedLines;
  readonly misses: number;
  /** Number of products that each element of C has, row-major. */
  readonly products: Uint16Array;
}

/** Returns the state after a number of FMAs. */
export function sweepState(
  { fmas }: Sweep,
  { problem, cache }: { readonly problem: LoopProblem; readonly cache: Cache },
  count: number,
): SweepState {
  const cached = createLines(problem, cache);
  const products = new Uint16Array(problem.m * problem.n);
  let misses = 0;
  for (const { i, j, k } of fmas.slice(0, count)) {
    for (const [operand, row, column] of [
      ['a', i, k],
      ['b', k, j],
      ['c', i, j],
    ] as const)
      if (cached.touch(operand, row, column)) misses++;
    const at = i * problem.n + j;
    products[at] = (products[at] ?? 0) + 1;
  }
  return { last: fmas[count - 1] ?? null, cached, misses, products };
}
