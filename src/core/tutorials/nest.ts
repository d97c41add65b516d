/** Results of loop nests on integer matrices, and properties of their loops. */
import { assigned } from '../nests/edits';
import { forEachFma } from '../nests/cacheLines';
import { problemOf } from '../nests/kernel';
import {
  parentStep,
  variablesOf,
  type Loop,
  type LoopAxis,
  type LoopNest,
  type LoopProblem,
} from '../nests/nest';
import { NEST_LIMITS, parallelViolations } from '../nests/rules';
import { nestOf } from '../nests/text';
import { fillMatrix } from '../verify/inputs';

export type Index = Readonly<Record<LoopAxis, number>>;

const SEED = 1;

const asIs = (index: Index): Index => index;

/**
 * Computes C = A B in the order of a nest, with integer matrices generated from a seed.
 * @param indexed indices that the listing uses, for a listing with faulty indices
 */
function product(nest: LoopNest, problem: LoopProblem, indexed: (index: Index) => Index) {
  const { m, n, k } = problem;
  const resolved = problemOf({ ...problem, dtype: 's32' });
  const [a, b] = [fillMatrix(resolved, 'a', SEED), fillMatrix(resolved, 'b', SEED)];
  const c = new Int32Array(m * n);
  forEachFma(nest, problem, (row, column, depth) => {
    const at = indexed({ i: row, j: column, k: depth });
    const place = at.i * n + at.j;
    c[place] = (c[place] ?? 0) + (a[at.i * k + at.k] ?? 0) * (b[at.k * n + at.j] ?? 0);
  });
  return c;
}

/** Counts the elements of C that differ from the three plain loops i, j, k. */
export function differing(nest: LoopNest, problem: LoopProblem, indexed = asIs): number {
  const expected = product(nestOf('i j k'), problem, asIs);
  const found = product(nest, problem, indexed);
  return found.filter((value, at) => value !== expected[at]).length;
}

/** Names the loops whose iterations may run in different blocks, or in different threads. */
export function parallelLoops(nest: LoopNest, problem: LoopProblem): readonly string[] {
  const names = variablesOf(nest);
  return nest.flatMap((loop, at) => {
    const level = parentStep(nest, loop) === null ? 'grid' : 'block';
    const violations = parallelViolations(assigned(nest, at, level), problem, NEST_LIMITS.cuda);
    return violations.some(violation => violation.at === at) ? [] : [names[at] ?? ''];
  });
}

/** Returns which iteration of a loop an index belongs to, counted within the loop around it. */
export function iterationAt(nest: LoopNest, loop: Loop, index: Index): number {
  const parent = parentStep(nest, loop);
  const within = parent === null ? index[loop.axis] : index[loop.axis] % parent;
  return Math.floor(within / loop.step);
}
