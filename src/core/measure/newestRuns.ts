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
 * over newer runs of other sources.
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
    if (stale && newest.get(run.backend)?.stale === false) continue;
    newest.set(run.backend, { run, stale, index });
  }
  return [...newest.values()]
    .toSorted((one, other) => one.index - other.index)
    .map(({ run, stale }) => ({ run, stale }));
}
