/**
 * Numbers for readers, in the notation of the language that texts are in: 33,792 in English, 33.792 in German.
 * JSON, kernel texts and file names keep their own notation. The locale is itself a translated text, so that
 * words and digits never disagree; without a bundle (the CLI) both are English.
 */
import { t } from '@vscode/l10n';

const formats = new Map<string, Intl.NumberFormat>();

function format(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const locale = t('en-US');
  const name = `${locale} ${key}`;
  const known = formats.get(name);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, options);
  formats.set(name, made);
  return made;
}

/** Rounded to a whole number, with grouped digits. */
export const grouped = (value: number): string =>
  format('grouped', { maximumFractionDigits: 0 }).format(value);

/** At most three significant digits. */
export const significant = (value: number): string =>
  format('significant', { maximumSignificantDigits: 3 }).format(value);

/** Exactly three significant digits. */
export const precise = (value: number): string =>
  format('precise', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 }).format(value);

/** At most one digit after the decimal sign. */
export const short = (value: number): string =>
  format('short', { maximumFractionDigits: 1 }).format(value);

/** A power of ten with two digits after the decimal sign: 1.25e-7. */
export function scientific(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(2).split('e');
  return `${precise(Number(mantissa))}e${exponent.replace('+', '')}`;
}
