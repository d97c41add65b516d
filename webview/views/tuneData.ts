/** Chart data of a tuning run: measured rate over predicted rate. */
import { t } from '@vscode/l10n';
import { fittedRange } from '../../src/core/charts/roundAxis';
import type { PointMark } from '../../src/core/charts/chart';
import type { XyData } from '../../src/core/charts/xyChart';
import {
  SHOWN_STATES,
  type ShownCandidate,
  type ShownState,
} from '../../src/core/search/tune/shown';
import { formatNumber } from '../format';

export const STATE_SHAPES: Readonly<Record<ShownState, PointMark['shape']>> = {
  best: 'star',
  tied: 'diamond',
  racing: 'circle',
  slower: 'cross',
  waiting: 'tick',
  failed: 'triangle',
};

/** Returns whether the chart places the candidates by their predicted rate. */
export const isByModel = (candidates: readonly ShownCandidate[]): boolean =>
  candidates.some(({ predicted }) => predicted !== null);

/** Returns the chart data; null if no candidate was timed. */
export function tuneData(
  candidates: readonly ShownCandidate[],
  labelOf: (candidate: ShownCandidate) => string,
): XyData | null {
  const timed = candidates.flatMap(({ time }) => time ?? []);
  if (timed.length === 0) return null;
  const byModel = isByModel(candidates);
  const placed = candidates.flatMap((candidate, index) => {
    const at = byModel ? candidate.predicted : index + 1;
    return at === null ? [] : [{ candidate, at }];
  });
  const range = fittedRange(timed.flatMap(time => intervalOf(time)));
  const across = fittedRange(placed.map(({ at }) => at));
  const largest = Math.max(range[1], byModel ? across[1] : 0);
  const [unit, factor] = largest >= 1 ? ['TFLOP/s', 1] : ['GFLOP/s', 1000];
  const rateText = (value: number): string => formatNumber(Number((value * factor).toPrecision(3)));
  const [from, to] = [Math.max(range[0], across[0]), Math.min(range[1], across[1])];
  // Draw the most important state last, so that no other symbol covers it.
  const drawn = placed.toSorted(
    (one, other) =>
      SHOWN_STATES.indexOf(other.candidate.state) - SHOWN_STATES.indexOf(one.candidate.state),
  );
  return {
    title: byModel ? t('Measured over predicted rate') : t('Measured rate in trial order'),
    x: byModel
      ? { title: t('Predicted rate ({0})', unit), range: across, text: rateText }
      : { title: t('Trial'), range: across, text: formatNumber },
    y: { title: t('Measured rate ({0})', unit), range, text: rateText },
    curves:
      byModel && to > from
        ? [
            {
              role: 'equal',
              at: [
                [from, from],
                [to, to],
              ],
            },
          ]
        : [],
    verticals: [],
    points: drawn.map(({ candidate, at }) => {
      const { state, time } = candidate;
      const value = time === null || state === 'failed' ? null : time;
      return {
        role: state,
        shape: STATE_SHAPES[state],
        x: at,
        y: value?.tflops ?? null,
        label: labelOf(candidate),
        ...(value === null ? {} : { interval: intervalOf(value) }),
      };
    }),
  };
}

function intervalOf({
  tflops,
  errorPercent,
}: NonNullable<ShownCandidate['time']>): readonly [number, number] {
  const error = (tflops * errorPercent) / 100;
  return [Math.max(0, tflops - error), tflops + error];
}
