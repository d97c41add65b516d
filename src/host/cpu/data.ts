/** Matrices as bytes, as the program maps them. */
import type { DType } from '../../core/spec/dtype';
import type { OperandName, ResolvedProblem } from '../../core/spec/resolved';
import { bitsOf, valueOfBits } from '../../core/spec/rounding';
import { fillMatrix, poisonMatrix, type MatrixData } from '../../core/verify/inputs';

/** What an operand holds before the kernel runs. */
export function bytesBefore(
  problem: ResolvedProblem,
  operand: OperandName,
  seed: number,
): Uint8Array {
  const isPoisoned = operand === 'c' && problem.beta === 0;
  const data = isPoisoned ? poisonMatrix(problem) : fillMatrix(problem, operand, seed);
  const { dtype } = problem[operand];
  const stored = isShort(dtype) ? Uint16Array.from(data, value => bitsOf(dtype, value)) : data;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** C as it was read back. */
export function matrixOf(problem: ResolvedProblem, bytes: Uint8Array): MatrixData {
  const { dtype } = problem.c;
  const { buffer } = Uint8Array.from(bytes);
  if (isShort(dtype)) {
    return Float32Array.from(new Uint16Array(buffer), bits => valueOfBits(dtype, bits));
  }
  switch (dtype) {
    case 'f64':
      return new Float64Array(buffer);
    case 's32':
      return new Int32Array(buffer);
    case 's8':
      return new Int8Array(buffer);
    default:
      return new Float32Array(buffer);
  }
}

const isShort = (dtype: DType): dtype is 'f16' | 'bf16' => dtype === 'f16' || dtype === 'bf16';
