/**
 * Charts with two linear axes: curves, points with intervals, and marked positions. Tick labels and
 * axis titles are outside of the plot.
 */
import { lineMark, type Chart, type Mark, type PointMark, type Role, type Size } from './chart';
import { roundTicks } from './roundAxis';
import { textWidth } from './textBox';

export type Place = readonly [x: number, y: number];

export interface XyAxis {
  /** Name and unit. */
  readonly title: string;
  readonly range: readonly [from: number, to: number];
  readonly text: (value: number) => string;
}

export interface XyCurve {
  readonly role: Role;
  readonly at: readonly Place[];
}

export interface XyPoint {
  readonly role: Role;
  readonly shape: PointMark['shape'];
  readonly x: number;
  /** Null for a point without a value, which is drawn at the bottom. */
  readonly y: number | null;
  readonly interval?: readonly [low: number, high: number];
  readonly label: string;
}

export interface XyData {
  readonly title: string;
  readonly x: XyAxis;
  readonly y: XyAxis;
  readonly curves: readonly XyCurve[];
  /** The last point is drawn on top. */
  readonly points: readonly XyPoint[];
  /** Marked x positions. */
  readonly verticals: readonly { readonly role: Role; readonly x: number }[];
}

export interface XyScales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const TOP = 24;
const BOTTOM = 40;
/** Distance in pixels between the frame and the ends of the ranges, so points fit in the plot. */
const INSET = 8;
const MIN_TICK_DISTANCE = 32;

const yTicks = ({ y: { range } }: XyData, height: number): readonly number[] =>
  roundTicks(...range, Math.max(2, Math.min(6, Math.floor(height / MIN_TICK_DISTANCE))));

function xTicks({ x: { range, text } }: XyData, width: number): readonly number[] {
  const fits = (ticks: readonly number[]): boolean =>
    ticks.length < 2 ||
    Math.max(...ticks.map(tick => textWidth(text(tick)))) + 16 <=
      ((ticks[1] ?? 0) - (ticks[0] ?? 0)) * (width / (range[1] - range[0]));
  return (
    [8, 6, 5, 4, 3, 2].map(most => roundTicks(...range, most)).find(fits) ??
    roundTicks(...range, 1).slice(0, 1)
  );
}

/** Returns the scales of a chart; the left margin fits the tick labels. */
export function xyScales(data: XyData, { width, height }: Size): XyScales {
  const [bottom, right] = [height - BOTTOM, width - 12];
  const labels = yTicks(data, bottom - TOP).map(value => textWidth(data.y.text(value)));
  const left = 12 + Math.max(12, ...labels);
  const along = (value: number, [from, to]: XyAxis['range'], start: number, end: number): number =>
    to > from ? start + ((value - from) / (to - from)) * (end - start) : (start + end) / 2;
  return {
    left,
    right,
    top: TOP,
    bottom,
    x: value => along(value, data.x.range, left + INSET, right - INSET),
    y: value => along(value, data.y.range, bottom - INSET, TOP + INSET),
  };
}

export function xyChart(data: XyData, size: Size): Chart {
  const scales = xyScales(data, size);
  const { x, y, left, right, top, bottom } = scales;
  const rows = yTicks(data, bottom - top).flatMap((value): readonly Mark[] => [
    lineMark(left, y(value), right, y(value), 'grid'),
    tick(left - 6, y(value) + 4, data.y.text(value), 'end'),
  ]);
  const columns = xTicks(data, right - left).flatMap((value): readonly Mark[] => {
    const text = data.x.text(value);
    const half = textWidth(text) / 2;
    const at = Math.min(size.width - half, Math.max(half, x(value)));
    return [
      lineMark(x(value), bottom, x(value), bottom + 4, 'axis'),
      tick(at, bottom + 16, text, 'middle'),
    ];
  });
  return {
    ...size,
    title: data.title,
    marks: [
      ...rows,
      ...columns,
      lineMark(left, bottom, right, bottom, 'axis'),
      lineMark(left, top, left, bottom, 'axis'),
      { ...tick(2, 12, data.y.title, 'start'), role: 'label' },
      { ...tick((left + right) / 2, size.height - 6, data.x.title, 'middle'), role: 'label' },
      ...data.verticals.map(({ x: at, role }) => lineMark(x(at), top, x(at), bottom, role)),
      ...data.curves.map(({ at, role }): Mark => ({
        kind: 'path',
        role,
        at: at.map(([px, py]) => [x(px), y(py)] as const),
      })),
      ...data.points.flatMap(point => pointMarks(point, scales)),
    ],
  };
}

const tick = (x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end') =>
  ({ kind: 'text', x, y, text, anchor, role: 'tick' }) as const;

function pointMarks(point: XyPoint, { x, y, bottom }: XyScales): readonly Mark[] {
  const { role, shape, label, interval } = point;
  const at = x(point.x);
  return [
    ...(interval === undefined
      ? []
      : [
          {
            kind: 'line',
            x1: at,
            x2: at,
            y1: y(interval[0]),
            y2: y(interval[1]),
            role: 'interval',
          } as const,
        ]),
    {
      kind: 'point',
      x: at,
      y: point.y === null ? bottom - INSET : y(point.y),
      shape,
      role,
      label,
    },
  ];
}
