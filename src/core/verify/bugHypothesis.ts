/**
 * Computes the result of a kernel with a known bug. Inputs are a function of their seed, so the
 * result can be compared with the recorded wrong elements.
 */
import type { WrongExample } from '../measure/wrongMap';
import { isInteger, type DType } from '../types/dtype';
import { spanElements, type OperandName, type ResolvedProblem } from '../spec/resolved';
import { roundTo } from '../types/rounding';
import { flushBound, gammaOf, outputRoundoff } from './bound';
import { inputAt } from './inputs';

export interface Place {
  readonly product: number;
  readonly row: number;
  readonly column: number;
}

/**
 * Returns the memory index of an operand's element; undefined if the value at that index is
 * unknown.
 */
export type ElementIndex = (product: number, row: number, column: number) => number | undefined;

/** Deviations from the correct computation; an omitted field means no deviation. */
export interface Hypothesis {
  /** Returns how many times the product at k is accumulated. */
  readonly times?: (k: number) => number;
  /**
   * Returns the memory index of the element of A, B or the previous C that the bug reads instead.
   */
  readonly a?: ElementIndex;
  readonly b?: ElementIndex;
  readonly old?: ElementIndex;
  readonly alpha?: number;
  readonly beta?: number;
  /** Returns the element whose value is stored at this position. */
  readonly at?: (place: Place) => Place | undefined;
  readonly products?: DType;
  readonly sums?: DType;
}

export const indexOf =
  (
    problem: ResolvedProblem,
    operand: OperandName,
    ld = problem[operand].ld,
    batchStride = problem[operand].batchStride,
  ): ElementIndex =>
  (product, row, column) =>
    product * batchStride +
    (problem[operand].layout === 'row' ? row * ld + column : column * ld + row);

interface Value {
  readonly value: number;
  readonly bound: number;
}

/** Seed of the inputs, or one seed per operand if they were not generated together. */
export type Seeds = number | Readonly<Record<OperandName, number>>;

/**
 * Returns an evaluator of hypotheses for the inputs of a seed. For an element of C, the evaluator
 * returns undefined if the hypothesis reads unknown values.
 */
export function hypothesisEvaluator(problem: ResolvedProblem, seeds: Seeds) {
  const read = (operand: OperandName, by: ElementIndex | undefined) => {
    const at = inputAt(problem, operand, typeof seeds === 'number' ? seeds : seeds[operand]);
    const span = spanElements(problem, operand);
    const where = by ?? indexOf(problem, operand);
    return (product: number, row: number, column: number): number | undefined => {
      const index = where(product, row, column);
      return index === undefined || index < 0 || index >= span ? undefined : at(index);
    };
  };
  return (supposed: Hypothesis) => {
    const { times = () => 1, alpha = problem.alpha, beta = problem.beta } = supposed;
    const [a, b] = [read('a', supposed.a), read('b', supposed.b)];
    const old = read('c', supposed.old);
    const { products, sums } = supposed;
    return (place: Place): Value | undefined => {
      const at = supposed.at === undefined ? place : supposed.at(place);
      if (at === undefined) return undefined;
      const { product, row, column } = at;
      let [dot, magnitude] = [0, 0];
      for (let k = 0; k < problem.k; k++) {
        const count = times(k);
        if (count === 0) continue;
        const [left, right] = [a(product, row, k), b(product, k, column)];
        if (left === undefined || right === undefined) return undefined;
        const term = products === undefined ? left * right : roundTo(products, left * right);
        dot += count * term;
        if (sums !== undefined) dot = roundTo(sums, dot);
        magnitude += Math.abs(count * term);
      }
      const before = beta === 0 ? 0 : old(product, row, column);
      return before === undefined
        ? undefined
        : scaled(problem, { dot, magnitude, before, alpha, beta });
    };
  };
}

function scaled(
  problem: ResolvedProblem,
  sum: {
    readonly dot: number;
    readonly magnitude: number;
    readonly before: number;
    readonly alpha: number;
    readonly beta: number;
  },
): Value {
  const { dot, magnitude, before, alpha, beta } = sum;
  if (isInteger(problem.accumulator))
    return { value: (Math.imul(alpha, dot | 0) + Math.imul(beta, before)) | 0, bound: 0 };
  const value = alpha * dot + beta * before;
  const rounding = gammaOf(problem) * (Math.abs(alpha) * magnitude + Math.abs(beta * before));
  const stored = outputRoundoff(problem) * (Math.abs(value) + rounding);
  return { value, bound: rounding + stored + flushBound(problem, magnitude) };
}

/**
 * Minimum number of agreeing examples, higher for coarse error bounds, within which random values
 * are more likely.
 */
const MIN_AGREEING = 2;
const MIN_AGREEING_16_BIT = 4;

/**
 * Tests whether every example with a known value agrees with the hypothesis, and whether enough
 * examples (at least half) have a known value.
 */
export function agrees(
  problem: ResolvedProblem,
  value: (place: Place) => Value | undefined,
  examples: readonly WrongExample[],
): boolean {
  const coarse = outputRoundoff(problem) > 0 || gammaOf(problem) > 1e-3;
  const least = Math.min(examples.length, coarse ? MIN_AGREEING_16_BIT : MIN_AGREEING);
  let known = 0;
  for (const example of examples) {
    const { actual } = example;
    const is = value(example);
    if (is === undefined) continue;
    if (actual === null) return false;
    const error = Math.abs(actual - is.value);
    // The actual value must be at least four times closer to the value of the hypothesis than to
    // the correct value.
    if (!(error <= is.bound) || 4 * error > Math.abs(actual - example.expected)) return false;
    known++;
  }
  return known >= Math.max(1, least) && 2 * known >= examples.length;
}
