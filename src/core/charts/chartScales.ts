/**
 * Maps data values to pixels on two logarithmic axes, computes ticks, and zooms and pans the
 * visible window.
 */
import type { Size } from './chart';

export type Range = readonly [low: number, high: number];

export interface ChartWindow {
  /** Range of arithmetic intensities in FLOP/B. */
  readonly x: Range;
  /** Range of rates in TFLOP/s. */
  readonly y: Range;
}

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Scales {
  readonly window: ChartWindow;
  readonly frame: Frame;
  readonly x: (intensity: number) => number;
  readonly y: (tflops: number) => number;
}

/** Returns the logarithmic position of a value in a range: 0 at the low end, 1 at the high end. */
const along = (value: number, [low, high]: Range): number =>
  Math.log(value / low) / Math.log(high / low);

const at = (part: number, [low, high]: Range): number => low * (high / low) ** part;

export function scalesOf(window: ChartWindow, size: Size, margin: Frame): Scales {
  const frame = {
    left: margin.left,
    right: size.width - margin.right,
    top: margin.top,
    bottom: size.height - margin.bottom,
  };
  return {
    window,
    frame,
    x: value => frame.left + along(value, window.x) * (frame.right - frame.left),
    y: value => frame.bottom - along(value, window.y) * (frame.bottom - frame.top),
  };
}

export const inWindow = (window: ChartWindow, x: number, y: number): boolean =>
  x >= window.x[0] && x <= window.x[1] && y >= window.y[0] && y <= window.y[1];

/** Minimum ratio of an axis's high end to its low end after a zoom. */
const NARROWEST = 1.2;

/** Point of the plot that a zoom keeps fixed: 0..1 from the left and from the bottom. */
export interface Centre {
  readonly x: number;
  readonly y: number;
}

export const MIDDLE: Centre = { x: 0.5, y: 0.5 };

/** Zooms in (`factor` above 1) or out (below 1). The result never exceeds `whole`. */
export function zoomed(
  window: ChartWindow,
  factor: number,
  centre: Centre,
  whole: ChartWindow,
): ChartWindow {
  const axis = (range: Range, part: number, most: Range): Range => {
    const span = Math.max(Math.log(range[1] / range[0]) / factor, Math.log(NARROWEST));
    if (span >= Math.log(most[1] / most[0])) return most;
    const fixed = Math.log(at(part, range));
    return moveInside([Math.exp(fixed - part * span), Math.exp(fixed + (1 - part) * span)], most);
  };
  return { x: axis(window.x, centre.x, whole.x), y: axis(window.y, centre.y, whole.y) };
}

/**
 * Moves the window by fractions of its extent and keeps it inside `whole`. Positive values move
 * right and up.
 */
export function panned(window: ChartWindow, by: Centre, whole: ChartWindow): ChartWindow {
  const axis = (range: Range, part: number, most: Range): Range => {
    const factor = (range[1] / range[0]) ** part;
    return moveInside([range[0] * factor, range[1] * factor], most);
  };
  return { x: axis(window.x, by.x, whole.x), y: axis(window.y, by.y, whole.y) };
}

/** Moves the range inside the limits and preserves the ratio of its ends. */
function moveInside([low, high]: Range, most: Range): Range {
  if (low < most[0]) return [most[0], (most[0] * high) / low];
  if (high > most[1]) return [(most[1] * low) / high, most[1]];
  return [low, high];
}

/**
 * Returns the tick values. A range of at least 2.5 decades has powers of ten; a range of at least
 * 0.9 decades has 1, 2 and 5 times powers of ten. Narrower ranges have equal steps.
 */
export function ticksOf([low, high]: Range): readonly number[] {
  const decades = Math.log10(high / low);
  if (decades >= 2.5) return logTicks([low, high], [1]);
  if (decades >= 0.9) return logTicks([low, high], [1, 2, 5]);
  const rough = (high - low) / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(times => times * unit).find(size => size >= rough) ?? unit;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function logTicks([low, high]: Range, digits: readonly number[]): readonly number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    .flatMap(power => digits.map(digit => Number(`${digit}e${power}`)))
    .filter(value => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
}

export const tickText = (value: number): string =>
  value >= 1e4 ? `${Number((value / 1000).toPrecision(4))}k` : String(Number(value.toPrecision(4)));
