/** Converts matrices to and from the bytes in GPU memory. */
import { DTYPE_BYTES, type DType } from '../types/dtype';
import { bitsOf, isPackedFloat, valueOfBits, type PackedFloat } from '../types/rounding';
import type { MatrixData } from './inputs';

/** Encodes the elements of a matrix in their type, in little-endian order as on every target. */
export function bytesOf(dtype: DType, data: MatrixData): Uint8Array<ArrayBuffer> {
  if (!isPackedFloat(dtype)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const bits =
    DTYPE_BYTES[dtype] === 1 ? new Uint8Array(data.length) : new Uint16Array(data.length);
  // A loop is used because `from` is slower for millions of elements.
  for (let i = 0; i < data.length; i++) bits[i] = bitsOf(dtype, data[i] ?? NaN);
  return new Uint8Array(bits.buffer);
}

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
    case 'e4m3':
    case 'e5m2':
      return decoded(dtype, new Uint8Array(buffer, 0, elements));
    default:
      return new Float32Array(buffer, 0, elements);
  }
}

const tables = new Map<DType, Float32Array<ArrayBuffer>>();

function valuesOf(dtype: PackedFloat): Float32Array<ArrayBuffer> {
  const known = tables.get(dtype);
  if (known !== undefined) return known;
  const values = new Float32Array(2 ** (8 * DTYPE_BYTES[dtype]));
  for (let bits = 0; bits < values.length; bits++) values[bits] = valueOfBits(dtype, bits);
  tables.set(dtype, values);
  return values;
}

function decoded(dtype: PackedFloat, bits: Uint16Array | Uint8Array): Float32Array<ArrayBuffer> {
  const values = valuesOf(dtype);
  const elements = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) elements[i] = values[bits[i] ?? 0] ?? NaN;
  return elements;
}
