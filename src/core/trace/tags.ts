/**
 * Tags replace the values of a traced block, so that a trace shows the origin of each value. A tag
 * is positive for an element of a matrix, negative for an accumulator, 0 for zero padding, and NaN
 * for uninitialized memory. In FP32 emulation, the fraction of a tag is the number of the term.
 */
import type { Arithmetic } from '../simulate/arithmetic';
import { EPILOGUE_OPERANDS } from '../spec/epilogue';
import type { GlobalOperand } from '../spec/resolved';

const OPERANDS: readonly GlobalOperand[] = ['a', 'b', 'c', 'workspace', ...EPILOGUE_OPERANDS];

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
  const whole = wholeTag(tag) - 1;
  const operand = tag > 0 ? OPERANDS[whole % OPERANDS.length] : undefined;
  return operand === undefined ? null : { operand, index: Math.floor(whole / OPERANDS.length) };
}

/** Maximum number of terms per element, plus one. */
const TERMS = 8;

/** Returns the tag of the element that a term belongs to; other tags are unchanged. */
export const wholeTag = (tag: number): number => Math.floor(tag);

/** Returns the number of the term, counted from 1; 0 for a whole element. */
export const termOf = (tag: number): number => (tag - wholeTag(tag)) * TERMS;

/** Returns the tag of the next term of an element. Zero and uninitialized values keep their tag. */
const nextTerm = (tag: number): number => (tag > 0 ? tag + 1 / TERMS : tag);

/** Returns null for tags that are not accumulators. */
export const accumulatorOf = (tag: number): TaggedAccumulator | null =>
  tag < 0 ? { thread: Math.floor((-1 - tag) / SLOTS), slot: (-1 - tag) % SLOTS } : null;

export interface TagEvents {
  readonly multiplied: (accumulator: number, left: number, right: number) => void;
  /** Called when a temporary accumulator is added to an accumulator (promotion). */
  readonly promoted: (accumulator: number, temporary: number) => void;
}

/** Arithmetic on tags: an operation returns its accumulator operand, and its event is reported. */
export function tagArithmetic({ multiplied, promoted }: TagEvents): Arithmetic {
  const accumulatorOrLeft = (left: number, right: number): number =>
    right < 0 && !(left < 0) ? right : left;
  return {
    mul: accumulatorOrLeft,
    add: (left, right) => {
      if (left < 0 && right < 0) promoted(left, right);
      return accumulatorOrLeft(left, right);
    },
    sub: accumulatorOrLeft,
    fma: (left, right, addend) => {
      multiplied(addend, left, right);
      return addend;
    },
    round: (_, value) => value,
    activation: (_, value) => value,
    term: (_, value) => nextTerm(value),
    remainder: (_, term) => term,
  };
}
