/**
 * Rounding of numbers to an element type (to nearest even, except tf32), and bit patterns of 16-bit
 * and 8-bit floats.
 */
import type { DType } from './dtype';

/**
 * A binary floating-point format: significand bits including the leading one, and minimum and
 * maximum exponent.
 */
interface Format {
  readonly precision: number;
  readonly least: number;
  readonly most: number;
  /** Mask of the sign bit. */
  readonly sign: number;
  /** Largest finite value, to which conversions saturate instead of overflowing to infinity. */
  readonly largest?: number;
}

/**
 * Formats of IEEE 754 binary16 and bfloat16, which has the exponents of binary32. 8-bit floats
 * (Micikevicius et al., "FP8 Formats for Deep Learning", 2022): e5m2 is a shorter binary16; e4m3
 * has a single NaN and no infinity. CUDA's conversions to 8-bit floats saturate (cuda_fp8.h,
 * __NV_SATFINITE).
 */
const FORMATS = {
  f16: { precision: 11, least: -14, most: 15, sign: 0x8000 },
  bf16: { precision: 8, least: -126, most: 127, sign: 0x8000 },
  e5m2: { precision: 3, least: -14, most: 15, sign: 0x80, largest: 57_344 },
  e4m3: { precision: 4, least: -6, most: 8, sign: 0x80, largest: 448 },
} as const satisfies Partial<Record<DType, Format>>;

export type PackedFloat = keyof typeof FORMATS;

export const isPackedFloat = (dtype: DType): dtype is PackedFloat => Object.hasOwn(FORMATS, dtype);

const E4M3_NAN = 0x7f;

const word = new DataView(new ArrayBuffer(8));

/**
 * Returns the exponent of the leading bit. The result is incorrect for f64 subnormals, which are
 * below every other type's range.
 */
function exponentOf(value: number): number {
  word.setFloat64(0, value);
  return ((word.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

function roundedTo(
  { precision, least: minExponent, most: maxExponent, largest }: Format,
  value: number,
): number {
  if (Number.isNaN(value) || value === 0) return value;
  if (!Number.isFinite(value)) return largest === undefined ? value : Math.sign(value) * largest;
  const quantum = 2 ** (Math.max(exponentOf(value), minExponent) - precision + 1);
  // Adding 1.5 * 2^52 quanta makes f64 round at one quantum (ties to even), since lower bits do not
  // fit its significand.
  const shift = 1.5 * 2 ** 52 * quantum;
  const magnitude = Math.abs(value) + shift - shift;
  const rounded =
    largest !== undefined
      ? Math.min(magnitude, largest)
      : magnitude >= 2 ** (maxExponent + 1)
        ? Infinity
        : magnitude;
  return value < 0 ? -rounded : rounded;
}

/** Mask of the f32 bits below the tf32 significand. */
const BELOW_TF32 = 0x1fff;

/**
 * Rounds to nearest, ties away from zero, as compute capability 8.0 and later do (PTX ISA, "cvt",
 * .rna).
 */
function roundedToTf32(value: number): number {
  word.setFloat32(0, value);
  if (Number.isFinite(value)) word.setUint32(0, (word.getUint32(0) + 0x1000) & ~BELOW_TF32);
  return word.getFloat32(0);
}

/** Rounds to the nearest value of a type. Integers wrap, as they do in stores. */
export function roundTo(dtype: DType, value: number): number {
  switch (dtype) {
    case 'f16':
    case 'bf16':
    case 'e4m3':
    case 'e5m2':
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

/**
 * Returns the bit pattern of a number that the type represents exactly; NaN becomes a quiet NaN.
 */
export function bitsOf(dtype: PackedFloat, value: number): number {
  const { precision, least: minExponent, most: maxExponent, sign: signBit } = FORMATS[dtype];
  const sign = value < 0 || Object.is(value, -0) ? signBit : 0;
  if (dtype === 'e4m3' && !Number.isFinite(value))
    return Number.isNaN(value) ? E4M3_NAN : sign | (E4M3_NAN - 1);
  const infinity = (maxExponent - minExponent + 2) << (precision - 1);
  if (Number.isNaN(value)) return infinity | (1 << (precision - 2));
  const magnitude = Math.abs(value);
  if (magnitude === Infinity) return sign | infinity;
  const exponent = Math.max(exponentOf(magnitude), minExponent);
  // The leading bit of a normal number adds one to the exponent field.
  const significand = magnitude / 2 ** (exponent - precision + 1);
  return sign | (((exponent - minExponent) << (precision - 1)) + significand);
}

export function valueOfBits(dtype: PackedFloat, bits: number): number {
  const { precision, least: minExponent, most: maxExponent, sign: signBit } = FORMATS[dtype];
  const sign = (bits & signBit) === 0 ? 1 : -1;
  const field = (bits & (signBit - 1)) >>> (precision - 1);
  const fraction = bits & ((1 << (precision - 1)) - 1);
  if (dtype === 'e4m3') {
    if ((bits & E4M3_NAN) === E4M3_NAN) return NaN;
  } else if (field === maxExponent - minExponent + 2) {
    return fraction === 0 ? sign * Infinity : NaN;
  }
  const leading = field === 0 ? 0 : 1 << (precision - 1);
  return sign * (leading + fraction) * 2 ** (Math.max(field, 1) - 1 + minExponent - precision + 1);
}
