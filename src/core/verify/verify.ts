/**
 * Compares a result with a reference in f64 under a bound that follows from K and the element type.
 * Small products are compared element by element. Large ones by a sample of whole dot products, and
 * all of their elements by Freivalds' check: C x = alpha A (B x) + beta C0 x, row by row.
 */
import { isInteger, UNIT_ROUNDOFF } from '../spec/dtype';
import type { OperandName, ResolvedProblem } from '../spec/resolved';
import type { Verification } from '../measure/measurement';
import { fillMatrix, INTEGER_POISON, pcgHash, type MatrixData } from './inputs';

/** Multiply-adds up to which every element gets its own dot product (about 0.3 s). */
const FULL_LIMIT = 2 ** 27;
const SAMPLED_ELEMENTS = 4096;

/** Element (row, column) of an operand. */
const reader = (problem: ResolvedProblem, operand: OperandName, data: MatrixData) => {
  const { layout, ld } = problem[operand];
  return layout === 'row'
    ? (row: number, column: number): number => data[row * ld + column] ?? NaN
    : (row: number, column: number): number => data[column * ld + row] ?? NaN;
};

/**
 * Bound on the rounding error of one element: gamma_n sum |a||b| with n = K products plus the epilogue's
 * operations, gamma_n = n u / (1 - n u) (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
 */
export function roundingBound(problem: ResolvedProblem, magnitude: number): number {
  const operations = (problem.k + 4) * UNIT_ROUNDOFF[problem.accumulator];
  return operations >= 1 ? Infinity : (operations / (1 - operations)) * magnitude;
}

interface Tally {
  maxError: number;
  bound: number;
  worst: number;
  mismatches: number;
}

const tally = (): Tally => ({ maxError: 0, bound: 0, worst: -1, mismatches: 0 });

function compare(into: Tally, actual: number, expected: number, bound: number): void {
  const error = Math.abs(actual - expected);
  if (!(error <= bound)) into.mismatches++;
  if (error > into.maxError || Number.isNaN(error)) into.maxError = error;
  const share = bound === 0 ? (error === 0 ? 0 : Infinity) : error / bound;
  if (share > into.worst) {
    into.worst = share;
    into.bound = bound;
  }
}

/** Verifies C, as read back from a backend, for inputs made from `seed`. */
export function verifyResult(problem: ResolvedProblem, seed: number, c: MatrixData): Verification {
  const a = fillMatrix(problem, 'a', seed);
  const b = fillMatrix(problem, 'b', seed);
  const c0 = problem.beta === 0 ? null : fillMatrix(problem, 'c', seed);
  const data = { a, b, c, c0 };
  const { m, n, k } = problem;
  return m * n * k <= FULL_LIMIT ? verifyAll(problem, data) : verifyLarge(problem, seed, data);
}

interface Data {
  readonly a: MatrixData;
  readonly b: MatrixData;
  readonly c: MatrixData;
  readonly c0: MatrixData | null;
}

const exactness = (problem: ResolvedProblem): string =>
  isInteger(problem.accumulator) ? 'exact integer' : 'f64';

const result = (reference: string, sum: Tally, samples: number): Verification => ({
  reference,
  maxError: Number.isFinite(sum.maxError) ? sum.maxError : null,
  bound: Number.isFinite(sum.bound) ? sum.bound : null,
  mismatches: sum.mismatches,
  samples,
});

function verifyAll(problem: ResolvedProblem, data: Data): Verification {
  const { m, n } = problem;
  const sum = tally();
  const check = elementCheck(problem, data, sum);
  for (let row = 0; row < m; row++) for (let column = 0; column < n; column++) check(row, column);
  return result(`${exactness(problem)}, every element`, sum, m * n);
}

