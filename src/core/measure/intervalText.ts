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
  const { value, interval } = rateOf(timing);
  const [scale, unit] = value >= 1000 ? [1000, 'TFLOP/s'] : [1, 'GFLOP/s'];
  const ends = interval?.map(end => significant(end / scale));
  const rate = `${significant(value / scale)} ${unit}`;
  return ends === undefined
    ? t('{0} ({1})', rate, UNKNOWN())
    : t('{0} ({1} to {2})', rate, ...ends);
}

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
