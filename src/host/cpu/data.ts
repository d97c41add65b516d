/** Matrices as bytes, as the program maps them. */
import type { ResolvedProblem, OperandName } from '../../core/spec/resolved';
import { fillMatrix, poisonMatrix, type MatrixData } from '../../core/verify/inputs';

/** What an operand holds before the kernel runs. */
export function bytesBefore(
  problem: ResolvedProblem,
  operand: OperandName,
  seed: number,
): Uint8Array {
  const isPoisoned = operand === 'c' && problem.beta === 0;
  const data = isPoisoned ? poisonMatrix(problem) : fillMatrix(problem, operand, seed);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** C as it was read back. */
export function matrixOf(problem: ResolvedProblem, bytes: Buffer): MatrixData {
  const { buffer } = Uint8Array.from(bytes);
  switch (problem.c.dtype) {
    case 'f64':
      return new Float64Array(buffer);
    case 's32':
      return new Int32Array(buffer);
    default:
      return new Float32Array(buffer);
  }
}
