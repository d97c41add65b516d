/**
 * Groups the digits of an integer by three. Does not use Intl, which takes milliseconds to load and
 * is slow.
 */
export const groupDigits = (digits: string, sign = ','): string =>
  digits.replace(/\B(?=(\d{3})+$)/g, sign);

/** Formats an integer of any magnitude without an exponent. */
export const wholeDigits = (value: number): string =>
  Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();

/** Formats an integer as in kernel headers, independent of the UI language: 65,536. */
export const grouped = (value: number): string => groupDigits(wholeDigits(value));

/** Formats a value with three significant digits, independent of the UI language. */
export const readable = (value: number): string =>
  Number.isFinite(value)
    ? value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))
    : 'unknown';
