/**
 * Size-sweep chart: the curve, the current size and measured points. Pointer and keys inspect and
 * set sizes.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { balanceText } from '../../src/core/occupancy/waves';
import type { MeasuredSize } from '../../src/core/search/sweep/measuredSizes';
import type { Axis, SweepPoint } from '../../src/core/search/sweep/sweep';
import { formatNumber, formatRate } from '../format';
import {
  axisName,
  quantityName,
  rounded,
  sweepData,
  valueOf,
  type SweepDataInput,
} from './sweepData';
import { valueAtPointer, XyPlot } from './xyPlot';

export interface SizeSweepProps extends SweepDataInput {
  readonly onSet: (point: SweepPoint) => void;
}

const HEIGHT = 220;

export const wavesText = (waves: number): string =>
  waves === 1 ? t('1 wave') : t('{0} waves', formatNumber(waves));

export function pointText(axis: Axis, point: SweepPoint, run?: MeasuredSize): string {
  const { size, tiles, waves, tailBlocks, balance, paddingFlopFraction, predicted } = point;
  const counts = t(
    '{0} = {1}: {2} blocks, {3}, {4} in the last wave; load balance {5}, padding {6}.',
    axisName(axis),
    formatNumber(size),
    formatNumber(tiles),
    wavesText(waves),
    formatNumber(tailBlocks),
    balanceText(balance),
    rounded(paddingFlopFraction),
  );
  const rate = predicted === null ? '' : t('{0} predicted.', formatRate(predicted.tflops * 1000));
  const made = run === undefined ? '' : t('{0} measured.', formatRate(run.tflops * 1000));
  return [counts, rate, made].filter(text => text !== '').join(' ');
}

export function SizeSweepChart(props: SizeSweepProps): VNode | null {
  const { sweep, quantity, measured, onSet } = props;
  const { axis, current } = sweep;
  const [cursor, setCursor] = useState<number | null>(null);
  const data = useMemo(() => sweepData({ sweep, quantity, measured }), [sweep, quantity, measured]);
  const runAt = (size: number) => measured.find(({ point }) => point.size === size)?.run;
  // The cursor also stops at measured sizes; the curve has only sizes of equal alignment.
  const stops = [...sweep.points, ...measured.map(({ point }) => point)]
    .filter((point, index, all) => all.findIndex(({ size }) => size === point.size) === index)
    .sort((one, other) => one.size - other.size);
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined || data === null) return null;
  const home = Math.max(
    0,
    stops.findIndex(({ size }) => size >= (current?.size ?? first.size)),
  );
  const index = cursor === null ? home : Math.min(cursor, stops.length - 1);
  const shown = stops[index] ?? first;
  const readout = pointText(axis, shown, runAt(shown.size));
  const forget = () => {
    setCursor(null);
  };
  const set = (point: SweepPoint) => {
    forget();
    onSet(point);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') setCursor(null);
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      set(shown);
      return;
    }
    const to = {
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      PageUp: index + 10,
      PageDown: index - 10,
      Home: 0,
      End: stops.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setCursor(Math.max(0, Math.min(stops.length - 1, to)));
  };
  const nearest = (event: MouseEvent & { readonly currentTarget: Element }): number => {
    const size = valueAtPointer(event, data);
    const off = (stop: SweepPoint | undefined): number => Math.abs((stop?.size ?? Infinity) - size);
    return stops.reduce((best, stop, i) => (off(stop) < off(stops[best]) ? i : best), 0);
  };
  const name = quantityName(quantity);
  return (
    <figure class="saw">
      <figcaption>{t('{0} over {1}', name, axisName(axis))}</figcaption>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={t(
          '{0} over {1}; inspect with arrow keys, Enter sets the size',
          name,
          axisName(axis),
        )}
        aria-valuemin={first.size}
        aria-valuemax={last.size}
        aria-valuenow={shown.size}
        aria-valuetext={readout}
        onKeyDown={onKeyDown}
        onPointerMove={event => {
          setCursor(nearest(event));
        }}
        onClick={event => {
          const stop = stops[nearest(event)];
          if (stop !== undefined) set(stop);
        }}
        onPointerLeave={forget}
        onBlur={forget}
      >
        <XyPlot
          data={data}
          height={HEIGHT}
          overlay={({ x, y, top, bottom }) => {
            if (cursor === null) return null;
            const at = x(shown.size);
            return (
              <>
                <line class="cursor" x1={at} x2={at} y1={top} y2={bottom} />
                <circle class="cursor" r="3.5" cx={at} cy={y(valueOf(shown, quantity))} />
              </>
            );
          }}
        />
      </div>
      <p class="readout">{readout}</p>
    </figure>
  );
}
