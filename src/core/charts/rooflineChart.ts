/**
 * Computes the geometry of a log-log roofline: ceilings, points, earlier runs, and labels that do
 * not overlap.
 */
import { backendName } from '../measure/backendName';
import { scheduleName } from '../plan/specKey';
import type { Ceiling, Roofline, RooflinePoint } from '../roofline/contract';
import { columnLabels, columnWidth, lineLabels, type CeilingLine } from './ceilingLabels';
import type { Chart, Mark, PointMark, Role, Size } from './chart';
import { placeLabels, placesAround, placesBeside, type LabelRequest } from './chartLabels';
import { inWindow, scalesOf, type ChartWindow, type Frame, type Scales } from './chartScales';
import { axes, rate, unitOf, wholeWindow, type DrawnCeiling, type Unit } from './rooflineAxes';
import { gapOf } from './rooflineGap';
import { pointLegend, SHAPES, type LegendEntry } from './rooflineLegend';
import type { TrailRun } from './rooflineTrail';
import { readable } from '../text/digits';

export interface RooflineChartOptions {
  /** Visible window. Default: the window that shows all data. */
  readonly window?: ChartWindow;
  /** Earlier runs, newest last. */
  readonly trail?: readonly TrailRun[];
  readonly compact?: boolean;
  /** Labels of the points. Default: numbers, which the legend explains. */
  readonly pointLabels?: 'numbers' | 'names' | 'none';
  readonly roofs?: readonly DrawnCeiling[];
}

const MARGIN: Frame = { left: 64, right: 16, top: 20, bottom: 44 };
const COMPACT_MARGIN: Frame = { left: 40, right: 8, top: 18, bottom: 20 };

interface Context {
  readonly roofline: Roofline;
  /** Ceilings that clip other ceilings. */
  readonly ceilings: readonly Ceiling[];
  readonly trail: readonly TrailRun[];
  readonly scales: Scales;
  readonly unit: Unit;
  readonly compact: boolean;
}

export function rooflineChart(
  roofline: Roofline,
  size: Size,
  options: RooflineChartOptions = {},
): Chart {
  const { trail = [], compact = false, roofs = [] } = options;
  const window = options.window ?? wholeWindow(roofline, trail, roofs);
  const unit = unitOf(roofline.ceilings, [...roofline.points, ...trail]);
  const style = { unit, compact };
  const everyCeiling = [...roofline.ceilings, ...roofs.flatMap(({ ceiling }) => ceiling ?? [])];
  const column = columnWidth(everyCeiling, style, size.width);
  const margin = compact ? COMPACT_MARGIN : MARGIN;
  const scales = scalesOf(window, size, { ...margin, right: margin.right + column });
  const used = [
    ...roofline.ceilings.filter(({ of }) => of !== 'tensor'),
    ...roofs.filter(roof => roof.unused !== true).flatMap(({ ceiling }) => ceiling ?? []),
  ];
  const context = {
    roofline,
    trail,
    scales,
    unit,
    compact,
    ceilings: used,
  };
  const ceilings = roofline.ceilings.flatMap((ceiling, index) => {
    const role = ceiling.from === 'measured' ? 'ceiling-measured' : 'ceiling';
    return ceilingMark(ceiling, { item: `ceiling:${index}`, role }, context);
  });
  const ceilingLines = roofs.flatMap(roof => ceilingLine(roof, context));
  const stands = roofs.flatMap(roof => roofPoint(roof, context));
  const earlier = trailMarks(context);
  const points = roofline.points.flatMap((point, index) => pointMark(point, index, context));
  const lines = [...ceilingLines, ...ceilings];
  const { frame } = scales;
  const isNumbered = !compact && (options.pointLabels ?? 'numbers') === 'numbers';
  const legend = isNumbered ? pointLegend(roofline, roofs) : [];
  const gap = isNumbered ? gapOf(roofline, scales) : null;
  const labels = lineLabels(lines, frame, style, column);
  const isLevel = ({ item }: LabelRequest): boolean =>
    lines.some(({ line, ceiling }) => line.item === item && ceiling.kind === 'compute');
  // Numbers have the most alternative positions, so level lines precede them.
  const requests = [
    ...(gap === null ? [] : [gap.label]),
    ...(isNumbered ? labels.filter(isLevel) : []),
    ...(isNumbered
      ? [...points, ...stands].flatMap(mark => numberLabel(mark, legend))
      : options.pointLabels === 'none'
        ? []
        : points.flatMap(mark => pointLabel(mark, points, context))),
    ...labels.filter(label => !isNumbered || !isLevel(label)),
  ];
  const frameMarks = axes(context, size);
  const obstacles = {
    points: [...points, ...stands, ...earlier.filter(mark => mark.kind === 'point')],
    texts: frameMarks.filter(mark => mark.kind === 'text'),
    lines: lines.map(({ line }) => line),
  };
  const space = { ...frame, top: 0, right: frame.right + 6 };
  return {
    ...size,
    title: `Roofline of ${roofline.machine}`,
    marks: [
      ...frameMarks,
      ...lines.map(({ line }) => line),
      ...(gap === null ? [] : [gap.line]),
      ...earlier,
      ...stands,
      ...columnLabels(lines, frame, style, column),
      ...placeLabels(requests, obstacles, space),
      ...points.flatMap(mark => intervalMark(mark, context)),
      ...points,
    ],
  };
}

