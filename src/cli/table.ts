/** Short aligned tables for people; `--json` is for programs. */

export type Cell = string | number | boolean | null | undefined;

const show = (cell: Cell): string => {
  if (cell === null || cell === undefined) return '-';
  return typeof cell === 'number' ? number(cell) : String(cell);
};

/** Four significant digits; whole numbers whole. */
export const number = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));

export const percent = (fraction: number): string => `${number(fraction * 100)} %`;

/** Columns padded to their widest cell; the first row is the heading. */
export function table(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map(row => row.map(show));
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
