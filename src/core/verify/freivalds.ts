/**
 * Freivalds' check (1977): tests C x = alpha A (B x) + beta C0 x for a random x of +-1, which reads
 * every element once.
 */
import { isInteger } from '../types/dtype';
import type { ResolvedProblem } from '../spec/resolved';
import { gammaOf, LAMBDA, outputRoundoff } from './bound';
import { reader, type Matrices } from './elements';
import { pcgHash } from './inputs';

/** Range of columns of C; the end is exclusive. */
export type Columns = readonly [from: number, to: number];

/**
 * Returns the rows that fail the check within the given columns. For floats, checks only rows
 * accepted by `takes`, with one bound per row. Integers wrap at 32 bits on both sides of the
 * equation.
 */
export function wrongRows(
  problem: ResolvedProblem,
  seed: number,
  matrices: Matrices,
  takes: (row: number) => boolean,
  columns: Columns = [0, problem.n],
): readonly number[] {
  const signs = Int8Array.from({ length: problem.n }, (_, j) =>
    (pcgHash(j ^ seed ^ 0x5bd1e995) & 1) === 1 ? 1 : -1,
  );
  return isInteger(problem.accumulator)
    ? wrongIntegerRows(problem, signs, matrices, columns)
    : wrongFloatRows(problem, signs, matrices, takes, columns);
}

/** Computes B x and the Frobenius norm of B within the given columns. */
function timesSigns(
  { k }: ResolvedProblem,
  b: (row: number, column: number) => number,
  signs: Int8Array,
  [from, to]: Columns,
) {
  const product = new Float64Array(k);
  let squares = 0;
  for (let i = 0; i < k; i++) {
    let sum = 0;
    for (let j = from; j < to; j++) {
      const value = b(i, j);
      sum += value * (signs[j] ?? 0);
      squares += value * value;
    }
    product[i] = sum;
  }
  return { product, norm: Math.sqrt(squares) };
}

/**
 * Returns the rows that fail the check. The errors of a row's elements are independent of x, so
 * they add in quadrature. By Cauchy-Schwarz, this sum of the element bounds is at most gamma
 * ||a_row|| ||B||_F.
 */
function wrongFloatRows(
  problem: ResolvedProblem,
  signs: Int8Array,
  matrices: Matrices,
  takes: (row: number) => boolean,
  columns: Columns,
): readonly number[] {
  const { m, k } = problem;
  const [from, to] = columns;
  // alpha and beta are scaled by a power of two, so that squares of large results stay finite.
  const unit =
    2 ** Math.floor(Math.log2(Math.max(Math.abs(problem.alpha), Math.abs(problem.beta)) || 1));
  const [alpha, beta] = [problem.alpha / unit, problem.beta / unit];
  const gamma = gammaOf(problem);
  const a = reader(problem, 'a', matrices.a);
  const c = reader(problem, 'c', matrices.c);
  const c0 = matrices.c0 === null ? null : reader(problem, 'c', matrices.c0);
  const b = timesSigns(problem, reader(problem, 'b', matrices.b), signs, columns);
  const wrong: number[] = [];
  for (let row = 0; row < m; row++) {
    if (!takes(row)) continue;
    let [expected, squares] = [0, 0];
    for (let i = 0; i < k; i++) {
      const value = a(row, i);
      expected += alpha * value * (b.product[i] ?? 0);
      squares += value * value;
    }
    let [actual, stored, oldSquares] = [0, 0, 0];
    for (let j = from; j < to; j++) {
      const sign = signs[j] ?? 0;
      const value = c(row, j) / unit;
      actual += value * sign;
      stored += value * value;
      if (c0 === null) continue;
      const old = beta * c0(row, j);
      expected += old * sign;
      oldSquares += old * old;
    }
    const bound =
      gamma * (Math.abs(alpha) * Math.sqrt(squares) * b.norm + Math.sqrt(oldSquares)) +
      LAMBDA * outputRoundoff(problem) * Math.sqrt(stored);
    if (!(Math.abs(actual - expected) <= bound)) wrong.push(row);
  }
  return wrong;
}

function wrongIntegerRows(
  problem: ResolvedProblem,
  signs: Int8Array,
  matrices: Matrices,
  columns: Columns,
): readonly number[] {
  const { m, k, alpha, beta } = problem;
  const [from, to] = columns;
  const a = reader(problem, 'a', matrices.a);
  const c = reader(problem, 'c', matrices.c);
  const c0 = matrices.c0 === null ? null : reader(problem, 'c', matrices.c0);
  const { product } = timesSigns(problem, reader(problem, 'b', matrices.b), signs, columns);
  const wrong: number[] = [];
  for (let row = 0; row < m; row++) {
    let sum = 0;
    for (let i = 0; i < k; i++) sum = (sum + Math.imul(a(row, i), product[i] ?? 0)) | 0;
    let expected = Math.imul(alpha, sum);
    let actual = 0;
    for (let j = from; j < to; j++) {
      const sign = signs[j] ?? 0;
      actual = (actual + c(row, j) * sign) | 0;
      if (c0 !== null) expected = (expected + Math.imul(beta, c0(row, j)) * sign) | 0;
    }
    if ((actual | 0) !== (expected | 0)) wrong.push(row);
  }
  return wrong;
}
