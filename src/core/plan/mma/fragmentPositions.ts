/**
 * Element positions in the fragments of `mma` (PTX ISA, "Matrix Fragments for mma"). All
 * instructions use the same mapping.
 */
import { DTYPE_BYTES } from '../../types/dtype';
import { MATRIX_ROWS, WORD_BYTES } from './fragments';
import type { Fp32Emulation } from '../plan';

type Operand = 'a' | 'b';

interface Position {
  readonly side: number;
  readonly depth: number;
}

/** Number of adjacent lanes along K, each with one 32-bit word. */
export const LANE_WORDS = 4;

/** Number of 8-row blocks of A, or 8-column blocks of B, per instruction. */
const BLOCKS: Readonly<Record<Operand, number>> = { a: 2, b: 1 };

/**
 * Returns the block that contains a lane's i-th word. Blocks have 8 rows of A or columns of B, and
 * 4 words along K.
 */
const blockOf = (operand: Operand, i: number): Position => ({
  side: i % BLOCKS[operand],
  depth: Math.floor(i / BLOCKS[operand]),
});

/**
 * Returns the position of a lane's i-th element of A or B, along M or N (`side`) and along K
 * (`depth`).
 */
export function operandPosition(
  operand: Operand,
  elementBytes: number,
  lane: number,
  i: number,
): Position {
  const inWord = WORD_BYTES / elementBytes;
  const { side, depth } = blockOf(operand, Math.floor(i / inWord));
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: (LANE_WORDS * depth + (lane % LANE_WORDS)) * inWord + (i % inWord),
  };
}

/** Returns the number of split terms that a lane packs into one word; 1 without FP32 emulation. */
export const termsPerWord = (emulation: Fp32Emulation | undefined): number =>
  emulation === undefined ? 1 : WORD_BYTES / DTYPE_BYTES[emulation.dtype];

/**
 * Returns the block of a loaded word that a lane splits into terms. A packed word of terms combines
 * `inWord` neighboring blocks. This permutes K equally for A and B, so the result does not change.
 */
export function loadedBlock(operand: Operand, inWord: number, i: number): Position {
  const { side, depth } = blockOf(operand, Math.floor(i / inWord));
  return { side, depth: depth * inWord + (i % inWord) };
}

export function termPosition(operand: Operand, inWord: number, lane: number, i: number): Position {
  const { side, depth } = loadedBlock(operand, inWord, i);
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: LANE_WORDS * depth + (lane % LANE_WORDS),
  };
}

/** Returns the position of a lane's i-th accumulator in the 16 x 8 accumulator matrix of an MMA. */
export const accumulatorPosition = (
  lane: number,
  i: number,
): { readonly row: number; readonly column: number } => ({
  row: MATRIX_ROWS * Math.floor(i / 2) + Math.floor(lane / 4),
  column: (lane % 4) * 2 + (i % 2),
});
