/** The range of sizes that the saw-tooth is drawn over, as it is written. */
import { MAX_DIMENSION } from '../../src/core/spec/schema';
import type { Range } from '../../src/core/search/sweep/sawToothSizes';

/** As written; empty stands for the default. */
export type RangeText = Readonly<Record<keyof Range, string>>;

export const NO_RANGE: RangeText = { from: '', to: '' };

/** Null where it is no range: not whole, below 1, beyond what a size may be, or upside down. */
export function rangeOf(written: RangeText, own: Range): Range | null {
  const sizeOf = (text: string, otherwise: number): number =>
    text.trim() === '' ? otherwise : Number(text);
  const range = { from: sizeOf(written.from, own.from), to: sizeOf(written.to, own.to) };
  const sizes = [range.from, range.to];
  const whole = sizes.every(size => Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSION);
  return whole && range.from < range.to ? range : null;
}
