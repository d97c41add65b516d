/**
 * Numbers for readers, in the notation of the language that texts are in: 33,792.5 in English, 33.792,5 in
 * German. JSON, kernel texts and file names keep their own notation. The notation is itself a translated text,
 * so that words and digits never disagree; without a bundle (the CLI) both are English.
 */
import { t } from '@vscode/l10n';
import { groupDigits, wholeDigits } from './digits';

/** Rewrites a decimal number as JavaScript prints it, with an exponent or without. */
function written(text: string): string {
  const sample = t('33,792.5');
  const [group = ',', decimal = '.'] = [sample[2], sample[6]];
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(-?\d+))?$/.exec(text) ?? [];
  const digits = groupDigits(whole, group);
  const power = exponent === '' ? '' : `e${exponent}`;
  return `${sign}${digits}${fraction === '' ? '' : decimal + fraction}${power}`;
}

/** Rounded to a whole number, with grouped digits. */
export const grouped = (value: number): string => written(wholeDigits(Math.round(value)));

/** At most three significant digits. */
export const significant = (value: number): string => written(String(Number(value.toPrecision(3))));

/** A rate given in TFLOP/s, in the unit in which it is at least 1. */
export const rateText = (tflops: number): string =>
  tflops >= 1 ? `${significant(tflops)} TFLOP/s` : `${significant(tflops * 1000)} GFLOP/s`;

/** Exactly three significant digits, where no more stand before the decimal sign. */
export const precise = (value: number): string =>
  Math.abs(value) >= 1000 ? grouped(value) : written(value.toPrecision(3));

/** At most one digit after the decimal sign. */
export const short = (value: number): string => written(String(Math.round(value * 10) / 10));

/** A power of ten with two digits after the decimal sign: 1.25e-7. */
export const scientific = (value: number): string => written(value.toExponential(2));
