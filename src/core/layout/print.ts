/**
 * Reports the value of a layout expression: as JSON (`LayoutReport`) and as text, like CuTe's
 * print_layout.
 */
import { coverage, type Coverage } from './coverage';
import { evaluateLayout } from './evaluate';
import { depthOf, tupleText, type IntTuple } from './intTuple';
import { cosize, modes, offsetOf, rank, size, textOf, type Layout } from './layout';
import type { ExpressionError } from './parse';

export interface LayoutReport {
  readonly expression: string;
  /** shape:stride. */
  readonly layout: string;
  readonly shape: IntTuple;
  readonly stride: IntTuple;
  readonly size: number;
  readonly cosize: number;
  readonly rank: number;
  readonly depth: number;
  /** Offset of a sublayout; 0 for a complete layout. */
  readonly offset: number;
  readonly coverage: Coverage;
  /**
   * Offsets by coordinates of the first mode (rows) and of the other modes (columns); null for more
   * than `MAX_CELLS` offsets.
   */
  readonly table: readonly (readonly number[])[] | null;
}

/** Result of an operation that returns a number or a coordinate, such as size or coord. */
export interface ValueReport {
  readonly expression: string;
  readonly value: IntTuple;
}

export type Report = LayoutReport | ValueReport;

const MAX_CELLS = 4096;
/** Maximum number of rows and of columns that are printed for a table above `MAX_CELLS`. */
const CORNER = 16;

/**
 * Evaluates an expression and reports its value.
 * @throws {ExpressionError} if the expression is invalid
 */
export function reportOf(expression: string): Report {
  const value = evaluateLayout(expression);
  if (value.kind === 'tuple') return { expression, value: value.value };
  const { layout, offset } = value;
  const { shape, stride } = layout;
  return {
    expression,
    layout: textOf(layout),
    shape,
    stride,
    size: size(layout),
    cosize: cosize(layout),
    rank: rank(layout),
    depth: depthOf(shape),
    offset,
    coverage: coverage(layout),
    table: size(layout) > MAX_CELLS ? null : tableOf(layout, offset),
  };
}

/**
 * Tabulates the offsets: rows are coordinates of the first mode, columns are coordinates of the
 * other modes. A layout with a single mode has one row.
 */
function tableOf(layout: Layout, offset: number, most = Infinity): readonly (readonly number[])[] {
  const { rows, columns } = extents(layout);
  return Array.from({ length: Math.min(rows, most) }, (_, row) =>
    Array.from(
      { length: Math.min(columns, most) },
      (_, column) => offset + offsetOf(layout, row + column * rows),
    ),
  );
}

function extents(layout: Layout): { readonly rows: number; readonly columns: number } {
  const [first] = modes(layout);
  const rows = first === undefined || rank(layout) === 1 ? 1 : size(first);
  return { rows, columns: size(layout) / rows };
}

const COVERAGE: Readonly<Record<Coverage, string>> = {
  compact: 'each offset once, without gaps',
  injective: 'no offset twice, with gaps',
  repeating: 'some offsets more than once',
  unknown: 'too large to determine whether offsets repeat',
};

export function reportText(report: Report): string {
  if ('value' in report) return tupleText(report.value);
  const { layout, table, offset, shape, stride } = report;
  const { rows, columns } = extents({ shape, stride });
  return [
    layout + (offset === 0 ? '' : `, starting at offset ${offset}`),
    `size ${report.size}, cosize ${report.cosize}, rank ${report.rank}, depth ${report.depth}: ${COVERAGE[report.coverage]}`,
    '',
    drawn(table ?? tableOf({ shape, stride }, offset, CORNER)),
    ...(table === null
      ? [
          `At most ${CORNER} rows and ${CORNER} columns are shown; the table has ${rows} x ${columns} offsets.`,
        ]
      : []),
  ].join('\n');
}

/**
 * Draws a grid with the coordinates of the first mode at the left and of the other modes at the
 * top.
 */
function drawn(table: readonly (readonly number[])[]): string {
  const columns = table[0]?.length ?? 0;
  const width = Math.max(...table.map(row => Math.max(...row)), columns - 1).toString().length;
  const side = String(table.length - 1).length;
  const cell = (value: number): string => String(value).padStart(width);
  const indent = ' '.repeat(side + 1);
  const rule = `${indent}+${`${'-'.repeat(width + 2)}+`.repeat(columns)}`;
  const heads = Array.from({ length: columns }, (_, column) => ` ${cell(column)} `);
  return [
    `${indent} ${heads.join(' ')}`.trimEnd(),
    rule,
    ...table.flatMap((row, i) => [
      `${String(i).padStart(side)} |${row.map(value => ` ${cell(value)} |`).join('')}`,
      rule,
    ]),
  ].join('\n');
}

/** Formats an error: the expression with a marker below the invalid characters. */
export function errorText(expression: string, { message, span }: ExpressionError): string {
  const marks = '^'.repeat(Math.max(1, Math.min(span.end, expression.length) - span.start));
  const line = expression.replaceAll(/\s/g, ' ');
  return [
    `Column ${span.start + 1}: ${message}`,
    '',
    `  ${line}`,
    `  ${' '.repeat(span.start)}${marks}`,
  ].join('\n');
}
