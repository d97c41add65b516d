/** Formats aligned tables for terminal output; scripts use `--json`. */

export type Cell = string | number | boolean | null | undefined;

const formatCell = (cell: Cell): string => {
  if (cell === null || cell === undefined) return '-';
  return typeof cell === 'number' ? number(cell) : String(cell);
};

/**
 * Formats a number with four significant digits. Integers are exact, and NaN is formatted as
 * "unknown".
 */
export function number(value: number): string {
  if (Number.isNaN(value)) return 'unknown';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

export const quantity = (value: number, unit: string): string =>
  Number.isNaN(value) ? number(value) : `${number(value)} ${unit}`;

export const percent = (fraction: number): string => quantity(fraction * 100, '%');

export function table(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map(row => row.map(formatCell));
  const widths: number[] = [];
  for (const row of texts) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  return texts
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