const tflopsAt = (memory: Ceiling, intensity: number): number => (memory.value * intensity) / 1000;

const ceilingLine = (roof: DrawnCeiling, context: Context): readonly CeilingLine[] => {
  const { ceiling, item, unused } = roof;
  const role = unused === true ? 'ceiling-unused' : 'ceiling-level';
  return ceiling === undefined ? [] : ceilingMark(ceiling, { item, role }, context);
};

/**
 * Returns the line of a ceiling, clipped at the highest ceiling of the other kind and at the plot
 * window. Returns an empty list if no part of the line is visible.
 */
function ceilingMark(
  ceiling: Ceiling,
  { item, role }: { readonly item: string; readonly role: Role },
  { ceilings, scales: { x, y, window } }: Context,
): readonly CeilingLine[] {
  const highest = (kind: Ceiling['kind']): number =>
    Math.max(0, ...ceilings.filter(other => other.kind === kind).map(({ value }) => value));
  const line = (from: readonly [number, number], to: readonly [number, number]): CeilingLine => ({
    ceiling,
    line: {
      kind: 'line',
      x1: x(from[0]),
      y1: y(from[1]),
      x2: x(to[0]),
      y2: y(to[1]),
      role,
      item,
    },
  });
  const [[left, right], [bottom, top]] = [window.x, window.y];
  if (ceiling.kind === 'compute') {
    const { value } = ceiling;
    const bandwidth = highest('memory');
    const from = bandwidth === 0 ? left : Math.max(left, (value * 1000) / bandwidth);
    return value < bottom || value > top || from >= right
      ? []
      : [line([from, value], [right, value])];
  }
  const peak = highest('compute');
  const reach = Math.min(top, peak === 0 ? top : peak);
  const from = Math.max(left, (bottom * 1000) / ceiling.value);
  const to = Math.min(right, (reach * 1000) / ceiling.value);
  if (from >= to) return [];
  return [line([from, tflopsAt(ceiling, from)], [to, tflopsAt(ceiling, to)])];
}

/** A rate of zero is plotted at the bottom of the logarithmic axis. */
const heightOf = (tflops: number, { window: { y } }: Scales): number =>
  tflops > 0 ? tflops : y[0];

/** Radii in pixels of a share of 0 and of 1; the area grows with the share. */
const RADIUS = { least: 2.5, most: 24 } as const;

/** Relative age whose opacity shows points behind a point. */
const SHARE_FADE = 0.45;

const radiusOf = (share: number): number =>
  Math.sqrt(RADIUS.least ** 2 + share * (RADIUS.most ** 2 - RADIUS.least ** 2));

function pointMark(
  point: RooflinePoint,
  index: number,
  { scales, unit }: Context,
): readonly PointMark[] {
  const tflops = heightOf(point.tflops, scales);
  if (!inWindow(scales.window, point.intensity, tflops)) return [];
  const name = point.kind === 'measured' ? `${scheduleName(point.name)}, measured` : point.name;
  const label = `${name}: ${rate(point.tflops, unit)} at ${readable(point.intensity)} FLOP/B (${point.machine})`;
  return [
    {
      kind: 'point',
      x: scales.x(point.intensity),
      y: scales.y(tflops),
      shape: point.share === undefined ? SHAPES[point.kind] : 'circle',
      role: point.kind,
      label,
      item: `point:${index}`,
      ...(point.share === undefined ? {} : { radius: radiusOf(point.share), age: SHARE_FADE }),
    },
  ];
}

