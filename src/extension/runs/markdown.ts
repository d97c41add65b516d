/** Runs as Markdown: a table of them, and a comparison with what differs first. Pure. */
import { t } from '@vscode/l10n';
import { machineOf } from '../../core/analysis/roofline';
import { grouped } from '../../core/language/numbers';
import type { Measurement } from '../../core/measure/measurement';
import { doubtText } from '../resultText';
import { occupancyOfRun, roofFraction } from './runFacts';
import {
  backendName,
  digits,
  escapeMarkdown,
  isEdited,
  kernelName,
  outcomeText,
  percentText,
  problemText,
  rateText,
  shareText,
  whenText,
  whereText,
} from './runText';

/** Runs that a comparison puts side by side. */
export const MOST_COMPARED = 8;

const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n');

/** One line a run: for an issue, a review or a chat. */
export function runsTable(runs: readonly Measurement[]): string {
  const head = [
    ...[t('kernel'), t('problem'), t('backend'), t('outcome'), t('rate'), t('timer error')],
    ...[t('of roof or library'), t('machine'), t('when')],
  ];
  const rows = runs.map(run => [
    ...[kernelName(run), problemText(run), backendName(run.backend), outcomeText(run.outcome)],
    rateText(run) ?? '',
    run.timing === undefined ? '' : `${digits(run.timing.errorPercent)} %`,
    ...[shareText(run) ?? '', machineOf(run), whenText(run) ?? ''],
  ]);
  return `${table(head, rows)}\n`;
}

type Row = readonly [name: string, ...cells: string[]];

/** What differs first; rates are put in proportion only within one machine and one problem. */
export function comparison(runs: readonly Measurement[]): string {
  const names = runs.map((_, index) => String.fromCharCode(65 + index));
  const rows = [...parameterRows(runs), ...resultRows(runs)];
  const isSame = ([, ...cells]: Row): boolean => new Set(cells).size === 1;
  const same = rows.filter(isSame);
  const differing = rows.filter(cells => !isSame(cells));
  const title = names.map((name, index) => `${name}: ${kernelName(runs[index] ?? never())}`);
  return [
    `# ${escapeMarkdown(t('Compared runs'))}`,
    title.map(text => `- ${escapeMarkdown(text)}`).join('\n'),
    escapeMarkdown(proportion(runs, names)),
    `## ${escapeMarkdown(t('What differs'))}`,
    differing.length === 0
      ? escapeMarkdown(t('Nothing that is recorded.'))
      : table(['', ...names], differing),
    `## ${escapeMarkdown(t('What is the same'))}`,
    table(
      ['', t('all')],
      same.map(([name, cell = '']) => [name, cell]),
    ),
    '',
  ].join('\n\n');
}

function never(): never {
  throw new Error('a name a run');
}

function proportion(runs: readonly Measurement[], names: readonly string[]): string {
  const timed = runs.flatMap((run, index) =>
    run.timing === undefined
      ? []
      : [{ name: names[index] ?? '', gflops: run.timing.gflops, timing: run.timing }],
  );
  if (timed.length < 2) return t('Fewer than two of these runs were timed: no rates to compare.');
  if (new Set(runs.map(machineOf)).size > 1) {
    return t(
      'These runs are of different machines: their rates say more of those than of kernels.',
    );
  }
  if (new Set(runs.map(problemText)).size > 1) {
    return t('These runs are of different problems: their rates are not put in proportion.');
  }
  const best = timed.reduce((one, other) => (other.gflops > one.gflops ? other : one));
  return timed
    .filter(other => other !== best)
    .map(other => {
      const doubt = doubtPercent(best.timing) + doubtPercent(other.timing);
      const ratio = best.gflops / other.gflops;
      if (100 * (ratio - 1) <= doubt) {
        return t('{0} and {1} do not differ by more than their times vary.', best.name, other.name);
      }
      return t('{0} is {1}x as fast as {2}.', best.name, digits(ratio), other.name);
    })
    .join(' ');
}

/** Spread and timer error of a time, in percent of it. */
const doubtPercent = ({ iqrMs, medianMs, errorPercent }: NonNullable<Measurement['timing']>) =>
  (100 * iqrMs) / medianMs + errorPercent;

const NONE = '–';

function parameterRows(runs: readonly Measurement[]): readonly Row[] {
  const parameters = runs.map(({ resolved }) => leaves(resolved?.schedule ?? {}));
  const paths = [...new Set(parameters.flatMap(values => [...values.keys()]))];
  return [
    [t('problem'), ...runs.map(problemText)],
    ...paths.map((path): Row => [path, ...parameters.map(values => values.get(path) ?? NONE)]),
    [
      t('text'),
      ...runs.map(run => {
        const hash = run.sourceHash?.slice(0, 12) ?? NONE;
        return isEdited(run) ? t('{0} (edited)', hash) : hash;
      }),
    ],
  ];
}

function resultRows(runs: readonly Measurement[]): readonly Row[] {
  const each = (name: string, value: (run: Measurement) => string | undefined): Row => [
    name,
    ...runs.map(run => value(run) ?? NONE),
  ];
  const occupancies = new Map(runs.map(run => [run, occupancyOfRun(run)]));
  return [
    each(t('outcome'), ({ outcome }) => outcomeText(outcome)),
    each(t('rate (measured)'), rateText),
    each(t('time (measured)'), ({ timing }) =>
      timing === undefined ? undefined : `${digits(timing.medianMs)} ms, ${doubtText(timing)}`,
    ),
    each(t('of its roof'), run => {
      const fraction = roofFraction(run);
      return fraction === undefined ? undefined : percentText(fraction);
    }),
    each(t('of the library'), ({ baseline }) =>
      baseline === undefined ? undefined : `${percentText(baseline.ratio)} (${baseline.name})`,
    ),
    each(t('occupancy'), run => {
      const report = occupancies.get(run);
      return report
        ? `${percentText(report.occupancy)} (${report.limiters.join(', ')})`
        : undefined;
    }),
    each(t('registers'), run => {
      const registers = occupancies.get(run)?.registers;
      if (run.resources !== undefined) return t('{0} (compiler)', run.resources.registers);
      return registers === undefined ? undefined : t('{0} (estimate)', registers.value);
    }),
    each(t('shared memory'), run => {
      const bytes = run.resources?.sharedBytes ?? occupancies.get(run)?.sharedBytes.value;
      return bytes === undefined ? undefined : `${grouped(bytes)} B`;
    }),
    each(t('largest error'), ({ verification: { maxError } }) => maxError?.toExponential(1)),
    each(t('backend'), ({ backend }) => backendName(backend)),
    each(t('machine'), machineOf),
    each(t('driver'), ({ device }) => device.driver),
    each(t('measured on'), whereText),
    each(t('when'), whenText),
  ];
}

/** Values that hold no others, by path. */
function leaves(value: object, before = ''): Map<string, string> {
  const below = Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const path = before === '' ? key : `${before}.${key}`;
    if (typeof child === 'object' && child !== null) return [...leaves(child, path)];
    return child === undefined ? [] : [[path, JSON.stringify(child).replaceAll('"', '')] as const];
  });
  return new Map(below);
}
