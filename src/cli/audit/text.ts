/** Formats the results of an audit for the terminal. */
import { nextCommands } from '../../core/audit/page';
import type { ShapeResult } from '../../core/audit/result';
import { ranked, type AuditSummary } from '../../core/audit/summary';
import {
  endText,
  FILE_TIME_NOTE,
  shapeName,
  totalsTexts,
  verdictText,
} from '../../core/audit/words';
import { number, percent, table, type Cell } from '../table';

/** Maximum number of issues, and of commands per verdict, that are printed. */
const ISSUES = 10;
const COMMANDS = 2;

export function summaryText(
  summary: AuditSummary,
  results: readonly ShapeResult[],
  written: readonly string[],
): string {
  const { place, notes, ranking } = summary;
  const hasFileTimes = results.some(({ fileTime }) => fileTime !== null);
  const next = nextCommands(ranking, COMMANDS);
  return [
    shapeTable(summary, results, hasFileTimes),
    '',
    countsText(summary),
    ...totalsTexts(summary),
    ...(hasFileTimes ? [FILE_TIME_NOTE()] : []),
    ...issuesText(summary),
    ...notes,
    ...(next.length === 0 ? [] : ['Next:', ...next.map(one => `  ${one}`)]),
    ...(place.journal === null ? [] : [`Journal: ${place.journal}`]),
    ...written.map(file => `Written: ${file}`),
  ].join('\n');
}

const orDash = (value: number | null | undefined): Cell => {
  return value === null || value === undefined ? null : number(value);
};

function shapeTable(
  { ranking, ended }: AuditSummary,
  results: readonly ShapeResult[],
  hasFileTimes: boolean,
): string {
  const shares = new Map(ranking.map(({ key, share }) => [key, share]));
  const isPredicted = ended === 'predicted';
  const rows = ranked(results).map((result): Cell[] => {
    const { key, weight, verdict, why, oursMs, library, ratio, savedMs, fileTime } = result;
    const share = shares.get(key) ?? null;
    const word = verdictText(verdict);
    return [
      shapeName(result),
      orDash(weight),
      share === null ? null : percent(share),
      ...(isPredicted
        ? [orDash(result.predictedMs)]
        : [orDash(oursMs), orDash(library?.milliseconds), orDash(ratio), orDash(savedMs)]),
      ...(hasFileTimes ? [orDash(fileTime?.milliseconds)] : []),
      why === null ? word : `${word}: ${why.slice(0, 120)}`,
    ];
  });
  const times = isPredicted ? ['predicted ms'] : ['ours ms', 'library ms', 'ratio', 'saved ms'];
  const file = hasFileTimes ? ['file ms'] : [];
  return table([['shape', 'calls', 'share', ...times, ...file, 'verdict'], ...rows]);
}

function countsText({ shapes, counts, place, ended, seconds }: AuditSummary): string {
  const listed = Object.entries(counts).filter(([, count]) => count > 0);
  const words = listed.map(
    ([verdict, count]) => `${count} ${verdictText(verdict as ShapeResult['verdict'])}`,
  );
  const time = ended === 'predicted' ? '' : ` ${number(Math.round(seconds))} s.`;
  return `${shapes} ${shapes === 1 ? 'shape' : 'shapes'} on ${place.gpus.join(', ')}: ${words.join(', ')}.${time} ${endText(ended)}`;
}

function issuesText({ issues, issueCount }: AuditSummary): readonly string[] {
  if (issueCount === 0) return [];
  const more = issueCount - Math.min(ISSUES, issues.length);
  return [
    `Lines without a shape: ${issueCount}`,
    ...issues.slice(0, ISSUES).map(({ place, message }) => `  ${place}: ${message}`),
    ...(more > 0 ? [`  ${more} more; --json lists them.`] : []),
  ];
}

/** Formats one result as a progress line. */
export function progressLine(result: ShapeResult, done: number, total: number): string {
  const { verdict, oursMs, library, ratio, why } = result;
  const times =
    oursMs === null || library === null
      ? ''
      : ` ours ${number(oursMs)} ms, ${library.name} ${number(library.milliseconds)} ms, ratio ${number(ratio ?? NaN)},`;
  const reason = why === null ? '' : ` (${why.slice(0, 200)})`;
  return `  ${done} of ${total}: ${shapeName(result)}:${times} ${verdictText(verdict)}${reason}`;
}
