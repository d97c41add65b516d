/** Filter, groups and order of the runs in the Runs view. */
import type { Measurement } from '../../core/measure/measurement';
import { backendName, kernelName, machineText, outcomeText, problemText } from './runText';

export type GroupBy = 'problem' | 'machine';

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
  const nameOf = by === 'problem' ? problemText : machineText;
  const groups = new Map<string, T[]>();
  for (const run of runs.toReversed()) {
    const name = nameOf(run.measurement);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [run]);
    else group.push(run);
  }
  return [...groups].map(([name, members]) => ({ name, runs: members }));
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

const searchText = (run: Measurement): string =>
  [
    run.specKey,
    kernelName(run),
    problemText(run),
    machineText(run),
    backendName(run.backend),
    outcomeText(run.outcome),
    run.outcome,
    run.device.where,
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
