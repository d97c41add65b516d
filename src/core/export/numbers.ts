/** Numbers in generated source code and tables. */

/** Formats a value with at most 4 significant digits. */
export const numberText = (value: number): string => String(Number(value.toPrecision(4)));

/** Formats a value as a literal of C++, Python or JavaScript that is a floating-point number. */
export const floatLiteral = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
