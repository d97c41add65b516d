/**
 * Element positions in the fragments of `mma` (PTX ISA, "Matrix Fragments for mma"); all
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

/** Adjacent lanes along K, each of which holds one word. */
export const LANE_WORDS = 4;

/** Blocks of 8 along the side per instruction. */
const BLOCKS: Readonly<Record<Operand, number>> = { a: 2, b: 1 };

/**
 * Returns the block of 8 along the side, and of 4 words along K, that contains a lane's i-th word.
 */
const blockOf = (operand: Operand, i: number): Position => ({
  side: i % BLOCKS[operand],
  depth: Math.floor(i / BLOCKS[operand]),
});

/**
 * Returns the position of a lane's i-th element of A or B: along the side (m or n), and along K.
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

/** Returns the split terms that a lane packs into one word. */
export const termsPerWord = (pieces: Fp32Emulation | undefined): number =>
  pieces === undefined ? 1 : WORD_BYTES / DTYPE_BYTES[pieces.dtype];

/**
 * Returns the block for words that lanes split into terms, `inWord` terms per word, from
 * neighboring blocks. A and B therefore have a permuted K order, the same in both, which does not
 * change the result.
 */
export function loadedBlock(operand: Operand, inWord: number, i: number): Position {
  const { side, depth } = blockOf(operand, Math.floor(i / inWord));
  return { side, depth: depth * inWord + (i % inWord) };
}

/** Returns the position of a lane's i-th element of any split term. */
export function termPosition(operand: Operand, inWord: number, lane: number, i: number): Position {
  const { side, depth } = loadedBlock(operand, inWord, i);
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: LANE_WORDS * depth + (lane % LANE_WORDS),
  };
}

/** Returns the position of a lane's i-th accumulator in the 16 x 8 tile of a warp. */
export const accumulatorPosition = (
  lane: number,
  i: number,
): { readonly row: number; readonly column: number } => ({
  row: MATRIX_ROWS * Math.floor(i / 2) + Math.floor(lane / 4),
  column: (lane % 4) * 2 + (i % 2),
});
