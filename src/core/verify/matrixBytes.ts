/** Matrices as the bytes that a GPU holds, and back. */
import type { DType } from '../spec/dtype';
import { bitsOf, valueOfBits } from '../spec/rounding';
import type { MatrixData } from './inputs';

/** The elements of a matrix in their own type, little-endian as every target has them. */
export function bytesOf(dtype: DType, data: MatrixData): Uint8Array<ArrayBuffer> {
  if (dtype !== 'f16' && dtype !== 'bf16')
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const bits = new Uint16Array(data.length);
  // A loop: `from` takes several times as long for the millions of a matrix.
  for (let i = 0; i < data.length; i++) bits[i] = bitsOf(dtype, data[i] ?? NaN);
  return new Uint8Array(bits.buffer);
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
      return decoded(dtype, new Uint16Array(buffer, 0, elements));
    default:
      return new Float32Array(buffer, 0, elements);
  }
}

const VALUES = 2 ** 16;
const tables = new Map<DType, Float32Array<ArrayBuffer>>();

/** All numbers of a type of 16 bits, by their bits. */
function valuesOf(dtype: 'f16' | 'bf16'): Float32Array<ArrayBuffer> {
  const known = tables.get(dtype);
  if (known !== undefined) return known;
  const values = new Float32Array(VALUES);
  for (let bits = 0; bits < VALUES; bits++) values[bits] = valueOfBits(dtype, bits);
  tables.set(dtype, values);
  return values;
}

function decoded(dtype: 'f16' | 'bf16', bits: Uint16Array): Float32Array<ArrayBuffer> {
  const values = valuesOf(dtype);
  const elements = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) elements[i] = values[bits[i] ?? 0] ?? NaN;
  return elements;
}
