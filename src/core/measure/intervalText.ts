/**
 * Formats rates and speedups with their 95 % intervals, identically in the page, the editor,
 * exported files and the CLI.
 */
import { t } from '@vscode/l10n';
import { significant } from '../text/numbers';
import {
  halfWidthPercent,
  isUncertain,
  rateOf,
  type Estimate,
  type TimedMedian,
} from './intervals';

const UNKNOWN = (): string => t('interval unknown');

/** Formats a ratio as `2.97x (1.9 to 4.1)`. */
export const ratioText = ({ value, interval }: Estimate): string =>
  interval === undefined
    ? t('{0}x ({1})', significant(value), UNKNOWN())
    : t('{0}x ({1} to {2})', ...[value, ...interval].map(significant));

/** Formats a rate as `1.22 GFLOP/s (1.05 to 1.31)`, or in TFLOP/s from 1,000 GFLOP/s. */
export function rateWithInterval(timing: TimedMedian & { readonly gflops: number }): string {
  const { scale, unit } = unitOf(timing);
  return t('{0} ({1})', `${significant(timing.gflops / scale)} ${unit}`, rateIntervalText(timing));
}

/** Formats the 95 % interval of a rate as `1.05 to 1.31`, in the unit of `rateWithInterval`. */
export function rateIntervalText(timing: TimedMedian & { readonly gflops: number }): string {
  const { interval } = rateOf(timing);
  const { scale } = unitOf(timing);
  return interval === undefined
    ? UNKNOWN()
    : t('{0} to {1}', ...interval.map(end => significant(end / scale)));
}

const unitOf = ({
  gflops,
}: {
  readonly gflops: number;
}): { readonly scale: number; readonly unit: string } =>
  gflops >= 1000 ? { scale: 1000, unit: 'TFLOP/s' } : { scale: 1, unit: 'GFLOP/s' };

export const timeIntervalText = ({ intervalMs }: TimedMedian): string =>
  intervalMs === undefined
    ? UNKNOWN()
    : t('95 % interval {0} to {1} ms', ...intervalMs.map(significant));

/** Returns a warning if the uncertainty of a rate exceeds 5 %, otherwise undefined. */
export function uncertainText(
  timing: TimedMedian & { readonly gflops: number },
): string | undefined {
  const rate = rateOf(timing);
  return isUncertain(rate)
    ? t('uncertainty ±{0} %', significant(halfWidthPercent(rate) ?? NaN))
    : undefined;
}
