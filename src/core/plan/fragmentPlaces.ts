/** Which element of A, B or C a lane of `mma` holds where (PTX ISA, "Matrix Fragments for mma"); all instructions deal alike. */
import { MATRIX_ROWS, WORD_BYTES } from './fragments';

/** Where the i-th element of a lane's part of A or B stands: along the side, m or n, and along the depth. */
export function operandPlace(
  operand: 'a' | 'b',
  elementBytes: number,
  lane: number,
  i: number,
): { readonly side: number; readonly depth: number } {
  const inWord = WORD_BYTES / elementBytes;
  const word = Math.floor(i / inWord);
  const [side, depth] = operand === 'a' ? [word % 2, Math.floor(word / 2)] : [0, word];
  return {
    side: MATRIX_ROWS * side + Math.floor(lane / 4),
    depth: (4 * depth + (lane % 4)) * inWord + (i % inWord),
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
