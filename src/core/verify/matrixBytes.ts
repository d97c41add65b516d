/** Matrices as the bytes that a GPU holds, and back. */
import type { DType } from '../spec/dtype';
import { bitsOf, valueOfBits } from '../spec/rounding';
import type { MatrixData } from './inputs';

/** The elements of a matrix in their own type, little-endian as every target has them. */
export function bytesOf(dtype: DType, data: MatrixData): Uint8Array<ArrayBuffer> {
  if (dtype !== 'f16' && dtype !== 'bf16')
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(Uint16Array.from(data, value => bitsOf(dtype, value)).buffer);
}

/** The elements that stand at the beginning of a buffer. */
export function elementsOf(dtype: DType, buffer: ArrayBuffer, elements: number): MatrixData {
  switch (dtype) {
    case 'f64':
      return new Float64Array(buffer, 0, elements);
    case 's32':
      return new Int32Array(buffer, 0, elements);
    case 's8':
      return new Int8Array(buffer, 0, elements);
    case 'f16':
    case 'bf16':
      return Float32Array.from(new Uint16Array(buffer, 0, elements), bits =>
        valueOfBits(dtype, bits),
      );
    default:
      return new Float32Array(buffer, 0, elements);
  }
}
