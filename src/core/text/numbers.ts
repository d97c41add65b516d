/**
 * Formats numbers for the UI language: 33,792.5 in English, 33.792,5 in German. JSON, kernels and
 * file names use a fixed notation instead. The notation is a translated string, so that digits and
 * words always have the same language. Without a translation bundle (CLI), English applies.
 */
import { t } from '@vscode/l10n';
import { groupDigits, wholeDigits } from './digits';

/**
 * Converts a number from JavaScript notation, with or without exponent, to the notation of the UI
 * language.
 */
function written(text: string): string {
  const sample = t('33,792.5');
  const [group = ',', decimal = '.'] = [sample[2], sample[6]];
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/.exec(text) ?? [];
  const digits = groupDigits(whole, group);
  const power = exponent === '' ? '' : `e${exponent}`;
  return `${sign}${digits}${fraction === '' ? '' : decimal + fraction}${power}`;
}

export const grouped = (value: number): string => written(wholeDigits(Math.round(value)));

export const significant = (value: number): string => written(String(Number(value.toPrecision(3))));

/** Formats a rate given in TFLOP/s. Rates below 1 TFLOP/s are shown in GFLOP/s. */
export const rateText = (tflops: number): string =>
  tflops >= 1 ? `${significant(tflops)} TFLOP/s` : `${significant(tflops * 1000)} GFLOP/s`;

/** Formats a value with exactly three significant digits, or as an integer from 1000. */
export const precise = (value: number): string =>
  Math.abs(value) >= 1000 ? grouped(value) : written(value.toPrecision(3));

export const short = (value: number): string => written(String(Math.round(value * 10) / 10));

export const scientific = (value: number): string => written(value.toExponential(2));
