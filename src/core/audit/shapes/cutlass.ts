/**
 * Reads the CSV output of the CUTLASS profiler, with or without the text that the profiler prints
 * before the table. Columns are found by their names, because they depend on the version.
 */
import { t } from '@vscode/l10n';
import type { GemmSpec, Layout } from '../../spec/schema';
import type { DType } from '../../types/dtype';
import { positiveInteger, positiveNumber, truncated, type CsvLine } from './csv';
import { elementType } from './elementTypes';
import { issue, type FileTime, type ReadShape, type ShapeIssue } from './shape';

const REQUIRED = ['Problem', 'Provider', 'OperationKind', 'Operation'] as const;

const headerAt = (lines: readonly CsvLine[]): number =>
  lines.findIndex(({ fields }) => REQUIRED.every(name => fields.includes(name)));

export const isCutlass = (lines: readonly CsvLine[]): boolean => headerAt(lines) >= 0;

type Row = Readonly<Record<string, string>>;

export function readCutlass(lines: readonly CsvLine[]): readonly ReadShape[] {
  const at = headerAt(lines);
  const header = lines[at]?.fields ?? [];
  return lines.slice(at + 1).flatMap(line => {
    if (line.isOpen) return [truncated(line)];
    const { fields, place } = line;
    // The profiler can print several tables, each with its header.
    if (REQUIRED.every(name => fields.includes(name))) return [];
    if (fields.length !== header.length) return [wrongCount(place, header.length, fields.length)];
    const row: Row = Object.fromEntries(header.map((name, i) => [name, fields[i] ?? '']));
    return [shapeOf(row, place)];
  });
}

const wrongCount = (place: string, expected: number, count: number): ShapeIssue =>
  issue(
    'malformed',
    place,
    t(
      'Expected {0} columns as in the header, got {1}. Fix: correct or remove the line.',
      expected,
      count,
    ),
  );

/** Kinds of `gemm_kind` that compute one product per batch entry. */
const KINDS = ['', 'gemm', 'universal', 'batched'];

function shapeOf(row: Row, place: string): ReadShape {
  const kind = row['gemm_kind'] ?? '';
  const operation = row['Operation'] ?? '';
  if (row['OperationKind'] !== 'gemm' || !KINDS.includes(kind)) {
    const name = [row['OperationKind'], kind].filter(Boolean).join(' ');
    return issue(
      'unsupported',
      place,
      t('The operation {0} ({1}) is not supported.', name, operation),
    );
  }
  const [m, n, k] = ['m', 'n', 'k'].map(name => positiveInteger(row[name]));
  if (m === undefined || n === undefined || k === undefined) {
    return issue(
      'malformed',
      place,
      t('The columns m, n and k must be positive integers. Fix: correct or remove the line.'),
    );
  }
  const names = [row['A'], row['B'], row['D'] ?? row['C']];
  const [a, b, c] = names.map(name => operandOf(name, row['op_class']));
  if (a === undefined || b === undefined || c === undefined) {
    const listed = names.map(name => name ?? '').join(', ');
    return issue('unsupported', place, t('The operands {0} are not supported.', listed));
  }
  return {
    problem: { m, n, k, ...factors(row), a, b, c: output(c) },
    weight: 1,
    place,
    name: operation,
    omitted: [],
    ...timeOf(row),
  };
}

interface Operand {
  readonly dtype: DType;
  readonly layout: Layout;
}

const LAYOUT_NAMES: Readonly<Record<string, Layout>> = { row: 'row', column: 'col' };

/** Reads an operand such as `f16:column`. Tensor cores round f32 inputs to TF32. */
function operandOf(text = '', opClass = ''): Operand | undefined {
  const [type = '', name = ''] = text.split(':');
  const dtype = elementType(type);
  const layout = Object.hasOwn(LAYOUT_NAMES, name) ? LAYOUT_NAMES[name] : undefined;
  if (dtype === undefined || layout === undefined) return undefined;
  return { dtype: dtype === 'f32' && opClass === 'tensorop' ? 'tf32' : dtype, layout };
}

const output = ({ dtype, layout }: Operand): Operand => ({
  dtype: dtype === 'tf32' ? 'f32' : dtype,
  layout,
});

function factors(row: Row): Partial<GemmSpec['problem']> {
  const batch = positiveInteger(row['batch_count']);
  const accumulator = elementType(row['accum'] ?? '');
  const [alpha, beta] = [row['alpha'], row['beta']].map(text => Number(text ?? NaN));
  const isSet = (value: number | undefined): value is number =>
    value !== undefined && Number.isFinite(value);
  return {
    ...(batch === undefined || batch === 1 ? {} : { batch }),
    ...(accumulator === undefined ? {} : { accumulator }),
    ...(isSet(alpha) && alpha !== 1 && row['alpha'] !== '' ? { alpha } : {}),
    ...(isSet(beta) && beta !== 0 ? { beta } : {}),
  };
}

const MEASURED = ['passed', 'not_verified'];

/** Rows of kernels that failed have no time. `Runtime` is in milliseconds. */
function timeOf(row: Row): { readonly time?: FileTime } {
  const milliseconds = positiveNumber(row['Runtime']);
  if (milliseconds === undefined || !MEASURED.includes(row['Disposition'] ?? 'passed')) return {};
  const kernel = `${row['Provider'] ?? ''} ${row['Operation'] ?? ''}`.trim();
  return { time: { milliseconds, kernel } };
}
