/**
 * Chart of tuned schedules: measured over predicted rate, with error bars and one symbol per state.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Chart } from '../../src/core/charts/chart';
import { captioned } from '../../src/core/charts/chartCaption';
import { xyChart, type XyData } from '../../src/core/charts/xyChart';
import {
  SHOWN_STATES,
  type ShownCandidate,
  type ShownState,
  type ShownTune,
} from '../../src/core/search/tune/shown';
import { formatNumber, formatRate } from '../format';
import { svgOf } from '../picture';
import { MarkShape } from './rooflineMark';
import { FoldedSave } from './savePicture';
import { isByModel, STATE_SHAPES, tuneData } from './tuneData';
import { XyPlot } from './xyPlot';

export const stateName = (state: ShownState): string =>
  ({
    best: t('fastest'),
    tied: t('tied'),
    racing: t('racing'),
    slower: t('slower'),
    waiting: t('waiting'),
    failed: t('failed'),
  })[state];

const Shape = ({ state }: { readonly state: ShownState }): VNode => (
  <MarkShape
    mark={{ kind: 'point', x: 8, y: 8, role: state, shape: STATE_SHAPES[state], label: '' }}
  />
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

const HEIGHT = 260;

export function TuneChart({ tune }: { readonly tune: ShownTune }): VNode | null {
  const { candidates } = tune;
  const data = useMemo(() => tuneData(candidates, candidateText), [candidates]);
  if (data === null) return null;
  return (
    <figure class="tune-chart">
      <figcaption>
        {isByModel(candidates)
          ? t('Measured over predicted rate; the rates are equal on the diagonal line')
          : t('Measured rate in trial order; no predictions available')}
      </figcaption>
      <XyPlot data={data} height={HEIGHT} />
      <Legend candidates={candidates} unplaced={candidates.length - data.points.length} />
      <FoldedSave picture={{ name: 'tuning', svg: svgOf(() => picture(data, tune)) }} />
    </figure>
  );
}

/** Size in pixels of a saved chart. */
const SAVED = { width: 800, height: 450 };

const picture = (data: XyData, { of, candidates }: ShownTune): Chart =>
  captioned(xyChart(data, SAVED), {
    title: data.title,
    lines: [of, t('{0} schedules; bars are error bounds of the rates', candidates.length)],
    legend: [
      ...SHOWN_STATES.filter(state => candidates.some(one => one.state === state)).map(state => ({
        role: state,
        shape: STATE_SHAPES[state],
        text: stateName(state),
      })),
      ...(data.curves.length === 0 ? [] : [{ role: 'equal', text: t('equal rates') } as const]),
    ],
  });

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
            <svg width="16" height="16" aria-hidden="true">
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
