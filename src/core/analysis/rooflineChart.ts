/** The geometry of a log-log roofline: marks for the webview to draw, or for a file as SVG text. */
import { separateLabels } from './chartLabels';
import type { Ceiling, Roofline, RooflinePoint } from './analysis';

export type Role =
  | 'axis'
  | 'grid'
  | 'tick'
  | 'ceiling'
  | 'ceiling-measured'
  | 'roof'
  | 'attainable'
  | 'without-caches'
  | 'measured'
  | 'label';

export type Mark =
  | {
      readonly kind: 'line';
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly role: Role;
    }
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly anchor: 'start' | 'middle' | 'end';
      readonly role: Role;
    }
  | {
      readonly kind: 'point';
      readonly x: number;
      readonly y: number;
      readonly shape: 'circle' | 'diamond' | 'square';
      readonly role: Role;
      readonly label: string;
    };

export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly marks: readonly Mark[];
}

const MARGIN = { left: 64, right: 16, top: 20, bottom: 44 } as const;

/** Small machines read better in GFLOP/s: a software adapter reaches a few of them. */
interface Unit {
  readonly name: 'TFLOP/s' | 'GFLOP/s';
  /** Times a figure in TFLOP/s. */
  readonly factor: number;
}

const unitOf = (peakTflops: number): Unit =>
  peakTflops < 0.5 ? { name: 'GFLOP/s', factor: 1000 } : { name: 'TFLOP/s', factor: 1 };

interface Scales {
  readonly unit: Unit;
  readonly x: (intensity: number) => number;
  readonly y: (tflops: number) => number;
  readonly xRange: readonly [number, number];
  readonly yRange: readonly [number, number];
}

/** The chart of a roofline, in pixels, y downwards. */
export function rooflineChart(
  roofline: Roofline,
  size: { readonly width: number; readonly height: number },
): Chart {
  const { ceilings, points } = roofline;
  const scales = scalesOf(ceilings, points, size);
  return separateLabels({
    ...size,
    title: `Roofline of ${roofline.machine}`,
    marks: [
      ...axes(scales, size),
      ...ceilings.flatMap(ceiling => ceilingMarks(ceiling, ceilings, scales)),
      ...points.flatMap(point => pointMarks(point, scales, size)),
    ],
  });
}

const tflopsAt = (memory: Ceiling, intensity: number): number => (memory.value * intensity) / 1000;
const decades = (low: number, high: number): readonly number[] =>
  Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, i) => low * 10 ** i);
const floorDecade = (value: number): number => 10 ** Math.floor(Math.log10(value) + 1e-9);
const ceilDecade = (value: number): number => 10 ** Math.ceil(Math.log10(value) - 1e-9);

function scalesOf(
  ceilings: readonly Ceiling[],
  points: readonly RooflinePoint[],
  { width, height }: { readonly width: number; readonly height: number },
): Scales {
  const compute = ceilings.filter(({ kind }) => kind === 'compute').map(({ value }) => value);
  const memory = ceilings.filter(({ kind }) => kind === 'memory');
  const peak = Math.max(1e-6, ...compute, ...points.map(point => point.tflops));
  const ridges = memory.map(({ value }) => (peak * 1000) / value);
  const xs = [...points.map(point => point.intensity), ...ridges].filter(
    x => Number.isFinite(x) && x > 0,
  );
  const xRange = [floorDecade(Math.min(1, ...xs)), ceilDecade(Math.max(10, ...xs) * 1.5)] as const;
  const lowest = Math.min(
    ...points.map(point => point.tflops).filter(y => y > 0),
    ...memory.map(ceiling => Math.max(tflopsAt(ceiling, xRange[0]), peak / 1e4)),
    peak / 10,
  );
  const yRange = [floorDecade(lowest * 0.6), ceilDecade(peak * 1.3)] as const;
  const along = (value: number, [low, high]: readonly [number, number]): number =>
    Math.log(value / low) / Math.log(high / low);
  return {
    ...{ xRange, yRange, unit: unitOf(peak) },
    x: value => MARGIN.left + along(value, xRange) * (width - MARGIN.left - MARGIN.right),
    y: value =>
      height - MARGIN.bottom - along(value, yRange) * (height - MARGIN.top - MARGIN.bottom),
  };
}

/** A tick's number: 0.001, 1, 100, 10k. */
const tickText = (value: number): string =>
  value >= 1e4 ? `${value / 1000}k` : String(Number(value.toPrecision(1)));

