/** The result of an audit as one HTML file. */
import { t } from '@vscode/l10n';
import { factTable, figure, htmlPage, htmlText, list, section } from '../charts/htmlPage';
import { grouped, precise, significant } from '../text/numbers';
import type { ShapeResult, Verdict } from './result';
import { auditRooflines } from './rooflines';
import { ranked, type AuditSummary, type RankedShape } from './summary';
import { endText, FILE_TIME_NOTE, percentText, shapeName, totalsTexts, verdictText } from './words';

export const AUDIT_GENERATOR = 'GEMM Explorer audit';

const STYLE = `
body{max-width:1100px}.scroll{overflow-x:auto;overflow-wrap:normal}.scroll:focus-visible{outline:2px solid #1f4e9c}
caption{text-align:left;color:#555;padding-bottom:6px}thead th{border-bottom:2px solid #999;vertical-align:bottom}
tbody th{color:#222}.scroll tbody th,.scroll td:last-child{min-width:15em}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.replace{color:#0b5d1e;font-weight:600}.keep{color:#8c1d18;font-weight:600}code{white-space:pre-wrap;overflow-wrap:anywhere}`;

export function auditPage(results: readonly ShapeResult[], summary: AuditSummary): string {
  const { place, ended, issues, issueCount, notes } = summary;
  const file = place.file === '-' ? t('standard input') : place.file;
  const hasFileTimes = results.some(({ fileTime }) => fileTime !== null);
  const sentences = [...totalsTexts(summary), endText(ended)];
  const unlisted = issueCount - issues.length;
  return htmlPage({
    title: t('GEMM shapes of {0}', file),
    generator: AUDIT_GENERATOR,
    style: STYLE,
    parts: [
      ...sentences.map(sentence => `<p>${htmlText(sentence)}</p>`),
      section(
        t('Ranking'),
        shapeTable(results, summary, hasFileTimes) +
          (hasFileTimes ? `<p>${htmlText(FILE_TIME_NOTE())}</p>` : ''),
      ),
      section(t('Roofline'), auditRooflines(results, summary).map(figure).join('\n')),
      section(t('Next steps'), nextSteps(summary.ranking)),
      section(
        t('Lines without a shape'),
        list([
          ...issues.map(({ place: at, message }) => `${at}: ${message}`),
          ...(unlisted > 0 ? [t('{0} more lines are not listed.', grouped(unlisted))] : []),
        ]),
      ),
      section(t('Notes'), list(notes)),
      section(t('Measurement'), factTable(facts(summary))),
    ],
  });
}

interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  readonly text: (result: ShapeResult) => string;
}

const orDash = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : precise(value);

function columnsOf({ ended, ranking }: AuditSummary, hasFileTimes: boolean): readonly Column[] {
  const shares = new Map(ranking.map(({ key, share }) => [key, share]));
  const number = (title: string, text: Column['text']): Column => ({ title, isNumber: true, text });
  const common = [
    number(t('Calls'), ({ weight }) => significant(weight)),
    number(t('Share of time'), ({ key }) => {
      const share = shares.get(key) ?? null;
      return share === null ? '–' : percentText(share);
    }),
  ];
  if (ended === 'predicted')
    return [...common, number(t('Predicted (ms)'), ({ predictedMs }) => orDash(predictedMs))];
  return [
    ...common,
    number(t('Ours (ms)'), ({ oursMs }) => orDash(oursMs)),
    number(t('Library (ms)'), ({ library }) => orDash(library?.milliseconds)),
    number(t('Ratio'), ({ ratio }) => orDash(ratio)),
    number(t('Saved (ms)'), ({ savedMs }) => orDash(savedMs)),
    ...(hasFileTimes
      ? [number(t('File (ms)'), ({ fileTime }) => orDash(fileTime?.milliseconds))]
      : []),
  ];
}

const CLASSES: Readonly<Partial<Record<Verdict, string>>> = { replace: 'replace', keep: 'keep' };

function shapeTable(
  results: readonly ShapeResult[],
  summary: AuditSummary,
  hasFileTimes: boolean,
): string {
  const columns = columnsOf(summary, hasFileTimes);
  const caption =
    summary.ended === 'predicted'
      ? t('Shapes by their predicted time')
      : t('Shapes by saved time: calls times the difference of library and our kernel');
  const head = [
    `<th scope="col">${htmlText(t('Shape'))}</th>`,
    ...columns.map(({ title }) => `<th scope="col" class="n">${htmlText(title)}</th>`),
    `<th scope="col">${htmlText(t('Verdict'))}</th>`,
  ].join('');
  const rows = ranked(results).map(result => {
    const { verdict, why, library } = result;
    const style = CLASSES[verdict];
    const word = `<span${style === undefined ? '' : ` class="${style}"`}>${htmlText(verdictText(verdict))}</span>`;
    const more = why ?? library?.name ?? '';
    return [
      `<tr><th scope="row">${htmlText(shapeName(result))}</th>`,
      ...columns.map(({ text }) => `<td class="n">${htmlText(text(result))}</td>`),
      `<td>${word}${more === '' ? '' : `<br><small>${htmlText(more)}</small>`}</td></tr>`,
    ].join('');
  });
  return `<div class="scroll" role="region" tabindex="0" aria-label="${htmlText(t('Ranking'))}"><table><caption>${htmlText(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

/** Maximum number of commands per verdict. */
const COMMANDS = 10;

/** The commands with the largest gains, and those for the shapes that lose most. */
export function nextCommands(ranking: readonly RankedShape[], most: number): readonly string[] {
  const of = (verdict: Verdict, order: readonly RankedShape[]): readonly string[] =>
    order
      .flatMap(one => (one.verdict === verdict && one.next !== null ? [one.next] : []))
      .slice(0, most);
  return [...of('replace', ranking), ...of('keep', ranking.toReversed()), ...of('failed', ranking)];
}

function nextSteps(ranking: readonly RankedShape[]): string {
  const commands = nextCommands(ranking, COMMANDS);
  if (commands.length === 0) return '';
  const items = commands.map(command => `<li><code>${htmlText(command)}</code></li>`);
  return `<ul>${items.join('')}</ul>`;
}

const facts = ({ place, shapes, entries, seconds, equalPercent }: AuditSummary) =>
  [
    [t('machine'), place.gpus.join(', ')],
    ...(place.driver === null ? [] : [[t('driver'), place.driver] as const]),
    ...(place.compiler === null ? [] : [[t('compiler'), place.compiler] as const]),
    [t('list'), t('{0} lines with a shape, {1} unique shapes', grouped(entries), grouped(shapes))],
    [t('time'), `${grouped(seconds)} s`],
    [
      t('verdict'),
      t('Times that differ by at most {0} % count as equal.', significant(equalPercent)),
    ],
  ] as const;
