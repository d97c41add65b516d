/**
 * Selects one run of a spec on each backend, and determines whether the kernel source has changed
 * since that run.
 */
import type { Measurement } from './measurement';

export interface NewestRun {
  readonly run: Measurement;
  /**
   * Whether the run's kernel source is unknown or differs from the source that the spec or file has
   * now.
   */
  readonly stale: boolean;
}

/** Returns a test for runs with this specKey. Runs of hand-written kernels never match. */
export const isOfSpec =
  (specKey: string) =>
  (run: Measurement): boolean =>
    run.resolved !== null && run.specKey === specKey;

/**
 * Returns one run per backend, newest last. A run of the current kernel source takes precedence
 * over newer runs of other sources. A timed run takes precedence over newer runs that only verified
 * the same source again.
 * @param runs runs of one spec or one source, newest last
 * @param isPresent tests whether a hash belongs to source that the spec currently generates
 */
export function newestRuns(
  runs: readonly Measurement[],
  isPresent: (sourceHash: string) => boolean,
): readonly NewestRun[] {
  const newest = new Map<Measurement['backend'], NewestRun & { readonly index: number }>();
  for (const [index, run] of runs.entries()) {
    const stale = run.sourceHash === undefined || !isPresent(run.sourceHash);
    const known = newest.get(run.backend);
    if (stale && known?.stale === false) continue;
    if (known !== undefined && onlyVerifies(run, known.run)) continue;
    newest.set(run.backend, { run, stale, index });
  }
  return [...newest.values()]
    .toSorted((one, other) => one.index - other.index)
    .map(({ run, stale }) => ({ run, stale }));
}

const onlyVerifies = (run: Measurement, before: Measurement): boolean =>
  run.outcome === 'correct' &&
  run.timing === undefined &&
  before.timing !== undefined &&
  run.sourceHash === before.sourceHash;

/**
 * Returns the run that represents a kernel everywhere in the editor: the newest run if it failed,
 * otherwise the newest timed run, otherwise the newest run.
 * @param newest one run per backend, newest last
 */
export function shownRun(newest: readonly NewestRun[]): Measurement | undefined {
  const last = newest.at(-1)?.run;
  if (last?.outcome !== 'correct') return last;
  return newest.findLast(({ run }) => run.timing !== undefined)?.run ?? last;
}
