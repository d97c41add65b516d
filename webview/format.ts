/** Numbers as people read them: grouped digits, three significant ones where there are more. */
import type { Figure } from '../src/core/analysis/analysis';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const significant = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'not a number';
  if (!Number.isFinite(value)) return value > 0 ? 'unbounded' : 'unbounded below';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped.format(value);
  const size = Math.abs(value);
  if (size >= 1000 && size < 1e15) return grouped.format(value);
  if (size < 1e-3 || size >= 1e15) return value.toExponential(2).replace('e+', 'e');
  return significant.format(value);
}

export const formatPercent = (fraction: number): string => {
  const percent = fraction * 100;
  return `${Number.isInteger(percent) ? percent : percent.toPrecision(3)} %`;
};

/** Bytes exactly below 100 kB, where tiles live; scaled by thousands above, where traffic lives. */
export function formatBytes(bytes: number): string {
  if (bytes < 100_000) return `${formatNumber(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${significant.format(bytes / 1000 ** power)} ${units[power - 1] ?? 'B'}`;
}

export const formatQuantity = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string => {
  if (!Number.isFinite(value)) return 'not known';
  if (unit === 'TFLOP/s') return formatRate(value * 1000);
  return unit === 'B' ? formatBytes(value) : `${formatNumber(value)} ${unit}`.trim();
};

export function formatMilliseconds(ms: number): string {
  if (ms >= 1000) return `${significant.format(ms / 1000)} s`;
  if (ms >= 1) return `${significant.format(ms)} ms`;
  return ms >= 1e-3 ? `${significant.format(ms * 1000)} µs` : `${formatNumber(ms * 1e6)} ns`;
}

/** GFLOP/s below 1,000, TFLOP/s from there on. */
export const formatRate = (gflops: number): string =>
  gflops >= 1000
    ? `${significant.format(gflops / 1000)} TFLOP/s`
    : `${significant.format(gflops)} GFLOP/s`;

/** A JSON value in a sentence or on a button: 128, "row", 64 x 64. */
export const formatValue = (value: unknown): string =>
  typeof value === 'number'
    ? formatNumber(value)
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
