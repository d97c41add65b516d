/** Lines and fields of a CSV file. */
import { t } from '@vscode/l10n';
import { issue, type ShapeIssue } from './shape';

export interface CsvLine {
  readonly text: string;
  readonly fields: readonly string[];
  readonly place: string;
  /** True for the last line of a file without a final line break. */
  readonly isOpen: boolean;
}

/** Maximum number of characters of a line. */
const MAX_CHARACTERS = 20_000;

/** Returns the lines that are neither blank nor comments (`#`), with one-based line numbers. */
export function csvLines(text: string): readonly CsvLine[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.flatMap((whole, index) => {
    const line = whole.replace(/\r$/, '').slice(0, MAX_CHARACTERS);
    if (line.trim() === '' || line.startsWith('#')) return [];
    const isOpen = index === lines.length - 1;
    return [{ text: line, fields: fieldsOf(line), place: t('line {0}', index + 1), isOpen }];
  });
}

/** Splits a line at its commas. Quotes enclose fields with commas, and two quotes mean a quote. */
export function fieldsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',').map(field => field.trim());
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (isQuoted && character === '"' && line[at + 1] === '"') {
      field += '"';
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      fields.push(field.trim());
      field = '';
    } else field += character;
  }
  return [...fields, field.trim()];
}

/** Returns a positive integer within the safe range; undefined for any other text. */
export function positiveInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** Returns a positive finite number; undefined for any other text. */
export function positiveNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

export const truncated = ({ place }: CsvLine): ShapeIssue =>
  issue(
    'truncated',
    place,
    t(
      'The last line has no line break, so the file may be truncated; this line was skipped. Fix: write the file again, or add a line break if the line is complete.',
    ),
  );