/** Compares one element with its dot product in f64 (exact for the integers we draw). */
function elementCheck(problem: ResolvedProblem, data: Data, sum: Tally) {
  const { k, alpha, beta } = problem;
  const [a, b, c] = [
    reader(problem, 'a', data.a),
    reader(problem, 'b', data.b),
    reader(problem, 'c', data.c),
  ];
  const c0 = data.c0 === null ? null : reader(problem, 'c', data.c0);
  return (row: number, column: number): void => {
    let dot = 0;
    let magnitude = 0;
    for (let i = 0; i < k; i++) {
      const product = a(row, i) * b(i, column);
      dot += product;
      magnitude += Math.abs(product);
    }
    const old = c0 === null ? 0 : beta * c0(row, column);
    const bound = roundingBound(problem, Math.abs(alpha) * magnitude + Math.abs(old));
    compare(sum, c(row, column), alpha * dot + old, bound);
  };
}

function verifyLarge(problem: ResolvedProblem, seed: number, data: Data): Verification {
  const { m, n } = problem;
  const sum = tally();
  const check = elementCheck(problem, data, sum);
  for (let i = 0; i < SAMPLED_ELEMENTS; i++) {
    check(pcgHash((2 * i) ^ seed) % m, pcgHash((2 * i + 1) ^ seed) % n);
  }
  for (const [row, column] of [
    [0, 0],
    [0, n - 1],
    [m - 1, 0],
    [m - 1, n - 1],
  ] as const)
    check(row, column);
  const unwritten = countUnwritten(problem, data.c);
  const rows = freivalds(problem, seed, data);
  return {
    ...result(
      `${exactness(problem)}, ${SAMPLED_ELEMENTS + 4} sampled elements, and every row by Freivalds' check`,
      sum,
      SAMPLED_ELEMENTS + 4,
    ),
    mismatches: sum.mismatches + unwritten + rows,
  };
}

/** Elements that still hold the poison, or are not finite. */
function countUnwritten(problem: ResolvedProblem, data: MatrixData): number {
  const c = reader(problem, 'c', data);
  let count = 0;
  for (let row = 0; row < problem.m; row++) {
    for (let column = 0; column < problem.n; column++) {
      const value = c(row, column);
      if (!Number.isFinite(value) || value === INTEGER_POISON) count++;
    }
  }
  return count;
}

/** Rows of C x that differ from alpha A (B x) + beta C0 x for a random x of +-1 (Freivalds, 1977). */
function freivalds(problem: ResolvedProblem, seed: number, data: Data): number {
  const { m, n, k, alpha, beta } = problem;
  const sign = Int8Array.from({ length: n }, (_, j) =>
    pcgHash(j ^ seed ^ 0x5bd1e995) & 1 ? 1 : -1,
  );
  const [a, b, c] = [
    reader(problem, 'a', data.a),
    reader(problem, 'b', data.b),
    reader(problem, 'c', data.c),
  ];
  const c0 = data.c0 === null ? null : reader(problem, 'c', data.c0);
  const bx = new Float64Array(k);
  const bSum = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < n; j++) {
      const value = b(i, j);
      bx[i] = (bx[i] ?? 0) + value * (sign[j] ?? 0);
      bSum[i] = (bSum[i] ?? 0) + Math.abs(value);
    }
  }
  let wrong = 0;
  for (let row = 0; row < m; row++) {
    let expected = 0;
    let magnitude = 0;
    for (let i = 0; i < k; i++) {
      expected += alpha * a(row, i) * (bx[i] ?? 0);
      magnitude += Math.abs(alpha * a(row, i)) * (bSum[i] ?? 0);
    }
    let actual = 0;
    for (let j = 0; j < n; j++) {
      actual += c(row, j) * (sign[j] ?? 0);
      if (c0 === null) continue;
      expected += beta * c0(row, j) * (sign[j] ?? 0);
      magnitude += Math.abs(beta * c0(row, j));
    }
    if (!(Math.abs(actual - expected) <= roundingBound(problem, magnitude))) wrong++;
  }
  return wrong;
}
