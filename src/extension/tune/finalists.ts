/** Runs of a tuning run that the history keeps. */
import type { Measurement } from '../../core/measure/measurement';
import type { TuneSummary } from '../../core/search/tune/events';

/**
 * Returns the finalists that this search measured, as runs of one series. The other measurements
 * used shorter timings and stay in the journal.
 * @param measured last measurement of each spec key
 */
export const finalistRuns = (
  { ties, others }: Pick<TuneSummary, 'ties' | 'others'>,
  measured: ReadonlyMap<string, Measurement>,
  id: string,
): readonly Measurement[] =>
  [...ties, ...others].flatMap(({ specKey }) => {
    const run = measured.get(specKey);
    return run === undefined ? [] : [{ ...run, series: { kind: 'tune', id } as const }];
  });
