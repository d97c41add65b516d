/** A whole number with its digits in groups of three: 65,536. Not Intl, which takes milliseconds to load and is slow after that. */
export const grouped = (value: number): string =>
  (Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString()).replace(
    /\B(?=(\d{3})+$)/g,
    ',',
  );