function axes(
  { x, y, xRange, yRange, unit }: Scales,
  { width, height }: { width: number; height: number },
): readonly Mark[] {
  const [left, right, top, bottom] = [
    MARGIN.left,
    width - MARGIN.right,
    MARGIN.top,
    height - MARGIN.bottom,
  ];
  const line = (x1: number, y1: number, x2: number, y2: number, role: Role): Mark => ({
    kind: 'line',
    x1,
    y1,
    x2,
    y2,
    role,
  });
  const text = (
    at: readonly [number, number],
    content: string,
    anchor: 'start' | 'middle' | 'end',
    role: Role,
  ): Mark => ({
    ...{ kind: 'text', x: at[0], y: at[1], text: content, anchor, role },
  });
  return [
    ...decades(...xRange).flatMap(value => [
      line(x(value), top, x(value), bottom, 'grid'),
      text([x(value), bottom + 16], tickText(value), 'middle', 'tick'),
    ]),
    ...decades(...yRange).flatMap(value => [
      line(left, y(value), right, y(value), 'grid'),
      text([left - 6, y(value) + 4], tickText(value * unit.factor), 'end', 'tick'),
    ]),
    line(left, bottom, right, bottom, 'axis'),
    line(left, top, left, bottom, 'axis'),
    text([(left + right) / 2, height - 8], 'Arithmetic intensity (FLOP/B)', 'middle', 'label'),
    text([left, top - 7], `Performance (${unit.name})`, 'start', 'label'),
  ];
}

/** Every ceiling ends where the highest of the other kind cuts it off. */
function ceilingMarks(ceiling: Ceiling, all: readonly Ceiling[], scales: Scales): readonly Mark[] {
  const { x, y, xRange, yRange, unit } = scales;
  const role: Role = ceiling.from === 'measured' ? 'ceiling-measured' : 'ceiling';
  const bandwidth = Math.max(
    0,
    ...all.filter(({ kind }) => kind === 'memory').map(({ value }) => value),
  );
  const peak = Math.max(
    0,
    ...all.filter(({ kind }) => kind === 'compute').map(({ value }) => value),
  );
  const others = all.filter(({ kind }) => kind === ceiling.kind);
  const nth = others.indexOf(ceiling);
  if (ceiling.kind === 'compute') {
    const name = `${ceiling.name}: ${rate(ceiling.value, unit)}`;
    const from =
      bandwidth === 0 ? xRange[0] : Math.max(xRange[0], (ceiling.value * 1000) / bandwidth);
    const height = y(ceiling.value) + (nth % 2 === 0 ? -5 : 13);
    return [
      {
        kind: 'line',
        x1: x(from),
        y1: y(ceiling.value),
        x2: x(xRange[1]),
        y2: y(ceiling.value),
        role,
      },
      { kind: 'text', x: x(xRange[1]) - 4, y: height, text: name, anchor: 'end', role: 'label' },
    ];
  }
  const name = `${ceiling.name}: ${readable(ceiling.value)} GB/s`;
  const start = Math.max(xRange[0], (yRange[0] * 1000) / ceiling.value);
  const end = Math.min(xRange[1], peak === 0 ? xRange[1] : (peak * 1000) / ceiling.value);
  // Named under the line itself, each a little further down than the one before.
  const along = start * (end / start) ** (0.45 - 0.15 * nth);
  return [
    {
      kind: 'line',
      x1: x(start),
      y1: y(tflopsAt(ceiling, start)),
      x2: x(end),
      y2: y(tflopsAt(ceiling, end)),
      role,
    },
    {
      kind: 'text',
      x: x(along) + 10,
      y: y(tflopsAt(ceiling, along)) + 12,
      text: name,
      anchor: 'start',
      role: 'label',
    },
  ];
}

const SHAPE = { attainable: 'diamond', 'without-caches': 'square', measured: 'circle' } as const;

function pointMarks(
  point: RooflinePoint,
  { x, y, yRange, unit }: Scales,
  { width }: { readonly width: number },
): readonly Mark[] {
  const tflops = Math.max(point.tflops, yRange[0]);
  const at = { x: x(point.intensity), y: y(tflops) };
  const reached = rate(point.tflops, unit);
  const measured = point.kind === 'measured';
  const text = measured ? `measured ${reached}` : point.name;
  const name = measured ? `${point.name}, measured` : point.name;
  const label = `${name}: ${reached} at ${readable(point.intensity)} FLOP/B (${point.machine})`;
  const right = at.x > width * 0.7;
  return [
    { kind: 'point', ...at, shape: SHAPE[point.kind], role: point.kind, label },
    {
      kind: 'text',
      x: at.x + (right ? -9 : 9),
      y: at.y + (point.kind === 'attainable' ? -8 : 14),
      text,
      anchor: right ? 'end' : 'start',
      role: 'label',
    },
  ];
}

const rate = (tflops: number, unit: Unit): string =>
  `${readable(tflops * unit.factor)} ${unit.name}`;

/** Three significant digits, plain. */
export const readable = (value: number): string =>
  Number.isFinite(value)
    ? value >= 1000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))
    : 'unknown';
