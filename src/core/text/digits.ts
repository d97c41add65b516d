/** Whole numbers as digits in groups of three. Not by Intl, which takes milliseconds to load and is slow after that. */
export const groupDigits = (digits: string, sign = ','): string =>
  digits.replace(/\B(?=(\d{3})+$)/g, sign);

/** Without an exponent, however large. */
export const wholeDigits = (value: number): string =>
  Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();

/** As kernels' heads write it, in any language: 65,536. */
export const grouped = (value: number): string => groupDigits(wholeDigits(value));

/** Three significant digits, plain. */
export const readable = (value: number): string =>
  Number.isFinite(value)
    ? value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))
    : 'unknown';
