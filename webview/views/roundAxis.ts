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
 * Returns a rounded range around the values, never below 0, so that small changes remain visible.
 * Without positive values, the range is 0 to 1.
 */
export function roundRange(values: readonly number[]): readonly [from: number, to: number] {
  const [least, largest] = values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  if (!(largest > 0)) return [0, 1];
  const span = Math.max(largest - least, largest * 0.1);
  const step = roundStep(span * 1.3, 4);
  const from = Math.max(0, Math.floor((least - span * 0.1) / step) * step);
  return [from, Math.ceil((largest + span * 0.05) / step) * step];
}
