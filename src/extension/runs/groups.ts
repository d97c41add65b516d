/** Filter, groups and order of the runs in the Runs view. */
import { t } from '@vscode/l10n';
import { backendName } from '../../core/measure/backendName';
import type { Measurement, Series } from '../../core/measure/measurement';
import { commitText, hostOf, kernelName, machineText, outcomeText, problemText } from './runText';

export const GROUPS = ['problem', 'machine', 'author', 'commit'] as const;
export type GroupBy = (typeof GROUPS)[number];

export const MAX_RUNS = 5000;

export interface Group<T> {
  readonly name: string;
  /** Runs of the group, newest first. */
  readonly runs: readonly T[];
}

interface Kept {
  readonly measurement: Measurement;
}

/** Groups runs that are sorted newest last. The group with the newest run comes first. */
export function groupRuns<T extends Kept>(runs: readonly T[], by: GroupBy): readonly Group<T>[] {
  const nameOf = namesOf(runs, by);
  const groups = partition(runs.toReversed(), ({ measurement }) => nameOf(measurement));
  return [...groups].map(([name, members]) => ({ name, runs: members }));
}

/** Returns the function that names the group of a run. */
function namesOf(runs: readonly Kept[], by: GroupBy): (run: Measurement) => string {
  switch (by) {
    case 'problem':
      return problemText;
    case 'author':
      return ({ origin }) => origin?.author ?? t('Author not recorded');
    case 'commit':
      return run => commitText(run) ?? t('Commit not recorded');
    case 'machine': {
      const hosts = new Map<string, Set<string | undefined>>();
      for (const { measurement: run } of runs)
        hosts.set(run.device.name, (hosts.get(run.device.name) ?? new Set()).add(hostOf(run)));
      return run => machineText(run, (hosts.get(run.device.name)?.size ?? 0) > 1);
    }
  }
}

/**
 * Returns the runs whose searchable fields together contain every word of the filter; all runs for
 * an empty filter.
 */
export function filterRuns<T extends Kept>(runs: readonly T[], text: string): readonly T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return runs;
  return runs.filter(({ measurement }) => {
    const shown = searchText(measurement);
    return words.every(word => shown.includes(word));
  });
}

/**
 * Runs that share a row: a ladder, a tuning run, the failed runs of a group, or the runs of one
 * device if several devices were timed.
 */
export interface Fold<T> {
  readonly kind: Series['kind'] | 'failed' | 'device';
  /** Identifier of the fold; unique among the rows of its parent. */
  readonly id: string;
  /** Runs of the fold, newest first. */
  readonly runs: readonly T[];
}

export type Branch<T> = { readonly run: T } | { readonly fold: Fold<T> };

/**
 * Returns the rows of a group, by problem. Within a problem, the fastest row is first, and failed
 * runs are last. If several devices were timed, each has a row, because their rates do not compare
 * kernels.
 * @param runs runs of the group, newest first
 */
export function branchesOf<T extends Kept>(runs: readonly T[]): readonly Branch<T>[] {
  const problems = partition(runs, ({ measurement }) => problemText(measurement));
  return [...problems].flatMap(([problem, ofProblem]) => {
    const timed = ofProblem.filter(({ measurement: { timing } }) => timing !== undefined);
    const devices = partition(timed, ({ measurement: { device } }) => device.name);
    if (devices.size < 2) return deviceRows(problem, ofProblem);
    const folds = [...devices.keys()].map((id): Branch<T> => {
      const own = ofProblem.filter(({ measurement: { device } }) => device.name === id);
      return { fold: { kind: 'device', id: `${problem} ${id}`, runs: own } };
    });
    const others = ofProblem.filter(({ measurement: { device } }) => !devices.has(device.name));
    return [...folds, ...deviceRows(problem, others)];
  });
}

/** Returns the rows of one problem on one device. */
function deviceRows<T extends Kept>(
  problem: string,
  ofProblem: readonly T[],
): readonly Branch<T>[] {
  const parts = partition(ofProblem, ({ measurement: { series } }) => series?.id);
  const rows = [...parts].flatMap(([id, members]): readonly Branch<T>[] => {
    const kind = members[0]?.measurement.series?.kind;
    if (kind === undefined) return rowsOf(members, problem);
    return [{ fold: { kind, id: `${problem} ${id ?? ''}`, runs: members } }];
  });
  return fastestFirst(rows);
}

/**
 * Returns the rows of a fold: of a device and of a series as in a group, of failed runs newest
 * first.
 */
export function foldBranches<T extends Kept>({ kind, id, runs }: Fold<T>): readonly Branch<T>[] {
  if (kind === 'failed') return runs.map(run => ({ run }));
  return kind === 'device' ? deviceRows(id, runs) : fastestFirst(rowsOf(runs, id));
}

/** Returns one row per run. Two or more failed runs share one row. */
function rowsOf<T extends Kept>(runs: readonly T[], id: string): readonly Branch<T>[] {
  const failed = runs.filter(({ measurement: { outcome } }) => outcome !== 'correct');
  if (failed.length < 2) return runs.map(run => ({ run }));
  const passed = runs.filter(({ measurement: { outcome } }) => outcome === 'correct');
  return [...passed.map(run => ({ run })), { fold: { kind: 'failed', id, runs: failed } }];
}

const fastestFirst = <T extends Kept>(rows: readonly Branch<T>[]): readonly Branch<T>[] =>
  rows.toSorted((one, other) => rankOf(other) - rankOf(one));

/** Returns the best rate of a row; 0 for verified runs without a rate, -1 for failed runs. */
const rankOf = <T extends Kept>(row: Branch<T>): number =>
  Math.max(
    ...('run' in row ? [row.run] : row.fold.runs).map(({ measurement: { outcome, timing } }) =>
      outcome === 'correct' ? (timing?.gflops ?? 0) : -1,
    ),
  );

/** Returns the fastest run of a fold; undefined if no run of it was timed. */
export const fastestOf = <T extends Kept>({ runs }: Fold<T>): T | undefined =>
  runs
    .filter(({ measurement: { timing } }) => timing !== undefined)
    .toSorted(
      (one, other) =>
        (other.measurement.timing?.gflops ?? 0) - (one.measurement.timing?.gflops ?? 0),
    )[0];

function partition<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const parts = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [value]);
    else part.push(value);
  }
  return parts;
}

const searchText = (run: Measurement): string =>
  [
    run.specKey,
    kernelName(run),
    problemText(run),
    machineText(run, true),
    run.origin?.author ?? '',
    run.origin?.commit ?? '',
    backendName(run.backend),
    outcomeText(run.outcome),
    run.outcome,
    run.device.where,
    run.series?.kind ?? '',
    run.message ?? '',
  ]
    .join('\n')
    .toLowerCase();

/** Returns the newest matching runs, at most `most`, and the number of matching runs. */
export function shownRuns<T extends Kept>(
  runs: readonly T[],
  filter: string,
  most = MAX_RUNS,
): { readonly runs: readonly T[]; readonly matching: number } {
  const matching = filterRuns(runs, filter);
  return { runs: matching.slice(-most), matching: matching.length };
}
