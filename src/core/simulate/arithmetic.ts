/** Arithmetic of the accumulator types, including their rounding. */
import type { DType } from '../types/dtype';
import { activate, type Activation } from '../types/activations';
import { roundTo } from '../types/rounding';

export interface Arithmetic {
  readonly mul: (left: number, right: number) => number;
  readonly add: (left: number, right: number) => number;
  readonly sub: (left: number, right: number) => number;
  readonly fma: (left: number, right: number, addend: number) => number;
  readonly activation: (of: Activation, value: number) => number;
  /** Rounds to nearest in a type. */
  readonly round: (dtype: DType, value: number) => number;
  /** Returns the leading term of a value in FP32 emulation: the value rounded to a shorter type. */
  readonly term: (dtype: DType, value: number) => number;
  /** Returns the remainder of a value after its leading term. */
  readonly remainder: (value: number, term: number) => number;
}

const rounding = (
  dtype: DType,
  of: Pick<Arithmetic, 'mul' | 'add' | 'sub' | 'fma'>,
): Arithmetic => ({
  ...of,
  activation: (name, value) => roundTo(dtype, activate(name, value)),
  round: roundTo,
  term: roundTo,
  remainder: of.sub,
});

const single = rounding('f32', {
  mul: (left, right) => Math.fround(left * right),
  add: (left, right) => Math.fround(left + right),
  sub: (left, right) => Math.fround(left - right),
  fma: fmaF32,
});

/** Arithmetic of f16, whose products and sums are exact in f64. */
const half = rounding('f16', {
  mul: (left, right) => roundTo('f16', left * right),
  add: (left, right) => roundTo('f16', left + right),
  sub: (left, right) => roundTo('f16', left - right),
  fma: (left, right, addend) => roundTo('f16', toOdd(left * right, addend)),
});

const double = rounding('f64', {
  mul: (left, right) => left * right,
  add: (left, right) => left + right,
  sub: (left, right) => left - right,
  fma: fmaF64,
});

const integer = rounding('s32', {
  mul: Math.imul,
  add: (left, right) => (left + right) | 0,
  sub: (left, right) => (left - right) | 0,
  fma: (left, right, addend) => (Math.imul(left, right) + addend) | 0,
});

export function arithmeticOf(dtype: DType): Arithmetic {
  if (dtype === 's32') return integer;
  if (dtype === 'f16') return half;
  return dtype === 'f64' ? double : single;
}

/** Computes an FP32 FMA, rounded once: the product of two f32 is exact in f64. */
export function fmaF32(left: number, right: number, addend: number): number {
  return Math.fround(toOdd(left * right, addend));
}

/** Returns the rounded sum of two numbers and its exact rounding error (Knuth's TwoSum). */
function twoSum(left: number, right: number): readonly [sum: number, error: number] {
  const sum = left + right;
  const virtual = sum - left;
  return [sum, left - (sum - virtual) + (right - virtual)];
}

/** Splits a number into two halves of 26 bits (Veltkamp). */
function halves(value: number): readonly [high: number, low: number] {
  const scaled = value * (2 ** 27 + 1);
  const high = scaled - (scaled - value);
  return [high, value - high];
}

/** Magnitudes of the product outside of which intermediate results may overflow or lose bits. */
const SAFE = { least: 2 ** -900, most: 2 ** 900 } as const;

/**
 * Computes an FP64 FMA, rounded once (Boldo and Melquiond, IEEE Trans. Computers 57(4), 2008). A
 * product outside `SAFE` is rounded before the addition.
 */
export function fmaF64(left: number, right: number, addend: number): number {
  const product = left * right;
  const size = Math.abs(product);
  if (!(size > SAFE.least && size < SAFE.most)) return product + addend;
  const [leftHigh, leftLow] = halves(left);
  const [rightHigh, rightLow] = halves(right);
  const cross = leftHigh * rightHigh - product + leftHigh * rightLow + leftLow * rightHigh;
  const low = cross + leftLow * rightLow;
  const [middle, lowest] = twoSum(addend, low);
  const [high, rest] = twoSum(product, middle);
  return high + toOdd(lowest, rest);
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * Adds in round-to-odd, so that a later rounding to fewer bits has the effect of a single rounding
 * (Boldo and Melquiond, 2008).
 */
function toOdd(left: number, right: number): number {
  const [sum, error] = twoSum(left, right);
  if (!Number.isFinite(sum) || error === 0) return sum;
  bits.setFloat64(0, sum);
  const low = bits.getUint32(4);
  if ((low & 1) === 1) return sum;
  // If the last bit of an inexact sum is even, move one step toward the exact value, to the odd
  // neighbor.
  const away = error > 0 === sum > 0;
  if (!away && low === 0) bits.setUint32(0, bits.getUint32(0) - 1);
  bits.setUint32(4, away ? low + 1 : low - 1);
  return bits.getFloat64(0);
}
