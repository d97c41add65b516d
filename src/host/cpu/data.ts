/** Converts matrices to and from the bytes in the files that the executable maps into memory. */
import { DTYPE_BYTES } from '../../core/types/dtype';
import { operandOf, type BufferName, type ResolvedProblem } from '../../core/spec/resolved';
import { fillMatrix, poisonMatrix, type MatrixData } from '../../core/verify/inputs';
import { bytesOf, elementsOf } from '../../core/verify/matrixBytes';

/** Returns the initial bytes of an operand. C is poisoned if beta is 0. */
export function bytesBefore(
  problem: ResolvedProblem,
  operand: BufferName,
  seed: number,
): Uint8Array {
  const isPoisoned = operand === 'c' && problem.beta === 0;
  const data = isPoisoned ? poisonMatrix(problem) : fillMatrix(problem, operand, seed);
  return bytesOf(operandOf(problem, operand).dtype, data);
}

export function matrixOf({ c: { dtype } }: ResolvedProblem, bytes: Uint8Array): MatrixData {
  const { buffer } = Uint8Array.from(bytes);
  return elementsOf(dtype, buffer, buffer.byteLength / DTYPE_BYTES[dtype]);
}
