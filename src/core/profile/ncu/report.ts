/**
 * Reads the output of `ncu --csv`: the `raw` page (one row per kernel, units in the second row),
 * and the `details` page and `--metrics` (one row per metric; Nsight Compute CLI, "Output Pages").
 * A `source` page (sourcePage.ts) may precede or follow these tables. Ambiguous values are omitted
 * and reported. Metric instances and rules are ignored.
 */
import { t } from '@vscode/l10n';
import { functionName } from '../../source/symbols';
import type { Dim3 } from '../../plan/plan';
import { csvRow, type CsvRow, type Separator } from './csv';
import { notReadable } from './refusal';
import { SECTION, sourcePagesOf, type SourcePage } from './sourcePage';
import { readMetrics, type NcuMetric, type PrintedMetric } from './metric';

export interface NcuKernel {
  /** Launch index as printed by Nsight Compute. */
  readonly id: string;
  /** Kernel name as printed, often with template arguments and parameters. */
  readonly name: string;
  /** Function name without template arguments and parameters. */
  readonly entry: string;
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly device?: string;
  readonly computeCapability?: string;
  /** Metrics by their Nsight Compute names, in base units. */
  readonly metrics: ReadonlyMap<string, NcuMetric>;
}

export interface NcuReport {
  readonly kernels: readonly NcuKernel[];
  readonly sources: readonly SourcePage[];
  /** Messages about file content that was ignored. */
  readonly limits: readonly string[];
}

export type NcuRead =
  | { readonly ok: true; readonly report: NcuReport }
  | { readonly ok: false; readonly why: string; readonly next: string };

const HEADER = /^\s*"?ID"?([,;\t]).*Kernel Name/;
/** Columns that describe the launch; all other columns of a raw page are metrics. */
const LAUNCH_COLUMNS = new Set([
  'ID',
  'Process ID',
  'Process Name',
  'Host Name',
  'Kernel Name',
  'Kernel Time',
  'Context',
  'Stream',
  'Block Size',
  'Grid Size',
  'Device',
  'CC',
  'Section Name',
]);

const DEVICE_NAME = 'device__attribute_display_name';

interface Table {
  readonly columns: readonly string[];
  readonly rows: CsvRow[];
}

export function readNcu(text: string): NcuRead {
  const refused = notReadable(text);
  if (refused !== undefined) return refused;
  const limits: string[] = [];
  const kernels = tablesOf(text, limits).flatMap(table => kernelsOf(table, limits));
  const sources = sourcePagesOf(text, limits);
  if (kernels.length + sources.length > 0)
    return { ok: true, report: { kernels, sources, limits } };
  return {
    ok: false,
    why: [t('The report contains no kernel.'), ...limits].join(' '),
    next: t('Check that the profiled process launched a kernel, and export the report again.'),
  };
}

export const mergeReports = (reports: readonly NcuReport[]): NcuReport => ({
  kernels: reports.flatMap(({ kernels }) => kernels),
  sources: reports.flatMap(({ sources }) => sources),
  limits: reports.flatMap(({ limits }) => limits),
});

function tablesOf(text: string, limits: string[]): readonly Table[] {
  const tables: Table[] = [];
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''));
  let separator: Separator = ',';
  let inSource = false;
  for (const [i, line] of lines.entries()) {
    const header = HEADER.exec(line);
    inSource = header === null && (inSource || SECTION.test(line));
    if (inSource) continue;
    if (header !== null) separator = separatorOf(header[1]);
    // Output of the tool and of the profiled process precedes the table.
    else if (tables.length === 0 || line.trim() === '' || line.startsWith('==')) continue;
    const row = csvRow(line, i + 1, separator, i === lines.length - 1);
    if (header !== null) tables.push({ columns: row.cells, rows: [] });
    else keep(row, tables.at(-1), lines.length, limits);
  }
  return tables;
}

const separatorOf = (text: string | undefined): Separator =>
  text === ';' || text === '\t' ? text : ',';

function keep(row: CsvRow, table: Table | undefined, lastLine: number, limits: string[]): void {
  const { length } = table?.columns ?? [];
  if (row.cells.length === length && !row.open) table?.rows.push(row);
  else if (row.line === lastLine) {
    limits.push(
      t(
        'The file is truncated in line {0}, which is not used. Fix: export the report again.',
        row.line,
      ),
    );
  } else {
    limits.push(
      t(
        'Line {0} has {1} cells instead of {2} and is not used. Fix: export the report again.',
        row.line,
        row.cells.length,
        length,
      ),
    );
  }
}

