/**
 * What a kernel with a known bug would have computed: the inputs are a function of their seed, so that the wrong elements
 * that were kept of a result can be compared with it.
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

/** Where an element of an operand is looked for; undefined: what stands there is not known. */
export type Where = (product: number, row: number, column: number) => number | undefined;

/** How a result differs from the right one; what is absent is as it should be. */
export interface Supposed {
  /** How often product k is summed. */
  readonly times?: (k: number) => number;
  /** Index in memory of the element of A at (row, k) that is read for this place, of B, and of C before. */
  readonly a?: Where;
  readonly b?: Where;
  readonly old?: Where;
  readonly alpha?: number;
  readonly beta?: number;
  /** The place whose value stands here. */
  readonly at?: (place: Place) => Place | undefined;
  /** What each product, or the sum after each step, is rounded to. */
  readonly products?: DType;
  readonly sums?: DType;
}

/** The index in memory of an operand's element. */
export const indexOf =
  (
    problem: ResolvedProblem,
    operand: OperandName,
    ld = problem[operand].ld,
    batchStride = problem[operand].batchStride,
  ): Where =>
  (product, row, column) =>
    product * batchStride +
    (problem[operand].layout === 'row' ? row * ld + column : column * ld + row);

interface Value {
  readonly value: number;
  /** How far rounding may take a kernel from it. */
  readonly bound: number;
}

/** Computes what is supposed, for the inputs of a seed; undefined where that reads what is not known. */
export function supposing(problem: ResolvedProblem, seed: number) {
  const read = (operand: OperandName, by: Where | undefined) => {
    const at = inputAt(problem, operand, seed);
    const span = spanElements(problem, operand);
    const where = by ?? indexOf(problem, operand);
    return (product: number, row: number, column: number): number | undefined => {
      const index = where(product, row, column);
      return index === undefined || index < 0 || index >= span ? undefined : at(index);
    };
  };
  return (supposed: Supposed) => {
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

/** Examples that must agree: one number in a few thousand is within the bound of another by chance, of 16-bit ones more. */
const LEAST_AGREEING = 2;
const LEAST_AGREEING_COARSE = 4;

/** Whether every example is what is supposed, of those whose value is known, and whether these are enough. */
export function agrees(
  problem: ResolvedProblem,
  value: (place: Place) => Value | undefined,
  examples: readonly WrongExample[],
): boolean {
  const coarse = outputRoundoff(problem) > 0 || gammaOf(problem) > 1e-3;
  const least = Math.min(examples.length, coarse ? LEAST_AGREEING_COARSE : LEAST_AGREEING);
  let known = 0;
  for (const example of examples) {
    const { actual } = example;
    const is = value(example);
    if (is === undefined) continue;
    if (actual === null) return false;
    const error = Math.abs(actual - is.value);
    // What is as near to the right value explains nothing.
    if (!(error <= is.bound) || 4 * error > Math.abs(actual - example.expected)) return false;
    known++;
  }
  return known >= Math.max(1, least) && 2 * known >= examples.length;
}
