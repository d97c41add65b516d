/** How numbers round to an element type (to nearest, ties to even but for tf32), and the bits of 16-bit floats. */
import type { DType } from './dtype';

/** A binary floating-point format: significant bits with the leading one, and the least and largest exponent. */
interface Format {
  readonly precision: number;
  readonly least: number;
  readonly most: number;
}

/** IEEE 754 binary16; bfloat16 has the exponents of binary32. */
const FORMATS = {
  f16: { precision: 11, least: -14, most: 15 },
  bf16: { precision: 8, least: -126, most: 127 },
} as const satisfies Partial<Record<DType, Format>>;

const word = new DataView(new ArrayBuffer(8));

/** Exponent of the leading bit; that of subnormals of f64 is too small to matter here. */
function exponentOf(value: number): number {
  word.setFloat64(0, value);
  return ((word.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

function roundedTo({ precision, least, most }: Format, value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const quantum = 2 ** (Math.max(exponentOf(value), least) - precision + 1);
  // Adding 1.5 * 2^52 quanta leaves f64 no bit below one quantum, so that it rounds there (ties to even).
  const shift = 1.5 * 2 ** 52 * quantum;
  const magnitude = Math.abs(value) + shift - shift;
  const rounded = magnitude >= 2 ** (most + 1) ? Infinity : magnitude;
  return value < 0 ? -rounded : rounded;
}

/** Bits of an f32 behind those of a tf32. */
const BEHIND_TF32 = 0x1fff;

/** To nearest, ties away from zero, as compute capability 8.0 can (PTX ISA, "cvt", .rna). */
function roundedToTf32(value: number): number {
  word.setFloat32(0, value);
  if (Number.isFinite(value)) word.setUint32(0, (word.getUint32(0) + 0x1000) & ~BEHIND_TF32);
  return word.getFloat32(0);
}

/** The nearest number of a type; integers wrap, as they do where they are stored. */
export function roundTo(dtype: DType, value: number): number {
  switch (dtype) {
    case 'f16':
    case 'bf16':
      return roundedTo(FORMATS[dtype], value);
    case 'tf32':
      return roundedToTf32(value);
    case 'f64':
      return value;
    case 's8':
      return (value << 24) >> 24;
    case 's32':
      return value | 0;
    default:
      return Math.fround(value);
  }
}

/** Bits of a number that the type holds exactly; of NaN, a quiet one. */
export function bitsOf(dtype: 'f16' | 'bf16', value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const { precision, least, most } = FORMATS[dtype];
  const infinity = (most - least + 2) << (precision - 1);
  if (Number.isNaN(value)) return infinity | (1 << (precision - 2));
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return sign | infinity;
  const exponent = Math.max(exponentOf(magnitude), least);
  // The leading bit of a normal number adds one to the exponent's field.
  const significand = magnitude / 2 ** (exponent - precision + 1);
  return sign | (((exponent - least) << (precision - 1)) + significand);
}

/** The number of some bits. */
export function valueOfBits(dtype: 'f16' | 'bf16', bits: number): number {
  const { precision, least, most } = FORMATS[dtype];
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const field = (bits & 0x7fff) >>> (precision - 1);
  const fraction = bits & ((1 << (precision - 1)) - 1);
  if (field === most - least + 2) return fraction === 0 ? sign * Infinity : NaN;
  const leading = field === 0 ? 0 : 1 << (precision - 1);
  return sign * (leading + fraction) * 2 ** (Math.max(field, 1) - 1 + least - precision + 1);
}
