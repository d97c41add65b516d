/**
 * Compares a result with a reference. Floating-point results are compared with an f64 reference,
 * with a bound that depends on K and the type. Integer results must be equal. Infinity is correct
 * where the result exceeds the type's largest number.
 *
 * Small GEMMs are compared element by element. Large GEMMs are compared by a sample of full dot
 * products, and all elements by Freivalds' check, row by row; with an epilogue, by a sample in
 * every row and column. Memory between the elements of C must
 * be unchanged.
 */
import { isInteger } from '../types/dtype';
import type { EpilogueName } from '../spec/epilogue';
import { matrixElements, operandOf, type BufferName, type ResolvedProblem } from '../spec/resolved';
import { NOT_VERIFIED, type Verification } from '../measure/measurement';
import type { WrongMap } from '../measure/wrongMap';
import { elementCheck, tally, type Tally, type WrongElement } from './elementCheck';
import { reader, type Matrices } from './elements';
import { wrongRows } from './freivalds';
import {
  epilogueData,
  fillMatrix,
  INTEGER_POISON,
  pcgHash,
  poisonMatrix,
  type MatrixData,
} from './inputs';
import { mapLarge } from './largeMap';
import { mapMaker, type MapMaker } from './wrongMap';

/** FMA limit up to which every element is compared with its dot product. */
const FULL_LIMIT = 2 ** 27;
const SAMPLED_ELEMENTS = 4096;

export interface VerifyOptions {
  /** Block tile of C, which is the resolution of the map of wrong elements. */
  readonly tile?: WrongMap['tile'];
  readonly fullLimit?: number;
}

/** Verifies C, as a backend returned it, for inputs generated from `seed`. */
export function verifyResult(
  problem: ResolvedProblem,
  seed: number,
  c: MatrixData,
  { tile, fullLimit = FULL_LIMIT }: VerifyOptions = {},
): Verification {
  const matrices: Matrices = {
    a: fillMatrix(problem, 'a', seed),
    b: fillMatrix(problem, 'b', seed),
    c,
    c0: problem.beta === 0 ? null : fillMatrix(problem, 'c', seed),
    epilogue: epilogueData(problem, seed),
  };
  const { m, n, k, batch } = problem;
  const maker = mapMaker(problem, tile);
  const compareOne = (of: Matrices, product: number): Verification =>
    m * n * k * batch <= fullLimit
      ? verifyAll(problem, of, maker, product)
      : verifyLarge(problem, seed, of, maker, product);
  const products = Array.from({ length: batch }, (_, i) =>
    compareOne(productOf(problem, matrices, i), i),
  );
  const outside = countOutside(problem, matrices);
  maker.outside(outside);
  const wrong = maker.map();
  return { ...combine(products, outside), ...(wrong === undefined ? {} : { wrong }) };
}

function productOf(problem: ResolvedProblem, all: Matrices, i: number): Matrices {
  const { a, b, c, c0, epilogue = {} } = all;
  const part = (operand: BufferName, data: MatrixData): MatrixData => {
    const first = i * operandOf(problem, operand).batchStride;
    return data.subarray(first, first + matrixElements(problem, operand));
  };
  return {
    a: part('a', a),
    b: part('b', b),
    c: part('c', c),
    c0: c0 === null ? null : part('c', c0),
    epilogue: Object.fromEntries(
      Object.entries(epilogue).map(([name, data]) => [name, part(name as EpilogueName, data)]),
    ),
  };
}

/**
 * Combines the verifications of several GEMMs. Reports the error and the bound of the GEMM with the
 * largest error relative to its bound, and adds up mismatches and samples.
 */
function combine(products: readonly Verification[], outside: number): Verification {
  const total = (of: (one: Verification) => number): number =>
    products.reduce((sum, one) => sum + of(one), 0);
  const share = ({ maxError, bound }: Verification): number =>
    maxError === null || bound === null ? Infinity : bound === 0 ? maxError : maxError / bound;
  const [first, ...rest] = products;
  const worst = rest.reduce(
    (most, one) => (share(one) > share(most) ? one : most),
    first ?? NOT_VERIFIED,
  );
  const mismatches = total(one => one.mismatches) + outside;
  return { ...worst, mismatches, samples: total(one => one.samples) };
}

const exactness = (problem: ResolvedProblem): string =>
  isInteger(problem.accumulator) ? 'exact integer' : 'f64';

