/** Runs as Markdown: a table, and a comparison that lists the differences first. */
import { t } from '@vscode/l10n';
import { machineOf } from '../../core/roofline/roofline';
import { grouped } from '../../core/text/numbers';
import { chartSvg, type ChartTheme } from '../../core/charts/chartSvg';
import { comparisonChart } from '../../core/charts/comparisonChart';
import { previewUri } from '../../core/charts/rooflineThumbnail';
import { unifiedText } from '../../core/text/hunks';
import { codeBlock, joined, markup, picture, table, type Markdown } from '../../core/text/markdown';
import { differs, rateOf, speedUp } from '../../core/measure/intervals';
import { rateWithInterval, ratioText, uncertainText } from '../../core/measure/intervalText';
import { energyText } from '../../core/measure/energyText';
import { backendName } from '../../core/measure/backendName';
import type { Measurement } from '../../core/measure/measurement';
import { runNames } from './runNames';
import { occupancyOfRun, rooflineFraction } from './runFacts';
import {
  digits,
  isEdited,
  kernelName,
  outcomeText,
  percentText,
  problemText,
  shareText,
  timeText,
  whenText,
  whereText,
} from './runText';

export const MAX_COMPARED = 8;

export function runsTable(runs: readonly Measurement[]): Markdown {
  const head = [
    t('kernel'),
    t('problem'),
    t('backend'),
    t('outcome'),
    t('rate (95 % interval)'),
    t('median time'),
    t('spread (IQR)'),
    t('share of roofline or library'),
    t('machine'),
    t('when'),
  ];
  const rows = runs.map(run => [
    kernelName(run),
    problemText(run),
    backendName(run.backend),
    outcomeText(run.outcome),
    ...timedCells(run),
    shareText(run) ?? '',
    machineOf(run),
    whenText(run) ?? '',
  ]);
  return markup`${table(head, rows)}\n`;
}

function timedCells({ timing }: Measurement): readonly string[] {
  if (timing === undefined) return ['', '', ''];
  const { medianMs, iqrMs } = timing;
  const rate = [rateWithInterval(timing), uncertainText(timing)].filter(Boolean).join(', ');
  return [rate, `${digits(medianMs)} ms`, percentText(iqrMs / medianMs)];
}

type Row = readonly [name: string, ...cells: string[]];

export interface ComparisonPage {
  readonly theme: ChartTheme;
  /** Kernel sources of two runs, if they are known. */
  readonly sources?: readonly [before: string, after: string];
}

/**
 * Returns a comparison: rates with ratios, differences, and the changed lines of two sources. It
 * contains ratios only for runs of one problem on one machine.
 */
export function comparison(runs: readonly Measurement[], page: ComparisonPage): Markdown {
  const names = runNames(runs);
  const rows = [...parameterRows(runs), ...resultRows(runs)];
  const isSame = ([, ...cells]: Row): boolean => new Set(cells).size === 1;
  const same = rows.filter(isSame);
  const differing = rows.filter(cells => !isSame(cells));
  return joined(
    [
      markup`# ${t('Compared runs')}`,
      ...rates(runs, names, page.theme),
      markup`## ${t('Differences')}`,
      differing.length === 0
        ? t('The runs have no recorded differences.')
        : table(['', ...names], differing),
      ...sourceDifference(page.sources, names),
      markup`## ${t('Same in all runs')}`,
      table(
        ['', t('all')],
        same.map(([name, cell = '']) => [name, cell]),
      ),
      '',
    ],
    '\n\n',
  );
}

const CHART_WIDTH = 760;

/** Returns the chart of the rates, or the reason why the rates are not compared. */
function rates(
  runs: readonly Measurement[],
  names: readonly string[],
  theme: ChartTheme,
): readonly (Markdown | string)[] {
  const timed = runs.flatMap(({ timing }, index) =>
    timing === undefined ? [] : [{ name: names[index] ?? '', timing, rate: rateOf(timing) }],
  );
  if (timed.length < 2)
    return [t('Fewer than two of these runs were timed, so there are no rates to compare.')];
  if (new Set(runs.map(machineOf)).size > 1) {
    return [
      t('These runs are from different machines, so their rates do not compare the kernels.'),
    ];
  }
  if (new Set(runs.map(problemText)).size > 1)
    return [t('These runs solve different problems, so no ratios are shown.')];
  const slowest = timed.reduce((one, other) => (other.rate.value < one.rate.value ? other : one));
  const fastest = timed.reduce((one, other) => (other.rate.value > one.rate.value ? other : one));
  const title = t('Rates of the compared runs');
  const chart = comparisonChart(
    { title, from: 'measured', rates: timed, reference: timed.indexOf(slowest) },
    CHART_WIDTH,
  );
  const ratio = speedUp(fastest.timing, slowest.timing);
  return [
    differs(ratio) === false
      ? t('The rates of {0} and {1} do not differ significantly.', fastest.name, slowest.name)
      : t('{0} is {1} as fast as {2}.', fastest.name, ratioText(ratio), slowest.name),
    picture(title, previewUri(chartSvg(chart, { theme }))),
  ];
}

function sourceDifference(
  sources: ComparisonPage['sources'],
  names: readonly string[],
): readonly Markdown[] {
  if (sources === undefined || sources[0] === sources[1]) return [];
  const [before = '', after = ''] = names;
  return [
    markup`## ${t('Source')}`,
    markup`${t('From {0} to {1}', before, after)}`,
    codeBlock(unifiedText(...sources), 'diff'),
  ];
}

const NONE = '–';

function parameterRows(runs: readonly Measurement[]): readonly Row[] {
  const parameters = runs.map(({ resolved }) => leaves(resolved?.schedule ?? {}));
  const paths = [...new Set(parameters.flatMap(values => [...values.keys()]))];
  return [
    [t('problem'), ...runs.map(problemText)],
    ...paths.map((path): Row => [path, ...parameters.map(values => values.get(path) ?? NONE)]),
    [
      t('source'),
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
    each(t('rate (measured)'), ({ timing }) =>
      timing === undefined ? undefined : rateWithInterval(timing),
    ),
    each(t('time (measured)'), ({ timing }) =>
      timing === undefined ? undefined : timeText(timing),
    ),
    each(t('energy (measured)'), ({ energy }) => (energy === undefined ? '' : energyText(energy))),
    each(t('share of roofline'), run => {
      const fraction = rooflineFraction(run);
      return fraction === undefined ? undefined : percentText(fraction);
    }),
    each(t('share of library rate'), ({ baseline }) =>
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

/** Returns the leaf values of an object as text, by path. */
function leaves(value: object, before = ''): Map<string, string> {
  const below = Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const path = before === '' ? key : `${before}.${key}`;
    if (typeof child === 'object' && child !== null) return [...leaves(child, path)];
    return child === undefined ? [] : [[path, JSON.stringify(child).replaceAll('"', '')] as const];
  });
  return new Map(below);
}
