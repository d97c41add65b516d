/** Round tick values for a chart axis. */

/**
 * Returns the smallest interval of 1, 2 or 5 times a power of ten that yields at most `most`
 * intervals.
 */
export function roundStep(span: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return power * ([1, 2, 5, 10].find(times => span / (times * power) <= most) ?? 10);
}

/** Returns the multiples of a round step in `from`..`to`; only `from` if the range is empty. */
export function roundTicks(from: number, to: number, most: number): readonly number[] {
  if (!(to > from)) return [from];
  const step = roundStep(to - from, most);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * Returns the range of the values with a margin of 6 % at both ends, never below 0. The range spans
 * at least 10 % of the largest value, so small changes remain visible. Without positive values, the
 * range is 0 to 1.
 */
export function fittedRange(values: readonly number[]): readonly [from: number, to: number] {
  const [least, largest] = values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  if (!(largest > 0)) return [0, 1];
  const span = Math.max(largest - least, largest * 0.1);
  const middle = (least + largest) / 2;
  return [Math.max(0, middle - 0.56 * span), middle + 0.56 * span];
}
