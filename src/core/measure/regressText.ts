/** Formats a regression report as table rows, and as Markdown for a pull request comment. */
import { significant } from '../text/numbers';
import { codeSpan, joined, markup, table, type Markdown } from '../text/markdown';
import { backendName } from './backendName';
import type { RegressReport, RegressRow } from './regress';

export const REGRESS_HEAD = [
  'verdict',
  'kernel',
  'device',
  'backend',
  'before ms',
  'after ms',
  'time after / before (95 % interval)',
] as const;

/** Returns the cells of a row, without escapes. */
export const regressCells = (row: RegressRow): readonly string[] => [
  row.verdict,
  row.name,
  row.otherMachine === true ? `${row.device} (two machines)` : row.device,
  backendName(row.backend),
  timeOf(row.before?.medianMs),
  timeOf(row.after?.medianMs),
  changeText(row),
];

const timeOf = (medianMs: number | undefined): string =>
  medianMs === undefined ? '-' : significant(medianMs);

function changeText({ ratio, interval, why }: RegressRow): string {
  if (ratio === undefined) return why ?? '-';
  const range =
    interval === undefined ? 'interval unknown' : interval.map(end => end.toFixed(3)).join(' to ');
  return `${ratio.toFixed(3)} (${range})`;
}

export function regressSummary({
  counts,
  compared,
  rows,
  maxSlowdownPercent,
}: RegressReport): string {
  const bad = counts.failed + counts.slower;
  const verdict = bad > 0 ? 'Regression' : compared === 0 ? 'Nothing compared' : 'No regression';
  return `${verdict}: ${counts.failed} failed, ${counts.slower} slower by more than ${significant(maxSlowdownPercent)} %, ${counts.faster} faster, ${counts.same} the same, ${counts['not-compared']} of ${rows.length} not compared.`;
}

/** Maximum number of rows in a pull request comment. */
const MAX_ROWS = 100;

export function regressMarkdown(report: RegressReport): Markdown {
  const { before, after, rows } = report;
  const cells = rows.slice(0, MAX_ROWS).map(row => {
    const [verdict = '', name = '', ...rest] = regressCells(row);
    const isBad = row.verdict === 'failed' || row.verdict === 'slower';
    return [isBad ? markup`**${verdict}**` : verdict, codeSpan(name), ...rest];
  });
  const more = rows.length - cells.length;
  return joined(
    [
      markup`### GEMM kernels: ${codeSpan(short(before))} to ${after === null ? 'work tree' : codeSpan(short(after))}`,
      '',
      regressSummary(report),
      '',
      table(REGRESS_HEAD, cells, [4, 5, 6]),
      ...(more === 0 ? [] : ['', `${more} more rows.`]),
      '',
      'Only runs of the same device and backend are compared. The interval covers the variation between the samples of each run.',
      '',
    ],
    '\n',
  );
}

const short = (commit: string): string => commit.slice(0, 10);
