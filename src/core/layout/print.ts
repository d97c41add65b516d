/**
 * Reports the value of a layout expression: as JSON (`LayoutReport`) and as text, like CuTe's
 * print_layout.
 */
import type { Coverage } from './coverage';
import { valueOf } from './evaluate';
import { depthOf, tupleText, type IntTuple } from './intTuple';
import { LayoutError, layoutOf, modes, rank, size, textOf, type Layout } from './layout';
import type { Node } from './node';
import { parseExpression } from './parse';
import { staticText } from './statics';
import type { Swizzle } from './swizzle';
import { ExpressionError } from './tokens';
import { cosizeOf, coverageOf, offsetIn, valueText, type PlacedLayout } from './value';

export interface LayoutReport {
  readonly expression: string;
  /** shape:stride; a swizzled layout as `Sw<3,3,3> o 0 o shape:stride`. */
  readonly layout: string;
  /**
   * `layout` with `_` before each static integer, as CuTe prints it. Only present if the expression
   * has static integers.
   */
  readonly cute?: string;
  /** Swizzle of the offsets; absent without one. */
  readonly swizzle?: Swizzle;
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
 * @param before definitions that the expression may use
 * @throws {ExpressionError} if the expression is invalid
 */
export const reportOf = (expression: string, before = ''): Report =>
  reportOfNode(expression, parseExpression(expression, before));

/**
 * Formats the value of an expression without its offset, with `_` before static integers.
 * @param before definitions that the expression may use
 * @throws {ExpressionError} if the expression is invalid
 */
export function valueTextOf(expression: string, before = ''): string {
  const node = parseExpression(expression, before);
  const value = valueOf(node);
  if (value.kind === 'tuple') return tupleText(value.value);
  return staticText(node, value) ?? valueText(value, textOf(value.layout));
}

/** Reports the value of a parsed expression; `expression` is its text. */
export function reportOfNode(expression: string, node: Node): Report {
  const value = node.kind === 'swizzle' ? swizzleRows(node.swizzle) : valueOf(node);
  if (value.kind === 'tuple') return { expression, value: value.value };
  const { layout, offset, swizzle } = value;
  const { shape, stride } = layout;
  const cute = staticText(node, value);
  return {
    expression,
    layout: valueText(value, textOf(layout)),
    ...(cute === null ? {} : { cute }),
    ...(swizzle === undefined ? {} : { swizzle }),
    shape,
    stride,
    size: size(layout),
    cosize: sized(node, () => cosizeOf(value)),
    rank: rank(layout),
    depth: depthOf(shape),
    offset,
    coverage: coverageOf(value),
    table: size(layout) > MAX_CELLS ? null : tableOf(value),
  };
}

function sized<T>(node: Node, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LayoutError) throw new ExpressionError(error.message, node);
    throw error;
  }
}

/** Lays out one period of a swizzle: a row per value of the source bits, if they are the upper. */
function swizzleRows(swizzle: Swizzle): PlacedLayout {
  const columns = 2 ** (swizzle.base + Math.abs(swizzle.shift));
  const layout = layoutOf([2 ** swizzle.bits, columns], [columns, 1]);
  return { kind: 'layout', layout, offset: 0, swizzle };
}

/**
 * Tabulates the offsets: rows are coordinates of the first mode, columns are coordinates of the
 * other modes. A layout with a single mode has one row.
 */
export function tableOf(value: PlacedLayout, most = Infinity): readonly (readonly number[])[] {
  const { rows, columns } = extents(value.layout);
  return Array.from({ length: Math.min(rows, most) }, (_, row) =>
    Array.from({ length: Math.min(columns, most) }, (_, column) =>
      offsetIn(value, row + column * rows),
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

const STATIC =
  '_ marks static integers (compile-time constants, Int<N>); the others are dynamic (run time).';

/** Returns the layout of a report with its offset and swizzle. */
export const placedOf = ({ shape, stride, offset, swizzle }: LayoutReport): PlacedLayout => ({
  kind: 'layout',
  layout: { shape, stride },
  offset,
  ...(swizzle === undefined ? {} : { swizzle }),
});

export function reportText(report: Report): string {
  if ('value' in report) return tupleText(report.value);
  const { layout, cute, swizzle, table, offset, shape, stride } = report;
  const { rows, columns } = extents({ shape, stride });
  const corner = () => tableOf(placedOf(report), CORNER);
  return [
    (cute ?? layout) +
      (offset === 0 || swizzle !== undefined ? '' : `, starting at offset ${offset}`),
    `size ${report.size}, cosize ${report.cosize}, rank ${report.rank}, depth ${report.depth}: ${COVERAGE[report.coverage]}`,
    ...(cute === undefined ? [] : [STATIC]),
    '',
    drawn(table ?? corner()),
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
