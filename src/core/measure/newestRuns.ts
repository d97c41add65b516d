/** The newest run of a spec on each backend, and whether the kernel's text is still the one that ran. */
import type { Measurement } from './measurement';

export interface NewestRun {
  readonly run: Measurement;
  /** The run is of another text of this spec: the file was edited, or the generator writes another text now. */
  readonly stale: boolean;
}

/** Whether a run is of the spec with this key; a hand-written kernel has none. */
export const isOfSpec =
  (specKey: string) =>
  (run: Measurement): boolean =>
    run.resolved !== null && run.specKey === specKey;

/**
 * A run of the present text for each backend that has one, else the newest run of another text of the spec; the newest last.
 * @param runs of one spec or one text, newest last
 * @param isPresent whether a hash is that of a text that the spec gives now
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
