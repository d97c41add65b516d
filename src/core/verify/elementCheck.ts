/**
 * Compares one element of C with its dot product: f64 with an error bound for floating point, exact
 * for integers.
 */
import type { Verification } from '../measure/measurement';
import { isInteger } from '../types/dtype';
import type { ResolvedProblem } from '../spec/resolved';
import { flushBound, gammaOf, outputRoundoff, overflowOf } from './bound';
import { gateOf } from '../spec/epilogue';
import { epilogueCheck, type Bounded } from './epilogue';
import { reader, readerOf, type Matrices, type Reader } from './elements';

export interface Tally {
  maxError: number;
  bound: number;
  worst: number;
  mismatches: number;
  /** Sums of squares of the errors and of the exact values. */
  squares: { error: number; exact: number };
  first?: NonNullable<Verification['first']>;
}

interface Dot {
  readonly dot: number;
  /** Sum of the magnitudes of the products. */
  readonly magnitude: number;
}

interface Element {
  readonly row: number;
  readonly column: number;
  readonly actual: number;
  readonly expected: number;
  readonly bound: number;
  /**
   * Returns whether an infinity is correct: the exact value reaches the overflow limit within the
   * bound.
   */
  readonly overflows?: (infinity: number) => boolean;
}

export const tally = (): Tally => ({
  maxError: 0,
  bound: 0,
  worst: -1,
  mismatches: 0,
  squares: { error: 0, exact: 0 },
});

export const held = (value: number): number =>
  Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));

function compare(
  into: Tally,
  { row, column, actual, expected, bound, overflows }: Element,
): boolean {
  if (Math.abs(actual) === Infinity && overflows?.(actual)) return false;
  const error = Math.abs(actual - expected);
  const wrong = !(error <= bound);
  if (wrong) {
    into.mismatches++;
    const finite = Number.isFinite(actual) ? actual : null;
    into.first ??= { row, column, actual: finite, expected: held(expected), bound: held(bound) };
  }
  if (error > into.maxError || Number.isNaN(error)) into.maxError = error;
  into.squares.error += error * error;
  into.squares.exact += expected * expected;
  const share = bound === 0 ? (error === 0 ? 0 : Infinity) : error / bound;
  if (share > into.worst) {
    into.worst = share;
    into.bound = held(bound);
  }
  return wrong;
}

export interface WrongElement {
  readonly row: number;
  readonly column: number;
  readonly actual: number;
  readonly expected: number;
  /** Value of C before the kernel; null if the kernel must not read C. */
  readonly old: number | null;
}

export function elementCheck(
  problem: ResolvedProblem,
  matrices: Matrices,
  sum: Tally,
  onWrong: (wrong: WrongElement) => void,
): (row: number, column: number) => void {
  const { k, alpha, beta } = problem;
  const exact = isInteger(problem.accumulator);
  const gamma = gammaOf(problem);
  const overflow = overflowOf(problem);
  const applied = epilogueCheck(problem, matrices.epilogue ?? {});
  const a = reader(problem, 'a', matrices.a);
  const b = reader(problem, 'b', matrices.b);
  const c = reader(problem, 'c', matrices.c);
  const c0 = matrices.c0 === null ? null : reader(problem, 'c', matrices.c0);
  const gate = gateOf(problem);
  const second = gate === undefined ? null : readerOf(gate, matrices.epilogue?.[gate.name] ?? []);
  const dotOf = (of: Reader, row: number, column: number): Dot => {
    let dot = 0;
    let magnitude = 0;
    for (let i = 0; i < k; i++) {
      const product = a(row, i) * of(i, column);
      dot += product;
      magnitude += Math.abs(product);
    }
    return { dot, magnitude };
  };
  // An error of one product of a gate is multiplied by the other product, so it includes flushing.
  const scaledOf = ({ dot, magnitude }: Dot): Bounded => ({
    value: alpha * dot,
    error:
      gamma * Math.abs(alpha) * magnitude +
      (gate === undefined ? 0 : flushBound(problem, magnitude)),
  });
  return (row, column) => {
    const product = dotOf(b, row, column);
    const { dot, magnitude } = product;
    const [actual, old] = [c(row, column), c0 === null ? 0 : c0(row, column)];
    const wrongElement = (wrong: boolean, expected: number): void => {
      if (wrong) onWrong({ row, column, actual, expected, old: c0 === null ? null : old });
    };
    if (exact) {
      // The dot product of small integers is exact; alpha and beta wrap as 32-bit arithmetic does.
      const expected = (Math.imul(alpha, dot | 0) + Math.imul(beta, old)) | 0;
      wrongElement(compare(sum, { row, column, actual, expected, bound: 0 }), expected);
      return;
    }
    const scaled = scaledOf(product);
    const total = {
      value: scaled.value + beta * old,
      error: scaled.error + gamma * Math.abs(beta * old),
    };
    const other = second === null ? undefined : scaledOf(dotOf(second, row, column));
    const { value: expected, error: rounding } = applied?.(row, column, total, other) ?? total;
    const stored = outputRoundoff(problem) * (Math.abs(expected) + rounding);
    const bound = rounding + stored + flushBound(problem, magnitude);
    const reachesInfinity = (value: number, limit: number, infinity: number): boolean =>
      value * infinity > 0 && Math.abs(value) + bound >= limit;
    const overflows = (infinity: number): boolean =>
      reachesInfinity(expected, overflow.stored, infinity) ||
      reachesInfinity(alpha * dot, overflow.sum, infinity);
    wrongElement(compare(sum, { row, column, actual, expected, bound, overflows }), expected);
  };
}
