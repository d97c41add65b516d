/**
 * A dispatch row is one schedule measured at one shape on one device. A workspace stores rows as
 * lines (`rowLines.ts`). Older versions stored them as a list, `.gemm/dispatch.json`, which is
 * still read. The shipped tables store rows in packed form.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { decodeErrors, type SpecError } from '../../spec/decode';
import { DTYPES } from '../../types/dtype';
import type { ResolvedProblem } from '../../spec/resolved';
import { resolvedScheduleSchema } from '../../spec/resolvedSchema';
import { MAX_DIMENSION, TARGETS } from '../../spec/schema';
import { ADAPTER_FAMILIES } from './adapterFamily';

const text = v.pipe(v.string(), v.maxLength(400));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_DIMENSION));
const rate = v.pipe(v.number(), v.finite(), v.gtValue(0));
const dtype = v.picklist(DTYPES);

export const sourceSchema = v.strictObject({
  /** File that contains the measurements, in the repository or in the workspace. */
  record: text,
  driver: v.exactOptional(text),
  compiler: v.exactOptional(text),
  /** SM clocks during the measurement, as free text. */
  clocks: v.exactOptional(text),
  commit: v.exactOptional(text),
});
export type DispatchSource = v.InferOutput<typeof sourceSchema>;

export const typesSchema = v.strictObject({ a: dtype, b: dtype, c: dtype, accumulator: dtype });
export type DispatchTypes = v.InferOutput<typeof typesSchema>;

/** Layouts of A, B and C, one letter each: r is row-major, c is column-major. */
export const layoutsSchema = v.pipe(
  v.string(),
  v.regex(/^[rc]{3}$/, 'Expected three letters, each r or c.'),
);

export const shapeSchema = v.strictObject({ m: count, n: count, k: count, batch: count });
export type Shape = v.InferOutput<typeof shapeSchema>;

export const rowSchema = v.strictObject({
  /** Id in the device table, or the device name reported by the driver. */
  device: text,
  computeCapability: v.exactOptional(v.pipe(v.string(), v.regex(/^\d{1,2}\.\d$/))),
  /** Family of the measured adapter (WGSL only); derived from the device name if absent. */
  family: v.exactOptional(v.picklist(ADAPTER_FAMILIES)),
  target: v.picklist(TARGETS),
  types: typesSchema,
  layouts: layoutsSchema,
  shape: shapeSchema,
  schedule: resolvedScheduleSchema,
  /** Number of resident blocks per SM, computed with the register count of the compiled kernel. */
  blocksPerSm: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(64))),
  /** Rate in 1e9 FLOP/s, from the median time. */
  gflops: rate,
  errorPercent: v.exactOptional(v.pipe(v.number(), v.finite(), v.minValue(0))),
  /** Library measured in the same session, with its rate in 1e9 FLOP/s. */
  baseline: v.exactOptional(v.strictObject({ name: text, gflops: rate })),
  /** Schedules whose times were statistically tied with this one. */
  ties: v.exactOptional(
    v.pipe(v.array(v.unknown()), v.maxLength(64), v.array(resolvedScheduleSchema)),
  ),
  source: sourceSchema,
});
export type DispatchRow = v.InferOutput<typeof rowSchema>;

export const MAX_ROWS = 10_000;

/** Schema of a file with undecoded rows. The row limit is checked before any row is decoded. */
const fileSchema = v.strictObject({
  version: v.literal(1),
  rows: v.pipe(v.array(v.unknown()), v.maxLength(MAX_ROWS)),
});
export type DecodedRows =
  | { readonly ok: true; readonly rows: readonly DispatchRow[] }
  | { readonly ok: false; readonly errors: readonly SpecError[] };

/** Decoding stops after the row that brings the number of errors to this limit. */
const MAX_ERRORS = 100;

/**
 * Decodes the text of a `dispatch.json`. An error in a row has a JSON path, such as
 * `rows.2.shape.m`. Yields after each row, so that the caller can pause.
 */
export function* rowSteps(given: string): Generator<undefined, DecodedRows> {
  let value: unknown;
  try {
    value = JSON.parse(given.replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = t('Not JSON: {0}', error instanceof Error ? error.message : String(error));
    return { ok: false, errors: [{ path: '', message }] };
  }
  const file = v.safeParse(fileSchema, value);
  if (!file.success) return { ok: false, errors: decodeErrors(file.issues, fileSchema) };
  const rows: DispatchRow[] = [];
  const errors: SpecError[] = [];
  for (const [index, row] of file.output.rows.entries()) {
    const decoded = v.safeParse(rowSchema, row);
    if (decoded.success) rows.push(decoded.output);
    else errors.push(...decodeErrors(decoded.issues, rowSchema).map(inRow(index)));
    if (errors.length >= MAX_ERRORS) break;
    yield undefined;
  }
  return errors.length === 0 ? { ok: true, rows } : { ok: false, errors };
}

const inRow =
  (index: number) =>
  (error: SpecError): SpecError => ({
    ...error,
    path: ['rows', String(index), error.path].filter(part => part !== '').join('.'),
  });

/**
 * Returns the text of a workspace file with one row per line, so that a diff shows the changed
 * rows.
 */
export const rowsText = (rows: readonly DispatchRow[]): string =>
  `{ "version": 1, "rows": [\n${rows.map(row => `  ${JSON.stringify(row)}`).join(',\n')}\n] }\n`;

export const typesOf = ({ a, b, c, accumulator }: ResolvedProblem): DispatchTypes => ({
  a: a.dtype,
  b: b.dtype,
  c: c.dtype,
  accumulator,
});

export const layoutsOf = ({ a, b, c }: ResolvedProblem): string =>
  [a, b, c].map(({ layout }) => layout[0]).join('');

export const shapeOf = ({ m, n, k, batch }: Shape): Shape => ({ m, n, k, batch });

/**
 * Returns the key of a measured shape: device, target, types, layouts and shape. Workspace rows
 * replace shipped rows with the same key.
 */
export const pointKey = (
  row: Pick<DispatchRow, 'device' | 'target' | 'types' | 'layouts' | 'shape'>,
) => `${tableKey(row)} ${row.layouts} ${shapeText(row.shape)}`;

export const tableKey = ({
  device,
  target,
  types: { a, b, c, accumulator },
}: Pick<DispatchRow, 'device' | 'target' | 'types'>): string =>
  [device, target, a, b, c, accumulator].join(' ');

export const shapeText = ({ m, n, k, batch }: Shape): string =>
  [m, n, k, ...(batch === 1 ? [] : [batch])].join('x');

/** File of older versions, which is read but never written. */
export const ROWS_PATH = ['.gemm', 'dispatch.json'] as const;

/**
 * Maximum size in bytes of a dispatch file, and in the extension of all dispatch files together:
 * 1,600 bytes per row for `MAX_ROWS` rows.
 */
export const MAX_ROWS_BYTES = 16_000_000;
