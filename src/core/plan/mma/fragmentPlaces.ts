/** Which element of A, B or C a lane of `mma` holds where (PTX ISA, "Matrix Fragments for mma"); all instructions deal alike. */
import { DTYPE_BYTES } from '../../types/dtype';
import { MATRIX_ROWS, WORD_BYTES } from './fragments';
import type { PiecesPlan } from '../plan';

type Operand = 'a' | 'b';

interface Place {
  readonly side: number;
  readonly depth: number;
}

/** Lanes beside each other along the depth, each of which holds a word. */
export const LANE_WORDS = 4;

/** Blocks of 8 that an instruction has along the side. */
const BLOCKS: Readonly<Record<Operand, number>> = { a: 2, b: 1 };

/** In which block of 8 along the side, and of 4 words along the depth, a lane's i-th word stands. */
const blockOf = (operand: Operand, i: number): Place => ({
  side: i % BLOCKS[operand],
  depth: Math.floor(i / BLOCKS[operand]),
});

/** Where the i-th element of a lane's part of A or B stands: along the side, m or n, and along the depth. */
export function operandPlace(
  operand: Operand,
  elementBytes: number,
  lane: number,
  i: number,
): Place {
  const inWord = WORD_BYTES / elementBytes;
  const { side, depth } = blockOf(operand, Math.floor(i / inWord));
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: (LANE_WORDS * depth + (lane % LANE_WORDS)) * inWord + (i % inWord),
  };
}

/** Pieces that a lane puts into one word. */
export const inWordOf = (pieces: PiecesPlan | undefined): number =>
  pieces === undefined ? 1 : WORD_BYTES / DTYPE_BYTES[pieces.dtype];

/**
 * The same of words that lanes make pieces of, `inWord` of them a word: those of neighbouring blocks. So A and B have their
 * depths in another order than the instruction, and in the same one, which leaves their products as they are.
 */
export function loadedBlock(operand: Operand, inWord: number, i: number): Place {
  const { side, depth } = blockOf(operand, Math.floor(i / inWord));
  return { side, depth: depth * inWord + (i % inWord) };
}

/** Where the i-th piece of a lane stands, of any of the pieces. */
export function piecePlace(operand: Operand, inWord: number, lane: number, i: number): Place {
  const { side, depth } = loadedBlock(operand, inWord, i);
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: LANE_WORDS * depth + (lane % LANE_WORDS),
  };
}

/** Where the i-th of a lane's four sums stands in the 16 x 8 of a warp. */
export const warpSumPlace = (
  lane: number,
  i: number,
): { readonly row: number; readonly column: number } => ({
  row: MATRIX_ROWS * Math.floor(i / 2) + Math.floor(lane / 4),
  column: (lane % 4) * 2 + (i % 2),
});
