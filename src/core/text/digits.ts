/**
 * Groups the digits of integers by three. Does not use Intl, which takes milliseconds to load and
 * formats slowly.
 */
export const groupDigits = (digits: string, sign = ','): string =>
  digits.replace(/\B(?=(\d{3})+$)/g, sign);

/** Formats an integer without an exponent, at any magnitude. */
export const wholeDigits = (value: number): string =>
  Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();

/** Formats an integer as in kernel headers, in any language: 65,536. */
export const grouped = (value: number): string => groupDigits(wholeDigits(value));

/** Formats with three significant digits, language-independent. */
export const readable = (value: number): string =>
  Number.isFinite(value)
    ? value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))
    : 'unknown';
