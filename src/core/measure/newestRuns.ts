/**
 * Finds the newest run of a spec on each backend, and whether the kernel's text has changed since.
 */
import type { Measurement } from './measurement';

export interface NewestRun {
  readonly run: Measurement;
  /**
   * The run has another text of this spec: the file was edited, or the generator now emits another
   * text.
   */
  readonly stale: boolean;
}

/** Tests whether a run has this specKey; a hand-written kernel has none. */
export const isOfSpec =
  (specKey: string) =>
  (run: Measurement): boolean =>
    run.resolved !== null && run.specKey === specKey;

/**
 * Returns a run of the current text for each backend that has one, otherwise the newest run of
 * another text of the spec; newest last.
 * @param runs runs of one spec or one text, newest last
 * @param isPresent tests whether a hash belongs to a text that the spec generates now
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