const roofPoint = (
  { item, label, point }: DrawnCeiling,
  { scales, unit }: Context,
): readonly PointMark[] =>
  point === undefined || !inWindow(scales.window, point.intensity, point.tflops)
    ? []
    : [
        {
          kind: 'point',
          x: scales.x(point.intensity),
          y: scales.y(point.tflops),
          shape: 'bar',
          role: 'level',
          item,
          label: `${label}: ${rate(point.tflops, unit)} at ${readable(point.intensity)} FLOP/B`,
        },
      ];

function numberLabel(mark: PointMark, legend: readonly LegendEntry[]): readonly LabelRequest[] {
  const { item = '', x, y } = mark;
  const entry = legend.find(each => each.item === item);
  if (entry === undefined) return [];
  return [{ texts: [String(entry.number)], item, places: placesBeside(mark), point: { x, y } }];
}

/** Half the width of the ends of an interval, in pixels. */
const CAP = 4;

/** Returns the 95 % interval of a measured point, if it is longer than the point. */
function intervalMark({ item, x }: PointMark, { roofline, scales }: Context): readonly Mark[] {
  const { interval } = roofline.points[Number(item?.split(':')[1])] ?? {};
  if (interval === undefined || !(interval[0] > 0)) return [];
  const [low, high] = scales.window.y;
  const [y1, y2] = interval.map(end => scales.y(Math.min(high, Math.max(low, end))));
  if (y1 === undefined || y2 === undefined || y1 - y2 < 12) return [];
  const line = (from: readonly [number, number], to: readonly [number, number]): Mark => ({
    kind: 'line',
    x1: from[0],
    y1: from[1],
    x2: to[0],
    y2: to[1],
    role: 'interval',
  });
  return [
    line([x, y1], [x, y2]),
    line([x - CAP, y1], [x + CAP, y1]),
    line([x - CAP, y2], [x + CAP, y2]),
  ];
}

/**
 * Returns the label request of a point. Only the newest visible measured run is labeled. Compact
 * charts label no other points.
 */
function pointLabel(
  mark: PointMark,
  marks: readonly PointMark[],
  { roofline, unit, compact }: Context,
): readonly LabelRequest[] {
  const item = mark.item ?? '';
  const point = roofline.points[Number(item.split(':')[1])];
  if (point === undefined) return [];
  const newest = marks.findLast(({ role }) => role === 'measured');
  if (point.kind === 'measured' && mark !== newest) return [];
  if (compact && point.kind !== 'measured') return [];
  const text = point.kind === 'measured' ? `measured ${rate(point.tflops, unit)}` : point.name;
  const places = placesAround(mark, point.kind === 'attainable' ? 'above' : 'below');
  return [{ texts: [text], item, places, point: { x: mark.x, y: mark.y } }];
}

/**
 * Returns the marks of the earlier runs and the arcs between consecutive runs. An arc bulges right
 * if the rate falls, otherwise left.
 */
function trailMarks({ trail, scales, unit }: Context): readonly Mark[] {
  const shown = trail.flatMap((run, index) => {
    const tflops = heightOf(run.tflops, scales);
    if (!inWindow(scales.window, run.intensity, tflops)) return [];
    const age = trail.length < 2 ? 0 : 1 - index / (trail.length - 1);
    const name = `${scheduleName(run.specKey)} on ${backendName(run.backend)}: ${rate(run.tflops, unit)}`;
    return [
      {
        kind: 'point',
        x: scales.x(run.intensity),
        y: scales.y(tflops),
        shape: 'dot',
        age,
        role: 'earlier',
        label: name,
        item: `run:${index}`,
      } satisfies PointMark,
    ];
  });
  const arcs = shown.slice(1).flatMap((to, index): readonly Mark[] => {
    const from = shown[index];
    if (from === undefined) return [];
    const bulge = Math.min(48, 6 + Math.abs(to.y - from.y) * 0.4) * (to.y <= from.y ? -1 : 1);
    return [
      {
        kind: 'curve',
        x1: from.x,
        y1: from.y,
        x2: to.x,
        y2: to.y,
        role: 'trail',
        controlX: (from.x + to.x) / 2 + 2 * bulge,
        controlY: (from.y + to.y) / 2,
        age: to.age,
      },
    ];
  });
  return [...arcs, ...shown];
}
