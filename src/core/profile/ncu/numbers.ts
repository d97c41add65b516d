/**
 * Parses numbers as Nsight Compute prints them in its locale: `1,234.5`, `1.234,5`, `1 234,5`. A
 * single cell may be ambiguous (`1,234`); the other cells of its table resolve it.
 */

export type DecimalMark = '.' | ',';

export interface PrintedNumber {
  readonly value: number;
  /** Half the value of the last printed digit; 0 for an integer. */
  readonly halfStep: number;
}

const GROUPS: Readonly<Record<DecimalMark, string>> = {
  '.': ",'’ \u00a0\u202f",
  ',': ".'’ \u00a0\u202f",
};

export function readNumber(text: string, mark: DecimalMark): PrintedNumber | undefined {
  const parts = /^([+-]?)(\d[^e]{0,60}?)(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
  const [, sign = '', body = '', exponent = '0'] = parts ?? [];
  const [whole = '', fraction = '', ...more] = body.split(mark);
  if (parts === null || more.length > 0) return undefined;
  if (body.includes(mark) && !/^\d+$/.test(fraction)) return undefined;
  const grouped = /^([1-9]\d{0,2})([^\d])\d{3}(?:\2\d{3})*$/.exec(whole);
  const isGrouped = grouped !== null && GROUPS[mark].includes(grouped[2] ?? '');
  if (!isGrouped && !/^\d+$/.test(whole)) return undefined;
  const digits = whole.replace(/\D/g, '');
  const value = Number(`${sign}${digits}.${fraction || '0'}e${exponent}`);
  if (!Number.isFinite(value)) return undefined;
  const isWhole = fraction === '' && Number(exponent) === 0;
  return { value, halfStep: isWhole ? 0 : 0.5 * 10 ** (Number(exponent) - fraction.length) };
}

/**
 * Detects the decimal mark of a table. Returns `unknown` if no cell determines it, and `both` if
 * cells contradict each other.
 */
export function markOf(cells: Iterable<string>): DecimalMark | 'unknown' | 'both' {
  let points = false;
  let commas = false;
  for (const cell of cells) {
    const point = readNumber(cell, '.');
    const comma = readNumber(cell, ',');
    if (point !== undefined && comma === undefined) points = true;
    if (comma !== undefined && point === undefined) commas = true;
  }
  if (points && commas) return 'both';
  if (points) return '.';
  return commas ? ',' : 'unknown';
}

export function isAmbiguous(text: string): boolean {
  const point = readNumber(text, '.');
  const comma = readNumber(text, ',');
  return point !== undefined && comma !== undefined && point.value !== comma.value;
}
