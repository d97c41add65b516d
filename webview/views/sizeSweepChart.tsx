/**
 * Size-sweep chart: the curve, the current size and measured points. Pointer and keys inspect and
 * set sizes.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { balanceText } from '../../src/core/occupancy/waves';
import type { MeasuredSize } from '../../src/core/search/sweep/measuredSizes';
import type { Axis, Sweep, SweepPoint } from '../../src/core/search/sweep/sweep';
import { formatNumber, formatPercent, formatRate } from '../format';
import { roundRange, roundTicks } from './roundAxis';

export type Quantity = 'rate' | 'efficiency';

export interface SizeSweepProps {
  readonly sweep: Sweep;
  readonly quantity: Quantity;
  readonly measured: readonly MeasuredPoint[];
  readonly onSet: (point: SweepPoint) => void;
}

export interface MeasuredPoint {
  readonly run: MeasuredSize;
  readonly point: SweepPoint;
}

export const axisName = (axis: Axis): string => (axis === 'mnk' ? 'm = n = k' : axis);

export const rounded = (fraction: number): string => formatPercent(Number(fraction.toPrecision(3)));

const valueOf = (point: SweepPoint, quantity: Quantity): number =>
  quantity === 'rate' ? (point.predicted?.tflops ?? 0) : point.efficiency;

const valueText = (value: number, quantity: Quantity): string =>
  quantity === 'rate' ? formatRate(value * 1000) : rounded(value);

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

export function SizeSweepChart({ sweep, quantity, measured, onSet }: SizeSweepProps): VNode | null {
  const { axis, current } = sweep;
  const [cursor, setCursor] = useState<number | null>(null);
  const runAt = (size: number) => measured.find(({ point }) => point.size === size)?.run;
  // The cursor also stops at measured sizes; the curve has only sizes of equal alignment.
  const stops = [...sweep.points, ...measured.map(({ point }) => point)]
    .filter((point, index, all) => all.findIndex(({ size }) => size === point.size) === index)
    .sort((one, other) => one.size - other.size);
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined) return null;
  const now =
    current !== null && current.size >= first.size && current.size <= last.size ? current : null;
  const home = Math.max(
    0,
    stops.findIndex(({ size }) => size >= (current?.size ?? first.size)),
  );
  const index = cursor === null ? home : Math.min(cursor, stops.length - 1);
  const shown = stops[index] ?? first;
  const readout = pointText(axis, shown, runAt(shown.size));
  const rates = quantity === 'rate' ? measured.map(({ run }) => run.tflops) : [];
  const [bottom, top] = roundRange([...stops.map(stop => valueOf(stop, quantity)), ...rates]);
  const x = (size: number): number =>
    (100 * (size - first.size)) / Math.max(1, last.size - first.size);
  const y = (value: number): number => 100 - (100 * (value - bottom)) / (top - bottom);
  const at = (value: number): string => `${value}%`;
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
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const size =
      first.size + ((event.clientX - left) / Math.max(1, width)) * (last.size - first.size);
    const off = (stop: SweepPoint | undefined): number => Math.abs((stop?.size ?? Infinity) - size);
    return stops.reduce((best, stop, i) => (off(stop) < off(stops[best]) ? i : best), 0);
  };
  const name = quantity === 'rate' ? t('Predicted rate') : t('Efficiency');
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
        <svg width="100%" height="100%" aria-hidden="true">
          {roundTicks(bottom, top, 4).map(value => (
            <g key={value}>
              <line class="grid" x1="0" x2="100%" y1={at(y(value))} y2={at(y(value))} />
              <text x="2" y={at(y(value))} dy={y(value) < 8 ? '11' : '-3'}>
                {valueText(value, quantity)}
              </text>
            </g>
          ))}
          <svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none">
            <path
              class="sweep-line"
              d={sweep.points
                .map(
                  (point, i) =>
                    `${i === 0 ? 'M' : 'L'}${x(point.size)} ${y(valueOf(point, quantity))}`,
                )
                .join(' ')}
            />
          </svg>
          {now === null ? null : (
            <>
              <line class="now" x1={at(x(now.size))} x2={at(x(now.size))} y1="0" y2="100%" />
              <circle class="now" r="4" cx={at(x(now.size))} cy={at(y(valueOf(now, quantity)))} />
            </>
          )}
          {quantity === 'efficiency'
            ? null
            : measured.map(({ run }) => (
                <svg key={run.size} class="measured" x={at(x(run.size))} y={at(y(run.tflops))}>
                  <path d="M0 -5L5 0L0 5L-5 0Z" />
                </svg>
              ))}
          {cursor === null ? null : (
            <>
              <line class="cursor" x1={at(x(shown.size))} x2={at(x(shown.size))} y1="0" y2="100%" />
              <circle
                class="cursor"
                r="3.5"
                cx={at(x(shown.size))}
                cy={at(y(valueOf(shown, quantity)))}
              />
            </>
          )}
        </svg>
      </div>
      <svg class="ends" width="100%" height="14" aria-hidden="true">
        {roundTicks(first.size, last.size, 4).map(size => (
          <text
            key={size}
            x={at(x(size))}
            y="11"
            text-anchor={x(size) < 6 ? 'start' : x(size) > 94 ? 'end' : 'middle'}
          >
            {formatNumber(size)}
          </text>
        ))}
      </svg>
      <p class="readout">{readout}</p>
    </figure>
  );
}
