/** Range of the size sweep, parsed from its text fields. */
import { MAX_DIMENSION } from '../../src/core/spec/schema';
import type { Range } from '../../src/core/search/sweep/sweepSizes';

/** Field texts; an empty text selects the default. */
export type RangeText = Readonly<Record<keyof Range, string>>;

export const NO_RANGE: RangeText = { from: '', to: '' };

/**
 * Parses the range. Returns null unless the two ends are legal integer sizes in increasing order.
 */
export function rangeOf(written: RangeText, own: Range): Range | null {
  const sizeOf = (text: string, otherwise: number): number =>
    text.trim() === '' ? otherwise : Number(text);
  const range = { from: sizeOf(written.from, own.from), to: sizeOf(written.to, own.to) };
  const sizes = [range.from, range.to];
  const whole = sizes.every(size => Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSION);
  return whole && range.from < range.to ? range : null;
}
