/**
 * Chart of tuned schedules: measured over predicted rate, with error bars and one symbol per state.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import {
  SHOWN_STATES,
  type ShownCandidate,
  type ShownState,
} from '../../src/core/search/tune/shown';
import { formatNumber, formatRate } from '../format';
import { roundRange, roundTicks } from './roundAxis';

export const stateName = (state: ShownState): string =>
  ({
    best: t('fastest'),
    tied: t('tied'),
    racing: t('racing'),
    slower: t('slower'),
    waiting: t('waiting'),
    failed: t('failed'),
  })[state];

const SHAPES: Readonly<Record<ShownState, string>> = {
  best: 'M0 -7L2 -2.2L7 -2.2L3 1.2L4.4 6.2L0 3.2L-4.4 6.2L-3 1.2L-7 -2.2L-2 -2.2Z',
  tied: 'M0 -5.5L5.5 0L0 5.5L-5.5 0Z',
  racing: 'M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z',
  slower: 'M-3 -3L3 3M3 -3L-3 3',
  waiting: 'M0 -4L0 4',
  failed: 'M-4 -3.5L4 -3.5L0 3.5Z',
};

const Shape = ({ state }: { readonly state: ShownState }): VNode => (
  <path class={`state-${state}`} d={SHAPES[state]} />
);

export const errorText = (percent: number): string => `± ${t('{0} %', twoDigits(percent))}`;

export const twoDigits = (value: number): string => formatNumber(Number(value.toPrecision(2)));

export function candidateText({ specKey, state, predicted, time, why }: ShownCandidate): string {
  const words = [
    ...(time === null ? [] : [`${formatRate(time.tflops * 1000)} ${errorText(time.errorPercent)}`]),
    ...(predicted === null ? [] : [t('{0} predicted', formatRate(predicted * 1000))]),
    stateName(state),
    ...(why === undefined ? [] : [why]),
  ];
  return `${specKey}: ${words.join(', ')}`;
}

export function TuneChart({ candidates }: { candidates: readonly ShownCandidate[] }): VNode | null {
  const timed = candidates.flatMap(({ time }) => time ?? []);
  if (timed.length === 0) return null;
  const byModel = candidates.some(({ predicted }) => predicted !== null);
  const placed = candidates.flatMap((candidate, index) => {
    const at = byModel ? candidate.predicted : index + 1;
    return at === null ? [] : [{ candidate, at }];
  });
  const [low, high] = roundRange(
    timed.flatMap(({ tflops, errorPercent }) => {
      const error = (tflops * errorPercent) / 100;
      return [Math.max(0, tflops - error), tflops + error];
    }),
  );
  const [first, last] = roundRange(placed.map(({ at }) => at));
  const x = (value: number): string => `${(100 * (value - first)) / (last - first)}%`;
  const y = (value: number): string => `${100 - (100 * (value - low)) / (high - low)}%`;
  const [from, to] = [Math.max(low, first), Math.min(high, last)];
  // Draw the most important state last, so that no other symbol covers it.
  const drawn = placed.toSorted(
    (one, other) =>
      SHOWN_STATES.indexOf(other.candidate.state) - SHOWN_STATES.indexOf(one.candidate.state),
  );
  return (
    <figure class="tune-chart">
      <figcaption>
        {byModel
          ? t('Measured over predicted rate; the rates are equal on the diagonal line')
          : t('Measured rate in trial order; no predictions available')}
      </figcaption>
      <svg class="plot" width="100%" height="220" aria-hidden="true">
        {roundTicks(low, high, 5).map(value => (
          <g key={value}>
            <line class="grid" x1="0" x2="100%" y1={y(value)} y2={y(value)} />
            <text x="2" y={y(value)} dy={value === high ? '11' : '-3'}>
              {formatRate(value * 1000)}
            </text>
          </g>
        ))}
        {byModel && to > from ? (
          <line class="equal" x1={x(from)} y1={y(from)} x2={x(to)} y2={y(to)} />
        ) : null}
        {drawn.map(({ candidate, at }) => (
          <Point key={candidate.specKey} {...{ candidate, y }} x={x(at)} />
        ))}
      </svg>
      <svg class="ends" width="100%" height="14" aria-hidden="true">
        {roundTicks(first, last, 4).map((value, index, all) => (
          <text
            key={value}
            x={x(value)}
            y="11"
            text-anchor={index === 0 ? 'start' : index === all.length - 1 ? 'end' : 'middle'}
          >
            {byModel ? formatRate(value * 1000) : formatNumber(value)}
          </text>
        ))}
      </svg>
      <Legend candidates={candidates} unplaced={candidates.length - placed.length} />
    </figure>
  );
}

interface PointProps {
  readonly candidate: ShownCandidate;
  readonly x: string;
  readonly y: (tflops: number) => string;
}

/** A failed candidate, or a candidate without a time, is drawn on the axis. */
function Point({ candidate, x, y }: PointProps): VNode {
  const { state, time } = candidate;
  const error = time === null ? 0 : (time.tflops * time.errorPercent) / 100;
  return (
    <g>
      <title>{candidateText(candidate)}</title>
      {time === null ? null : (
        <line
          class={`error state-${state}`}
          {...{ x1: x, x2: x, y1: y(time.tflops - error), y2: y(time.tflops + error) }}
        />
      )}
      <svg x={x} y={time === null || state === 'failed' ? '100%' : y(time.tflops)}>
        <Shape state={state} />
      </svg>
    </g>
  );
}

interface LegendProps {
  readonly candidates: readonly ShownCandidate[];
  readonly unplaced: number;
}

const Legend = ({ candidates, unplaced }: LegendProps): VNode => (
  <>
    <ul class="legend">
      {SHOWN_STATES.map(state => {
        const count = candidates.filter(one => one.state === state).length;
        return count === 0 ? null : (
          <li key={state}>
            <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">
              <Shape state={state} />
            </svg>{' '}
            {stateName(state)} <span class="number">{formatNumber(count)}</span>
          </li>
        );
      })}
    </ul>
    {unplaced === 0 ? null : (
      <p class="hint">
        {t(
          '{0} schedules have no prediction and are listed only in the table.',
          formatNumber(unplaced),
        )}
      </p>
    )}
  </>
);
