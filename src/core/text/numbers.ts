/**
 * Formats numbers in the notation of the UI language: 33,792.5 in English, 33.792,5 in German.
 * JSON, kernels and file names keep their notation. The notation is itself a translated text, so
 * that words and digits always match; without a bundle (the CLI) both are English.
 */
import { t } from '@vscode/l10n';
import { groupDigits, wholeDigits } from './digits';

/** Reformats a decimal number from JavaScript notation, with or without exponent. */
function written(text: string): string {
  const sample = t('33,792.5');
  const [group = ',', decimal = '.'] = [sample[2], sample[6]];
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/.exec(text) ?? [];
  const digits = groupDigits(whole, group);
  const power = exponent === '' ? '' : `e${exponent}`;
  return `${sign}${digits}${fraction === '' ? '' : decimal + fraction}${power}`;
}

/** Rounds to an integer and groups the digits. */
export const grouped = (value: number): string => written(wholeDigits(Math.round(value)));

/** Formats with at most three significant digits. */
export const significant = (value: number): string => written(String(Number(value.toPrecision(3))));

/** Formats a rate given in TFLOP/s in the largest unit in which it is at least 1. */
export const rateText = (tflops: number): string =>
  tflops >= 1 ? `${significant(tflops)} TFLOP/s` : `${significant(tflops * 1000)} GFLOP/s`;

/** Formats with exactly three significant digits, or as an integer from 1000 on. */
export const precise = (value: number): string =>
  Math.abs(value) >= 1000 ? grouped(value) : written(value.toPrecision(3));

/** Formats with at most one decimal. */
export const short = (value: number): string => written(String(Math.round(value * 10) / 10));

/** Formats in scientific notation with two decimals: 1.25e-7. */
export const scientific = (value: number): string => written(value.toExponential(2));
