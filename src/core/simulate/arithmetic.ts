/** Arithmetic of the element types as the targets do it. f64 multiply-add is not fused here (one rounding more). */
import type { DType } from '../spec/dtype';

export interface Arithmetic {
  readonly mul: (left: number, right: number) => number;
  readonly add: (left: number, right: number) => number;
  readonly fma: (left: number, right: number, addend: number) => number;
}

const single: Arithmetic = {
  mul: (left, right) => Math.fround(left * right),
  add: (left, right) => Math.fround(left + right),
  fma: fmaF32,
};

const double: Arithmetic = {
  mul: (left, right) => left * right,
  add: (left, right) => left + right,
  fma: (left, right, addend) => left * right + addend,
};

const integer: Arithmetic = {
  mul: Math.imul,
  add: (left, right) => (left + right) | 0,
  fma: (left, right, addend) => (Math.imul(left, right) + addend) | 0,
};

export function arithmeticOf(dtype: DType): Arithmetic {
  if (dtype === 's32') return integer;
  return dtype === 'f64' ? double : single;
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * f32 fused multiply-add, rounded once. The product of two f32 is exact in f64; the sum is rounded to
 * odd there, so that rounding it to f32 is the only rounding that counts (Boldo and Melquiond, 2008).
 */
export function fmaF32(left: number, right: number, addend: number): number {
  const product = left * right;
  const sum = product + addend;
  if (!Number.isFinite(sum)) return Math.fround(sum);
  const virtual = sum - product;
  const error = product - (sum - virtual) + (addend - virtual);
  if (error === 0) return Math.fround(sum);
  bits.setFloat64(0, sum);
  const low = bits.getUint32(4);
  if ((low & 1) === 1) return Math.fround(sum);
  // An even last bit is inexact: move one step towards the exact value, onto the odd neighbour.
  const step = error > 0 === sum > 0 ? 1n : -1n;
  bits.setBigUint64(0, bits.getBigUint64(0) + step);
  return Math.fround(bits.getFloat64(0));
}
