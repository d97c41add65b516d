/**
 * Combines the measured ceilings of an adapter and detects unreliable values. Other work on the GPU
 * can only lower micro-benchmark results, so the highest value of each ceiling is kept.
 */
import { t } from '@vscode/l10n';
import { significant } from '../text/numbers';
import { sameJson } from '../spec/sameJson';
import type { MeasuredCeilings, Measurement, Timing } from './measurement';

/** Tests whether a run exceeds the compute ceiling by more than its timer error. */
export function isAboveCeiling(
  { gflops, errorPercent }: Pick<Timing, 'gflops' | 'errorPercent'>,
  ceilings: Pick<MeasuredCeilings, 'gflops'>,
): boolean {
  return ceilings.gflops !== undefined && gflops * (1 - errorPercent / 100) > ceilings.gflops;
}

/**
 * Returns the higher value of each ceiling from two measurements of one machine. All other fields
 * are those of `other`.
 */
export function higherCeilings(one: MeasuredCeilings, other: MeasuredCeilings): MeasuredCeilings {
  const [gflops, bandwidthGBps] = (['gflops', 'bandwidthGBps'] as const).map(name =>
    Math.max(one[name] ?? 0, other[name] ?? 0),
  );
  const list = higherList(one.list, other.list);
  return {
    ...other,
    ...(gflops ? { gflops } : {}),
    ...(bandwidthGBps ? { bandwidthGBps } : {}),
    ...(list.length > 0 ? { list } : {}),
  };
}

type List = NonNullable<MeasuredCeilings['list']>;

export function higherList(one: List = [], other: List = []): List {
  const known = new Map(one.map(ceiling => [ceiling.id, ceiling]));
  for (const ceiling of other) {
    const before = known.get(ceiling.id);
    if (before === undefined || before.value < ceiling.value) known.set(ceiling.id, ceiling);
  }
  return [...known.values()];
}

/**
 * Relative difference between two measurements of a ceiling above which the difference is reported.
 */
const MAX_DIFFERENCE = 0.1;

/**
 * Returns a text that lists the ceilings that differ by more than 10 % from the previous best
 * values, or undefined if there are none.
 */
export function changeText(before: MeasuredCeilings, now: MeasuredCeilings): string | undefined {
  const values = (of: MeasuredCeilings): List => [
    ...(of.gflops === undefined ? [] : [{ id: 'FMA', value: of.gflops, unit: 'GFLOP/s' as const }]),
    ...(of.bandwidthGBps === undefined
      ? []
      : [{ id: 'copy', value: of.bandwidthGBps, unit: 'GB/s' as const }]),
    ...(of.gflops === undefined && of.bandwidthGBps === undefined ? (of.list ?? []) : []),
  ];
  const known = new Map(values(before).map(({ id, value }) => [id, value]));
  const texts = values(now).flatMap(({ id, value, unit }) => {
    const best = known.get(id) ?? 0;
    if (best <= 0 || Math.abs(value / best - 1) <= MAX_DIFFERENCE) return [];
    const percent = significant(100 * Math.abs(value / best - 1));
    const names = [id, significant(value), unit, percent, significant(best)] as const;
    return value < best
      ? [t('{0} {1} {2}, {3} % below the previous best of {4}', ...names)]
      : [t('{0} {1} {2}, {3} % above the previous best of {4}', ...names)];
  });
  return texts.length === 0 ? undefined : texts.join('; ');
}

/**
 * Returns the runs with the best ceilings measured on the same adapter. Runs share an adapter if
 * device name, adapter, driver, host (a browser, or Dawn) and accumulator type are equal. `how`
 * reports the count of the measurements, the range of their compute rates, and the run's own value
 * if it differs by more than 10 %. Runs without ceilings and runs on an adapter with a single
 * measurement are unchanged.
 */
export function withAdapterCeilings(runs: readonly Measurement[]): readonly Measurement[] {
  const ceilingsByAdapter = new Map<string, AdapterCeilings>();
  for (const run of runs) {
    if (run.ceilings === undefined) continue;
    const key = adapterKey(run);
    const known = ceilingsByAdapter.get(key);
    const distinct = known?.distinct ?? new Map<string, MeasuredCeilings>();
    const { gflops, bandwidthGBps, list } = run.ceilings;
    distinct.set(JSON.stringify([gflops, bandwidthGBps, list]), run.ceilings);
    const best = known === undefined ? run.ceilings : higherCeilings(known.best, run.ceilings);
    ceilingsByAdapter.set(key, { best, distinct });
  }
  return runs.map(run => {
    const roof = run.ceilings && ceilingsByAdapter.get(adapterKey(run));
    if (run.ceilings === undefined || roof === undefined || roof.distinct.size < 2) return run;
    return withCeilings(run, { ...roof.best, how: howText(roof, run.ceilings) });
  });
}

const copies = new WeakMap<Measurement, Measurement>();

/**
 * Returns a copy of the run with the given ceilings. Equal ceilings yield the same copy, because
 * derived results are cached per run object.
 */
function withCeilings(run: Measurement, ceilings: MeasuredCeilings): Measurement {
  const known = copies.get(run);
  if (known !== undefined && sameJson(known.ceilings, ceilings)) return known;
  const copy = { ...run, ceilings };
  copies.set(run, copy);
  return copy;
}

interface AdapterCeilings {
  readonly best: MeasuredCeilings;
  /** Distinct measurements of the ceilings; runs of one session share a measurement. */
  readonly distinct: Map<string, MeasuredCeilings>;
}

function adapterKey({ device, backend, resolved }: Measurement): string {
  const inBrowser = device.where === 'webview' || device.where === 'browser';
  const host = backend !== 'webgpu' ? backend : inBrowser ? 'browser' : 'Dawn';
  const { name, adapter, driver } = device;
  return JSON.stringify([name, adapter, driver, host, resolved?.problem.accumulator ?? null]);
}

function howText({ best, distinct }: AdapterCeilings, own: MeasuredCeilings): string {
  const rates = [...distinct.values()].flatMap(({ gflops }) => gflops ?? []);
  const spread =
    rates.length === 0
      ? t('best of {0} measurements', distinct.size)
      : t(
          'best of {0} measurements, {1} to {2} GFLOP/s',
          distinct.size,
          significant(Math.min(...rates)),
          significant(Math.max(...rates)),
        );
  const change = changeText(best, own);
  const mine = change === undefined ? '' : t('this run measured {0}', change);
  return [own.how, spread, mine].filter(part => part !== '').join('; ');
}
