/**
 * Comparison of two configurations, `a` (current) and `b` (pinned), with one row per quantity and
 * their rates.
 */
import { t } from '@vscode/l10n';
import type { Analysis } from '../src/core/report/analysis';
import { limiterName } from '../src/core/occupancy/limiterName';
import { machineOf } from '../src/core/roofline/roofline';
import { balanceText } from '../src/core/occupancy/waves';
import type { Compared } from '../src/core/charts/comparisonChart';
import { rateOf, type Estimate } from '../src/core/measure/intervals';
import { scheduleName } from '../src/core/plan/specKey';
import { rateWithInterval } from '../src/core/measure/intervalText';
import type { Measurement } from '../src/core/measure/measurement';
import { changesBetween, describeValue, nameOf } from './changes';
import type { Derived } from './derive';
import { formatBytes, formatNumber, formatPercent, formatQuantity } from './format';
import type { Figure } from '../src/core/text/figure';

/** Text of a value; `from` is null if the value has no origin. */
export interface Cell {
  readonly text: string;
  readonly from: Figure['from'] | null;
}

export interface Row {
  readonly name: string;
  readonly a: Cell | null;
  readonly b: Cell | null;
  readonly change: string;
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Quantity of one configuration; `value` is null if it is not a number. */
interface Quantity extends Cell {
  readonly value: number | null;
}

const number = (value: number, text: string, from: Figure['from']): Quantity => ({
  value,
  text,
  from,
});
const figure = (quantity: Figure): Quantity =>
  number(quantity.value, formatQuantity(quantity), quantity.from);
const words = (text: string): Quantity => ({ value: null, text, from: null });

/**
 * Returns the difference of `a` relative to `b`, such as `+50 %`. Without a ratio, returns `=`,
 * `≠`, a sign, or which configuration has the value.
 */
function changeOf(a: Quantity | null, b: Quantity | null): string {
  if (a === null || b === null)
    return a === b ? '=' : a === null ? t('only pinned') : t('only current');
  if (a.text === b.text) return '=';
  if (a.value === null || b.value === null || !Number.isFinite(a.value - b.value)) return '≠';
  const sign = a.value > b.value ? '+' : '−';
  if (b.value === 0) return sign;
  return `${sign}${formatPercent(Math.abs(a.value / b.value - 1))}`;
}

const row = (name: string, a: Quantity | null, b: Quantity | null): Row => ({
  name,
  a,
  b,
  change: changeOf(a, b),
});

function rowsOf(a: readonly Named[], b: readonly Named[]): readonly Row[] {
  const [inA, inB] = [new Map(a), new Map(b)];
  return [...new Set([...inA.keys(), ...inB.keys()])].map(name =>
    row(name, inA.get(name) ?? null, inB.get(name) ?? null),
  );
}

type Named = readonly [name: string, quantity: Quantity];

export const parameters = (a: Derived, b: Derived): Group => ({
  title: t('Parameters'),
  rows: changesBetween(b.report.resolved, a.report.resolved).map(({ path, before, after }) =>
    row(nameOf(path), parameter(after), parameter(before)),
  ),
});

const parameter = (value: unknown): Quantity | null =>
  value === undefined
    ? null
    : { value: typeof value === 'number' ? value : null, text: describeValue(value), from: null };

export function quantities(
  a: { readonly analysis: Analysis; readonly runs: readonly Measurement[] },
  b: { readonly analysis: Analysis; readonly runs: readonly Measurement[] },
): readonly Group[] {
  const of = (title: string, read: (analysis: Analysis) => readonly Named[]): Group => ({
    title,
    rows: rowsOf(read(a.analysis), read(b.analysis)),
  });
  return [
    { title: t('Measured'), rows: rowsOf(measured(a.runs), measured(b.runs)) },
    of(t('Resources'), resources),
    of(t('Traffic and roofline'), traffic),
    of(t('Waves'), waves),
    of(t('Global: sectors per request'), globalMemory),
    of(t('Shared: wavefronts per request'), sharedMemory),
  ].filter(({ rows }) => rows.length > 0);
}

function resources({ occupancy }: Analysis): readonly Named[] {
  if (occupancy === null) return [];
  const { registers, sharedBytes, threads, blocksPerSm, limiters } = occupancy;
  return [
    [t('registers per thread'), figure({ ...registers, unit: '' })],
    [t('shared memory per block'), figure(sharedBytes)],
    [t('threads per block'), number(threads, formatNumber(threads), 'derived')],
    [t('blocks per SM'), number(blocksPerSm, formatNumber(blocksPerSm), 'derived')],
    [t('occupancy'), number(occupancy.occupancy, formatPercent(occupancy.occupancy), 'derived')],
    [t('limited by'), words(limiters.map(limiterName).join(', '))],
  ];
}

const traffic = ({ traffic: { dram, l2, shared }, roofline }: Analysis): readonly Named[] => [
  [t('DRAM, compulsory'), figure(dram)],
  [t('L2, tile loads'), figure(l2)],
  [t('shared memory'), figure(shared)],
  [t('intensity without caches'), figure(roofline.kernelRatio)],
  [t('textbook intensity'), figure(roofline.problemRatio)],
  [t('attainable'), figure(roofline.attainable)],
];

function waves({ waves: of }: Analysis): readonly Named[] {
  if (of === null) return [];
  const count = (value: number) => number(value, formatNumber(value), 'derived');
  return [
    [t('tiles of C'), count(of.tiles)],
    [t('waves'), count(of.waves)],
    [t('SM load balance'), number(of.balance.value, balanceText(of.balance.value), 'derived')],
    [
      t('tile quantization'),
      number(of.paddingFlopFraction, formatPercent(of.paddingFlopFraction), 'derived'),
    ],
  ];
}

const globalMemory = ({ globalMemory: sites }: Analysis): readonly Named[] =>
  sites.map(({ site, sectorsPerRequest: cost, idealSectors: ideal, widthBytes }) => [
    site,
    access(cost, ideal, widthBytes),
  ]);

const sharedMemory = ({ sharedMemory: sites }: Analysis): readonly Named[] =>
  sites.map(({ site, wavefrontsPerRequest: cost, idealWavefronts: ideal, widthBytes }) => [
    site,
    access(cost, ideal, widthBytes),
  ]);

const access = (cost: number, ideal: number, widthBytes: number): Quantity =>
  number(
    cost,
    t('{0} (ideal {1}), {2}', formatNumber(cost), formatNumber(ideal), formatBytes(widthBytes)),
    'derived',
  );

/**
 * Returns the measured rates, named by machine, so that rates of different machines are never
 * compared.
 */
const measured = (runs: readonly Measurement[]): readonly Named[] =>
  runs.flatMap(run =>
    run.timing === undefined
      ? []
      : [[machineOf(run), number(run.timing.gflops, rateWithInterval(run.timing), 'measured')]],
  );

interface Rated {
  readonly specKey: string;
  readonly analysis: Analysis;
  readonly runs: readonly Measurement[];
}

/**
 * Returns the rates of the pinned and the current configuration: measured on the same machine, or
 * else predicted. Returns null if neither kind is known for both.
 */
export function comparedRates(current: Rated, pinned: Rated): Compared | null {
  const newest = (runs: readonly Measurement[], machine: string) =>
    runs.findLast(run => run.timing !== undefined && machineOf(run) === machine)?.timing;
  const names = [
    t('pinned: {0}', scheduleName(pinned.specKey)),
    t('current: {0}', scheduleName(current.specKey)),
  ] as const;
  const of = (
    from: Compared['from'],
    title: string,
    rates: readonly [Estimate, Estimate],
  ): Compared => ({
    from,
    title,
    reference: 0,
    rates: names.map((name, index) => ({ name, rate: rates[index] ?? rates[0] })),
  });
  for (const run of current.runs.toReversed()) {
    const [was, is] = [newest(pinned.runs, machineOf(run)), newest(current.runs, machineOf(run))];
    if (was !== undefined && is !== undefined)
      return of('measured', t('Measured on {0}', machineOf(run)), [rateOf(was), rateOf(is)]);
  }
  const [was, is] = [pinned, current].map(({ analysis }) => analysis.prediction?.tflops.value);
  if (was === undefined || is === undefined) return null;
  return of('predicted', t('Predicted'), [{ value: was * 1000 }, { value: is * 1000 }]);
}

export const notesOnlyOf = (one: Analysis, other: Analysis): readonly string[] =>
  one.notes.map(({ text }) => text).filter(text => other.notes.every(note => note.text !== text));
