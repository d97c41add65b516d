/** Number formats for display: grouped digits and three significant digits. */
import { t } from '@vscode/l10n';
import type { Figure } from '../src/core/text/figure';
import { grouped, scientific, significant } from '../src/core/text/numbers';

export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return t('not a number');
  if (!Number.isFinite(value)) return value > 0 ? t('unbounded') : t('unbounded below');
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  const size = Math.abs(value);
  if (size >= 1000 && size < 1e15) return grouped(value);
  if (size < 1e-3 || size >= 1e15) return scientific(value);
  return significant(value);
}

export const formatPercent = (fraction: number): string => {
  // Removes the rounding error of the product: 0.07 * 100 is larger than 7.
  const percent = Number((fraction * 100).toPrecision(12));
  return `${Number.isInteger(percent) ? percent : significant(percent)} %`;
};

/** Formats a byte count: exactly below 100 kB, and with decimal units from 100 kB. */
export function formatBytes(bytes: number): string {
  if (bytes < 100_000) return `${formatNumber(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${significant(bytes / 1000 ** power)} ${units[power - 1] ?? 'B'}`;
}

export const formatQuantity = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string => {
  if (!Number.isFinite(value)) return t('not known');
  if (unit === 'TFLOP/s') return formatRate(value * 1000);
  return unit === 'B' ? formatBytes(value) : `${formatNumber(value)} ${unit}`.trim();
};

export function formatMilliseconds(ms: number): string {
  const { name, milliseconds } = timeUnitOf(ms);
  return `${significant(ms / milliseconds)} ${name}`;
}

export interface TimeUnit {
  readonly name: string;
  readonly milliseconds: number;
}

/** Returns the unit in which a time has at most three digits before the decimal point. */
export const timeUnitOf = (ms: number): TimeUnit =>
  ms >= 1000
    ? { name: 's', milliseconds: 1000 }
    : ms >= 1
      ? { name: 'ms', milliseconds: 1 }
      : ms >= 1e-3
        ? { name: 'µs', milliseconds: 1e-3 }
        : { name: 'ns', milliseconds: 1e-6 };

/** Formats a rate in GFLOP/s below 1,000 GFLOP/s, and otherwise in TFLOP/s. */
export const formatRate = (gflops: number): string =>
  gflops >= 1000 ? `${significant(gflops / 1000)} TFLOP/s` : `${significant(gflops)} GFLOP/s`;

export const formatValue = (value: unknown): string =>
  typeof value === 'number'
    ? formatNumber(value)
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