function kernelsOf(table: Table, limits: string[]): readonly NcuKernel[] {
  const isLong = table.columns.includes('Metric Name') && table.columns.includes('Metric Value');
  const launches = isLong ? longLaunches(table, limits) : wideLaunches(table, limits);
  const metrics = readMetrics(
    launches.map(({ metrics: printed }) => printed),
    limits,
  );
  return launches.map(({ row, metrics: printed }, i) => {
    const device = printed.find(({ name }) => name === DEVICE_NAME)?.text;
    return {
      ...launchOf(table, row),
      ...(device === undefined ? {} : { device }),
      metrics: metrics[i] ?? new Map<string, NcuMetric>(),
    };
  });
}

interface PrintedLaunch {
  readonly row: CsvRow;
  readonly metrics: readonly PrintedMetric[];
}

function wideLaunches({ columns, rows }: Table, limits: string[]): readonly PrintedLaunch[] {
  const id = columns.indexOf('ID');
  const units = rows[0]?.cells[id] === '' ? rows[0].cells : undefined;
  const launches = rows.filter(({ cells }) => cells[id] !== '');
  if (units === undefined && launches.length > 0) {
    limits.push(
      t(
        'The table has no row of units, so its numbers are not used. Fix: export it with ncu --csv --page raw.',
      ),
    );
  }
  return launches.map(row => ({
    row,
    metrics: columns.flatMap((name, i) =>
      units === undefined || LAUNCH_COLUMNS.has(name)
        ? []
        : [{ name, unit: units[i] ?? '', text: row.cells[i] ?? '' }],
    ),
  }));
}

/**
 * Reads the `details` page. Display names such as `Duration` occur in several sections, so only
 * rows with metric names are used.
 */
function longLaunches({ columns, rows }: Table, limits: string[]): readonly PrintedLaunch[] {
  const cell = ({ cells }: CsvRow, column: string): string => cells[columns.indexOf(column)] ?? '';
  const launches = new Map<string, { row: CsvRow; metrics: PrintedMetric[] }>();
  let unnamed = 0;
  for (const row of rows) {
    const key = `${cell(row, 'Process ID')} ${cell(row, 'ID')}`;
    const launch = launches.get(key) ?? { row, metrics: [] };
    launches.set(key, launch);
    const name = cell(row, 'Metric Name');
    if (name.includes('__')) {
      const [unit, text] = [cell(row, 'Metric Unit'), cell(row, 'Metric Value')];
      launch.metrics.push({ name, unit, text });
    } else if (name !== '') unnamed++;
  }
  if (unnamed > 0) {
    limits.push(
      t(
        '{0} numbers have display names instead of metric names and are not used. Fix: export the report with --page raw.',
        unnamed,
      ),
    );
  }
  return [...launches.values()];
}

function launchOf({ columns }: Table, { cells }: CsvRow): Omit<NcuKernel, 'metrics'> {
  const cell = (column: string): string => cells[columns.indexOf(column)] ?? '';
  const [grid, block] = [dim3(cell('Grid Size')), dim3(cell('Block Size'))];
  const capability = /^\d{1,2}\.\d$/.exec(cell('CC'))?.[0];
  return {
    id: cell('ID'),
    name: cell('Kernel Name'),
    entry: functionName(cell('Kernel Name')),
    ...(grid === undefined ? {} : { grid }),
    ...(block === undefined ? {} : { block }),
    ...(capability === undefined ? {} : { computeCapability: capability }),
  };
}

/**
 * Parses three extents such as `(128, 1, 1)`, `128, 1, 1` or `128,1,1`; returns undefined for other
 * text.
 */
function dim3(text: string): Dim3 | undefined {
  const inner = text.replace(/^\s*\(|\)\s*$/g, '');
  const parts = inner.split(inner.includes(', ') ? ', ' : ',').map(part => part.trim());
  const [x = NaN, y = NaN, z = NaN] = parts.map(part => {
    const digits = part.replace(/[.,'’\u00a0\u202f]/g, '');
    return /^\d{1,10}$/.test(digits) ? Number(digits) : NaN;
  });
  return parts.length === 3 && [x, y, z].every(Number.isInteger) ? { x, y, z } : undefined;
}
