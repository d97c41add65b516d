/** Computes the range, unit, grid and ticks of the roofline axes. */
import type { Ceiling, Roofline } from '../roofline/contract';
import { lineMark, type Mark, type Role, type Size } from './chart';
import { tickText, ticksOf, type ChartWindow, type Scales } from './chartScales';
import type { TrailRun } from './rooflineTrail';
import { readable } from '../text/digits';

/**
 * Unit of the performance axis: GFLOP/s if all rates and compute ceilings are below 0.5 TFLOP/s, as
 * on a software adapter.
 */
export interface Unit {
  readonly name: 'TFLOP/s' | 'GFLOP/s';
  readonly factor: number;
}

export const unitOf = (
  ceilings: readonly Ceiling[],
  points: readonly { readonly tflops: number }[],
): Unit =>
  peakOf(ceilings, points) < 0.5
    ? { name: 'GFLOP/s', factor: 1000 }
    : { name: 'TFLOP/s', factor: 1 };

const peakOf = (
  ceilings: readonly Ceiling[],
  points: readonly { readonly tflops: number }[],
): number =>
  Math.max(
    1e-6,
    ...ceilings.filter(({ kind }) => kind === 'compute').map(({ value }) => value),
    ...points.map(({ tflops }) => tflops),
  );

const floorDecade = (value: number): number => 10 ** Math.floor(Math.log10(value) + 1e-9);
const ceilDecade = (value: number): number => 10 ** Math.ceil(Math.log10(value) - 1e-9);
const ceilStep = (value: number): number => {
  const decade = floorDecade(value);
  return [1, 2, 5, 10].map(digit => digit * decade).find(step => step >= value) ?? 10 * decade;
};

/**
 * An additional ceiling of a memory level or a compute unit, and the kernel's point at that level.
 */
export interface DrawnCeiling {
  readonly item: string;
  readonly label: string;
  /** Omitted if another ceiling draws the same line, or if the bandwidth is unknown. */
  readonly ceiling?: Ceiling;
  /**
   * Set if the kernel does not use this unit; then the ceiling is drawn, but does not clip other
   * ceilings.
   */
  readonly unused?: true;
  readonly point?: { readonly intensity: number; readonly tflops: number };
}

/**
 * Computes the window that shows all ceilings, points and runs. The range of intensities is rounded
 * outward to decades. The range of rates starts at half of the lowest rate or compute ceiling, and
 * leaves space for labels above the peak.
 */
export function wholeWindow(
  roofline: Roofline,
  trail: readonly TrailRun[] = [],
  roofs: readonly DrawnCeiling[] = [],
): ChartWindow {
  const ceilings = [...roofline.ceilings, ...roofs.flatMap(({ ceiling }) => ceiling ?? [])];
  const all = [...roofline.points, ...trail, ...roofs.flatMap(({ point }) => point ?? [])];
  const memory = ceilings.filter(({ kind }) => kind === 'memory');
  const peak = peakOf(ceilings, all);
  const ridges = memory.map(({ value }) => (peak * 1000) / value);
  const xs = [...all.map(({ intensity }) => intensity), ...ridges].filter(
    x => Number.isFinite(x) && x > 0,
  );
  const x = [floorDecade(Math.min(1, ...xs)), ceilDecade(Math.max(10, ...xs) * 1.5)] as const;
  const rates = all.map(({ tflops }) => tflops).filter(y => y > 0);
  const peaks = ceilings.filter(({ kind }) => kind === 'compute').map(({ value }) => value);
  // Without a rate, the axis starts one decade below the peak.
  const lowest = rates.length === 0 ? peak / 5 : Math.min(...rates, ...peaks);
  return { x, y: [lowest / 2, ceilStep(peak * 2)] };
}

interface AxesOf {
  readonly scales: Scales;
  readonly unit: Unit;
  /** Whether short unit names replace the axis titles. */
  readonly compact: boolean;
}

export function axes({ scales, unit, compact }: AxesOf, { width, height }: Size): readonly Mark[] {
  const { x, y, window, frame } = scales;
  const { left, right, top, bottom } = frame;
  const text = (
    at: readonly [number, number],
    content: string,
    anchor: 'start' | 'middle' | 'end',
    role: Role,
  ): Mark => ({ kind: 'text', x: at[0], y: at[1], text: content, anchor, role });
  const [low, high] = window.y;
  const shown: ChartWindow['y'] = [low * unit.factor, high * unit.factor];
  return [
    ...ticksOf(window.x).flatMap(value => [
      lineMark(x(value), top, x(value), bottom, 'grid'),
      text(
        [Math.min(x(value), width - 3 * tickText(value).length), bottom + (compact ? 13 : 16)],
        tickText(value),
        'middle',
        'tick',
      ),
    ]),
    ...ticksOf(shown).flatMap(value => [
      lineMark(left, y(value / unit.factor), right, y(value / unit.factor), 'grid'),
      text([left - 6, y(value / unit.factor) + 4], tickText(value), 'end', 'tick'),
    ]),
    lineMark(left, bottom, right, bottom, 'axis'),
    lineMark(left, top, left, bottom, 'axis'),
    ...(compact
      ? [
          text([4, top - 6], unit.name, 'start', 'label'),
          text([right, bottom - 4], 'FLOP/B', 'end', 'label'),
        ]
      : [
          text(
            [(left + right) / 2, height - 8],
            'Arithmetic intensity (FLOP/B)',
            'middle',
            'label',
          ),
          text([left, top - 7], `Performance (${unit.name})`, 'start', 'label'),
        ]),
  ];
}

export const rate = (tflops: number, unit: Unit): string =>
  `${readable(tflops * unit.factor)} ${unit.name}`;
