/**
 * Reads comma-separated values (RFC 4180) line by line: Nsight Compute writes no line breaks in
 * cells, so an unterminated quote damages only one line.
 */

export interface CsvRow {
  /** Line number in the file (one-based). */
  readonly line: number;
  readonly cells: readonly string[];
  /**
   * True if the row ends inside a quoted cell, or in an unquoted cell at the end of a file without
   * a final newline.
   */
  readonly open: boolean;
}

/** Cell separator. Spreadsheets may replace the comma when they save the file. */
export type Separator = ',' | ';' | '\t';

export function csvRow(text: string, line: number, separator: Separator, isLast = false): CsvRow {
  const cells: string[] = [];
  let at = 0;
  let open = false;
  do {
    const cell = text[at] === '"' ? quotedCell(text, at) : bareCell(text, at, separator);
    cells.push(cell.value);
    ({ open } = cell);
    // Text between a closing quote and the next separator is ignored.
    const next = text.indexOf(separator, cell.end);
    at = next < 0 ? text.length + 1 : next + 1;
  } while (at <= text.length);
  const bare = isLast && text !== '' && !text.trimEnd().endsWith('"');
  return { line, cells, open: open || bare };
}

interface Cell {
  readonly value: string;
  readonly end: number;
  readonly open: boolean;
}

function quotedCell(text: string, start: number): Cell {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') value += text[at] ?? '';
    else if (text[at + 1] === '"') value += text[at++] ?? '';
    else return { value, end: at + 1, open: false };
  }
  return { value, end: text.length, open: true };
}

function bareCell(text: string, start: number, separator: Separator): Cell {
  const found = text.indexOf(separator, start);
  const end = found < 0 ? text.length : found;
  return { value: text.slice(start, end).trim(), end, open: false };
}
