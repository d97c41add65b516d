/**
 * CuTe's Swizzle<B,M,S>: XORs B bits of an offset into the B bits that start at bit M. The source
 * bits are S bits higher; for a negative S, they are |S| bits lower.
 */
import { LayoutError } from './layout';

export interface Swizzle {
  readonly bits: number;
  readonly base: number;
  readonly shift: number;
}

/** Maximum number of bits of an offset that a swizzle covers. */
const MAX_BITS = 24;

/** @throws {LayoutError} if CuTe does not permit the parameters */
export function swizzleOf(bits: number, base: number, shift: number): Swizzle {
  const name = `Swizzle<${bits},${base},${shift}>`;
  if (bits < 0 || base < 0) {
    throw new LayoutError(`${name}: the first two parameters must be at least 0.`);
  }
  if (Math.abs(shift) < bits) {
    throw new LayoutError(
      `${name}: the shift must be at least ${bits} in magnitude, so that source and target bits do not overlap.`,
    );
  }
  const swizzle = { bits, base, shift };
  if (coveredBits(swizzle) > MAX_BITS) {
    throw new LayoutError(`${name} covers more than ${MAX_BITS} bits of an offset.`);
  }
  return swizzle;
}

/** Number of low bits of an offset that the swizzle reads or changes. */
const coveredBits = ({ bits, base, shift }: Swizzle): number => base + bits + Math.abs(shift);

/** Number of offsets after which the pattern repeats. */
export const periodOf = (swizzle: Swizzle): number => 2 ** coveredBits(swizzle);

/** Applies the swizzle to an offset of at most 2^53. */
export function swizzleOffset({ bits, base, shift }: Swizzle, offset: number): number {
  const from = base + Math.max(0, shift);
  const to = base - Math.min(0, shift);
  const field = (bit: number): number => Math.floor(offset / 2 ** bit) % 2 ** bits;
  return offset + ((field(to) ^ field(from)) - field(to)) * 2 ** to;
}

/** Formats the swizzle as CuTe prints it. */
export const swizzleText = ({ bits, base, shift }: Swizzle): string =>
  `Sw<${bits},${base},${shift}>`;
