/** Groups the digits of an integer by three without Intl, which is slow. */
export const groupDigits = (digits: string, sign = ','): string =>
  digits.replace(/\B(?=(\d{3})+$)/g, sign);

/** Formats an integer of any magnitude without an exponent. */
export const wholeDigits = (value: number): string =>
  Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();

/** Formats an integer as in kernel headers, independent of the UI language: 65,536. */
export const grouped = (value: number): string => groupDigits(wholeDigits(value));

/**
 * Formats a value independent of the UI language: as an integer from 1,000, otherwise with at most
 * three significant digits. Returns `unknown` for infinite values and NaN.
 */
export const readable = (value: number): string =>
  Number.isFinite(value)
    ? value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))
    : 'unknown';
