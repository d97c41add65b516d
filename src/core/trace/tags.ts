/**
 * Tags replace the values of a traced block, so that a trace shows the origin of each value. A tag
 * is positive for an element of a matrix, negative for an accumulator, 0 for zero padding, and NaN
 * for uninitialized memory.
 */
import type { Arithmetic } from '../simulate/arithmetic';
import type { GlobalOperand } from '../spec/resolved';

const OPERANDS: readonly GlobalOperand[] = ['a', 'b', 'c', 'workspace'];

/**
 * Maximum number of register slots per thread, or of matrix elements per warp. Maps have fast
 * integer keys below 2^30.
 */
const SLOTS = 2 ** 16;

export interface TaggedElement {
  readonly operand: GlobalOperand;
  /** Element index in the matrix. */
  readonly index: number;
}

export interface TaggedAccumulator {
  /** Linear thread index in the block. */
  readonly thread: number;
  readonly slot: number;
}

export const elementTag = (operand: GlobalOperand, index: number): number =>
  1 + index * OPERANDS.length + OPERANDS.indexOf(operand);

export function accumulatorTag(thread: number, slot: number): number {
  if (slot >= SLOTS) throw new Error(`A thread has more than ${SLOTS} register slots.`);
  return -1 - (thread * SLOTS + slot);
}

/** Returns null for zero, uninitialized memory and accumulators. */
export function elementOf(tag: number): TaggedElement | null {
  const operand = tag > 0 ? OPERANDS[(tag - 1) % OPERANDS.length] : undefined;
  return operand === undefined ? null : { operand, index: Math.floor((tag - 1) / OPERANDS.length) };
}

/** Returns null for tags that are not accumulators. */
export const accumulatorOf = (tag: number): TaggedAccumulator | null =>
  tag < 0 ? { thread: Math.floor((-1 - tag) / SLOTS), slot: (-1 - tag) % SLOTS } : null;

/** Arithmetic on tags: an operation returns its accumulator operand, and an FMA is reported. */
export function tagArithmetic(
  multiplied: (accumulator: number, left: number, right: number) => void,
): Arithmetic {
  const either = (left: number, right: number): number => (right < 0 ? right : left);
  return {
    mul: either,
    add: either,
    sub: either,
    fma: (left, right, addend) => {
      multiplied(addend, left, right);
      return addend;
    },
    round: (_, value) => value,
  };
}
