/**
 * Step curves of occupancy over threads, registers and shared memory, with pointer and arrow-key
 * readout.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Chart } from '../../src/core/charts/chart';
import { captioned } from '../../src/core/charts/chartCaption';
import { occupancyChart } from '../../src/core/charts/occupancyChart';
import {
  stepOf,
  type CurveStep,
  type OccupancyCurve,
} from '../../src/core/occupancy/occupancyCurves';
import { formatBytes, formatNumber, formatPercent } from '../format';
import { svgOf } from '../picture';
import { useStaticPage } from '../staticPage';
import { Disclosure } from './disclosure';
import { Table } from './figure';
import { curveName } from './curveName';
import { FoldedSave } from './savePicture';

export interface CurvesProps {
  readonly curves: readonly OccupancyCurve[];
  /** Lines below the title of the saved picture: kernel and machine. */
  readonly lines: readonly string[];
}

const picture = (curves: readonly OccupancyCurve[], lines: readonly string[]): Chart => {
  const chart = occupancyChart(curves);
  return captioned(chart, {
    title: chart.title,
    lines,
    legend: [
      { role: 'curve', text: t('occupancy') },
      { role: 'current', shape: 'circle', text: t('this kernel') },
    ],
  });
};

export const Curves = ({ curves, lines }: CurvesProps): VNode => (
  <>
    <div class="curves">
      {curves.map(curve => (
        <Curve key={curve.parameter} curve={curve} />
      ))}
    </div>
    {curves.length === 0 ? null : (
      <FoldedSave picture={{ name: 'occupancy', svg: svgOf(() => picture(curves, lines)) }} />
    )}
    <Disclosure summary={t('Curves as tables')} repeats>
      {() =>
        curves.map(curve => (
          <Table
            key={curve.parameter}
            caption={curveName(curve.parameter)}
            captionShown
            columns={[t('value'), t('blocks/SM'), t('warps'), t('occupancy')]}
            numeric={[0, 1, 2, 3]}
            rows={curve.steps.map(step => [
              rangeText(curve, step),
              step.blocksPerSm,
              step.activeWarps,
              formatPercent(step.occupancy),
            ])}
          />
        ))
      }
    </Disclosure>
  </>
);

const amount = ({ parameter }: OccupancyCurve, value: number): string =>
  parameter === 'sharedBytesPerBlock' ? formatBytes(value) : formatNumber(value);

const rangeText = (curve: OccupancyCurve, { from, to }: CurveStep): string =>
  from === to ? amount(curve, from) : t('{0} to {1}', amount(curve, from), amount(curve, to));

const stepText = (curve: OccupancyCurve, step: CurveStep): string =>
  t(
    '{0}: {1} blocks/SM, {2} warps, {3} occupancy',
    rangeText(curve, step),
    step.blocksPerSm,
    step.activeWarps,
    formatPercent(step.occupancy),
  );

function currentText(curve: OccupancyCurve, step: CurveStep): string {
  const { current, allocated, reserved } = curve;
  const [requested, allocatedText] = [amount(curve, current), amount(curve, allocated)];
  const reached = formatPercent(step.occupancy);
  if (reserved > 0) {
    return t('{0}, {1} with driver reserve: {2}', requested, allocatedText, reached);
  }
  return current === allocated
    ? `${requested}: ${reached}`
    : t('{0}, allocated as {1}: {2}', requested, allocatedText, reached);
}

function Curve({ curve }: { readonly curve: OccupancyCurve }): VNode | null {
  const { steps, current, parameter } = curve;
  const isStatic = useStaticPage();
  const [cursor, setCursor] = useState<number | null>(null);
  const own = stepOf(curve, current);
  const last = steps.at(-1);
  if (own === undefined || last === undefined) return null;
  const index = cursor === null ? steps.indexOf(own) : Math.min(cursor, steps.length - 1);
  const shown = steps[index] ?? own;
  const name = curveName(parameter);
  const readout = cursor === null ? currentText(curve, own) : stepText(curve, shown);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      Home: 0,
      End: steps.length - 1,
    }[event.key];
    if (event.key === 'Escape') setCursor(null);
    if (to === undefined) return;
    event.preventDefault();
    setCursor(Math.max(0, Math.min(steps.length - 1, to)));
  };
  const onPointerMove = (event: PointerEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const value = ((event.clientX - left) / Math.max(1, width)) * last.to;
    const found = stepOf(curve, value);
    setCursor(found === undefined ? null : steps.indexOf(found));
  };
  const forget = () => {
    setCursor(null);
  };
  const at = (value: number): string => `${(100 * Math.min(value, last.to)) / last.to}%`;
  const height = (part: number): string => `${100 - 100 * part}%`;
  return (
    <figure class="curve">
      <figcaption>{name}</figcaption>
      <div
        class="plot"
        {...(isStatic
          ? { role: 'img', 'aria-label': `${name}. ${readout}` }
          : {
              role: 'slider',
              tabIndex: 0,
              'aria-label': t('Occupancy over {0}; inspect with arrow keys', name),
              'aria-valuemin': 0,
              'aria-valuemax': steps.length - 1,
              'aria-valuenow': index,
              'aria-valuetext': readout,
              onKeyDown,
              onPointerMove,
              onPointerLeave: forget,
              onBlur: forget,
            })}
      >
        <svg width="100%" height="100%" aria-hidden="true">
          {[0.25, 0.5, 0.75].map(part => (
            <line class="grid" x1="0" x2="100%" y1={height(part)} y2={height(part)} />
          ))}
          <text x="100%" y="10" text-anchor="end">
            100 %
          </text>
          {cursor === null ? null : (
            <rect
              class="cursor"
              x={at(shown.from)}
              width={`${(100 * (shown.to - shown.from + 1)) / last.to}%`}
              height="100%"
            />
          )}
          <svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none">
            <path class="step" d={pathOf(curve, last.to)} />
          </svg>
          <line
            class="now"
            x1={at(current)}
            x2={at(current)}
            y1={height(own.occupancy)}
            y2="100%"
          />
          <circle class="now" cx={at(current)} cy={height(own.occupancy)} r="4" />
        </svg>
      </div>
      <p class="ends" aria-hidden="true">
        <span>0</span>
        <span>{amount(curve, last.to)}</span>
      </p>
      <p class="readout">{readout}</p>
    </figure>
  );
}

/** Returns an SVG path in a 100 x 100 box. Values that do not fit an SM have occupancy 0. */
function pathOf({ steps }: OccupancyCurve, most: number): string {
  const x = (value: number): number => (100 * value) / most;
  return steps
    .map(({ from, to, occupancy }, index) => {
      const y = 100 - 100 * occupancy;
      const start = x(index === 0 ? 0 : from - 1);
      return `${index === 0 ? 'M' : 'L'}${start} ${y} L${x(to)} ${y}`;
    })
    .join(' ');
}
