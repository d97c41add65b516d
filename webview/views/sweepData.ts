/** Chart data of the size sweep. */
import { t } from '@vscode/l10n';
import { fittedRange } from '../../src/core/charts/roundAxis';
import type { XyData } from '../../src/core/charts/xyChart';
import type { MeasuredSize } from '../../src/core/search/sweep/measuredSizes';
import type { Axis, Sweep, SweepPoint } from '../../src/core/search/sweep/sweep';
import { formatNumber, formatPercent, formatRate } from '../format';

export type Quantity = 'rate' | 'efficiency';

export interface MeasuredPoint {
  readonly run: MeasuredSize;
  readonly point: SweepPoint;
}

export const axisName = (axis: Axis): string => (axis === 'mnk' ? 'm = n = k' : axis);

export const rounded = (fraction: number): string => formatPercent(Number(fraction.toPrecision(3)));

export const valueOf = (point: SweepPoint, quantity: Quantity): number =>
  quantity === 'rate' ? (point.predicted?.tflops ?? 0) : point.efficiency;

export interface SweepDataInput {
  readonly sweep: Sweep;
  readonly quantity: Quantity;
  readonly measured: readonly MeasuredPoint[];
}

/** Returns the chart data; null if there is no size to show. */
export function sweepData({ sweep, quantity, measured }: SweepDataInput): XyData | null {
  const { axis, current, points } = sweep;
  const stops = [...points, ...measured.map(({ point }) => point)];
  if (stops.length === 0) return null;
  const sizes = stops.map(({ size }) => size);
  const [first, last] = [Math.min(...sizes), Math.max(...sizes)];
  const runs = quantity === 'rate' ? measured.map(({ run }) => run) : [];
  const range = fittedRange([
    ...stops.map(stop => valueOf(stop, quantity)),
    ...runs.flatMap(({ tflops, interval = [tflops, tflops] }) => [tflops, ...interval]),
  ]);
  const [unit, factor] = range[1] >= 1 ? ['TFLOP/s', 1] : ['GFLOP/s', 1000];
  const isCurrent = current !== null && current.size >= first && current.size <= last;
  return {
    title: t('{0} over {1}', quantityName(quantity), axisName(axis)),
    x: { title: axisName(axis), range: [first, last], text: formatNumber },
    y:
      quantity === 'rate'
        ? {
            title: t('Rate ({0})', unit),
            range,
            text: value => formatNumber(Number((value * factor).toPrecision(3))),
          }
        : { title: quantityName(quantity), range, text: rounded },
    curves: [
      { role: 'curve', at: points.map(point => [point.size, valueOf(point, quantity)] as const) },
    ],
    verticals: isCurrent ? [{ role: 'current', x: current.size }] : [],
    points: [
      ...(isCurrent
        ? [
            {
              role: 'current',
              shape: 'dot',
              x: current.size,
              y: valueOf(current, quantity),
              label: t('current size'),
            } as const,
          ]
        : []),
      ...runs.map(run => ({
        role: 'measured' as const,
        shape: 'circle' as const,
        x: run.size,
        y: run.tflops,
        label: t('{0} measured', formatRate(run.tflops * 1000)),
        ...(run.interval === undefined ? {} : { interval: run.interval }),
      })),
    ],
  };
}

export const quantityName = (quantity: Quantity): string =>
  quantity === 'rate' ? t('Predicted rate') : t('Efficiency');