function result(
  problem: ResolvedProblem,
  reference: string,
  sum: Tally,
  samples: number,
): Verification {
  const rms = {
    error: Math.sqrt(sum.squares.error / samples),
    exact: Math.sqrt(sum.squares.exact / samples),
  };
  const isKnown = !isInteger(problem.accumulator) && Number.isFinite(rms.error + rms.exact);
  return {
    reference,
    maxError: Number.isFinite(sum.maxError) ? sum.maxError : null,
    bound: sum.bound,
    mismatches: sum.mismatches,
    samples,
    ...(isKnown ? { rms } : {}),
    ...(sum.first === undefined ? {} : { first: sum.first }),
  };
}

function verifyAll(
  problem: ResolvedProblem,
  matrices: Matrices,
  maker: MapMaker,
  product: number,
): Verification {
  const { m, n } = problem;
  const sum = tally();
  const check = elementCheck(problem, matrices, sum, wrong => {
    maker.element({ product, ...wrong });
  });
  for (let row = 0; row < m; row++) for (let column = 0; column < n; column++) check(row, column);
  return result(problem, `${exactness(problem)}, every element`, sum, m * n);
}

function verifyLarge(
  problem: ResolvedProblem,
  seed: number,
  matrices: Matrices,
  maker: MapMaker,
  product: number,
): Verification {
  const { m, n } = problem;
  const sum = tally();
  const found: WrongElement[] = [];
  const check = elementCheck(problem, matrices, sum, wrong => found.push(wrong));
  for (let i = 0; i < SAMPLED_ELEMENTS; i++) {
    check(pcgHash((2 * i) ^ seed) % m, pcgHash((2 * i + 1) ^ seed) % n);
  }
  const corners = [0, m - 1].flatMap(row => [[row, 0] as const, [row, n - 1] as const]);
  const infinite = infiniteElements(problem, matrices.c);
  for (const [row, column] of [...corners, ...infinite.slice(0, Math.ceil(FULL_LIMIT / problem.k))])
    check(row, column);
  const without = new Set(infinite.map(([row]) => row));
  sum.mismatches += countUnwritten(problem, matrices.c);
  const isEpilogue = problem.epilogue !== undefined;
  if (isEpilogue) {
    // Freivalds' check requires that C is linear in A * B.
    for (let row = 0; row < m; row++) check(row, pcgHash(row ^ ~seed) % n);
    for (let column = 0; column < n; column++) check(pcgHash(column ^ ~seed) % m, column);
  } else sum.mismatches += wrongRows(problem, seed, matrices, row => !without.has(row)).length;
  if (sum.mismatches > 0) mapLarge(problem, seed, matrices, { maker, product, found, without });
  const samples = SAMPLED_ELEMENTS + corners.length + (isEpilogue ? m + n : 0);
  if (isEpilogue)
    return result(
      problem,
      `f64, ${samples} sampled elements in all rows and columns`,
      sum,
      samples,
    );
  const rows = without.size === 0 ? 'every row' : 'every row without an infinite element';
  const reference = `${samples} sampled elements, and ${rows} by Freivalds' check`;
  return result(problem, `${exactness(problem)}, ${reference}`, sum, samples);
}

type Place = readonly [row: number, column: number];

function infiniteElements(problem: ResolvedProblem, data: MatrixData): readonly Place[] {
  const c = reader(problem, 'c', data);
  const found: Place[] = [];
  for (let row = 0; row < problem.m; row++)
    for (let column = 0; column < problem.n; column++)
      if (Math.abs(c(row, column)) === Infinity) found.push([row, column]);
  return found;
}

function countUnwritten(problem: ResolvedProblem, data: MatrixData): number {
  const c = reader(problem, 'c', data);
  let count = 0;
  for (let row = 0; row < problem.m; row++) {
    for (let column = 0; column < problem.n; column++) {
      const value = c(row, column);
      if (Number.isNaN(value) || value === INTEGER_POISON) count++;
    }
  }
  return count;
}

/**
 * Counts modified elements in the padding between the rows or columns of C and between the matrices
 * of a batch.
 */
function countOutside(problem: ResolvedProblem, { c, c0 }: Matrices): number {
  const { layout, ld, batchStride } = problem.c;
  const inner = layout === 'row' ? problem.n : problem.m;
  const matrix = matrixElements(problem, 'c');
  if (ld === inner && (problem.batch === 1 || batchStride === matrix)) return 0;
  const before = c0 ?? poisonMatrix(problem);
  const period = problem.batch === 1 ? c.length : batchStride;
  let count = 0;
  for (let i = 0; i < c.length; i++) {
    const at = i % period;
    const outside = at >= matrix || at % ld >= inner;
    if (outside && !Object.is(c[i], before[i])) count++;
  }
  return count;
}
