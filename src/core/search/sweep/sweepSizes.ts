/**
 * Chooses the sizes of the tile-quantization sweep, and finds better sizes than the current size.
 */
import type { Plan } from '../../plan/plan';
import { ALIGNMENT_PERIOD, type Sizes } from './resized';
import { presentSize, type Axis, type Sweep, type SweepPoint } from './sweep';

export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range from half to twice the current size. If m, n and k differ on the common axis,
 * the largest of them is used.
 */
export function defaultRange(problem: Sizes, axis: Axis): Range {
  const around = presentSize(problem, axis) ?? Math.max(problem.m, problem.n, problem.k);
  return { from: Math.max(1, Math.floor(around / 2)), to: 2 * around };
}

/** Approximate maximum number of points. Tile boundaries of larger ranges are subsampled. */
const MAX_POINTS = 1000;

/**
 * Returns the current size and the sizes on both sides of each tile boundary. Sizes differ from the
 * current size by multiples of the greatest common divisor of the tile extents and
 * `ALIGNMENT_PERIOD`.
 */
export function tileBoundarySizes(
  { tile, spec }: Pick<Plan, 'tile' | 'spec'>,
  axis: Axis,
  { from, to }: Range,
): readonly number[] {
  const extents = tilesAlong(tile, axis);
  const step = extents.reduce(greatestCommonDivisor, ALIGNMENT_PERIOD);
  const present = presentSize(spec.problem, axis);
  const phase = present === null ? 0 : present % step;
  const last = (size: number): number => size - ((((size - phase) % step) + step) % step);
  const sizes = new Set<number>(present === null ? [] : [present]);
  for (const extent of extents) {
    const every = Math.max(1, Math.ceil((2 * extents.length * (to - from)) / extent / MAX_POINTS));
    for (let edge = Math.floor(from / extent) * extent; edge <= to; edge += every * extent) {
      for (const size of [last(edge), last(edge) + step]) sizes.add(size);
    }
  }
  for (const size of [last(from) + step, last(to)]) sizes.add(size);
  return [...sizes].filter(size => size >= from && size <= to).sort((one, other) => one - other);
}

const tilesAlong = (tile: Plan['tile'], axis: Axis): readonly number[] => {
  const extents = axis === 'mnk' ? [tile.m, tile.n, tile.k] : [tile[axis]];
  const staged = extents.filter(extent => extent > 0);
  // Kernels without shared-memory tiles have no tile boundary along K.
  return staged.length > 0 ? [...new Set(staged)] : [ALIGNMENT_PERIOD];
};

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

export const metricOf = ({ predicted, efficiency }: SweepPoint): number =>
  predicted === null ? efficiency : predicted.tflops;

export interface BetterSize {
  readonly point: SweepPoint;
  /** Relative gain in predicted rate or efficiency: 0.06 is 6 % more. */
  readonly gain: number;
}

const MIN_GAIN = 0.01;

/**
 * Finds a better size in each direction. Starts at the nearest local maximum that is at least one
 * percent better, and continues while the next local maximum is higher.
 */
export function betterSizes({ points, current }: Sweep): {
  readonly up: BetterSize | null;
  readonly down: BetterSize | null;
} {
  if (current === null) return { up: null, down: null };
  const localMaxima = points.filter((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    // The ends of the range cannot be identified as local maxima.
    if (before === undefined || after === undefined) return false;
    return metricOf(point) > metricOf(before) && metricOf(point) >= metricOf(after);
  });
  const climb = (nearestFirst: readonly SweepPoint[]): BetterSize | null => {
    const gainOf = (point: SweepPoint): number => metricOf(point) / metricOf(current) - 1;
    const first = nearestFirst.findIndex(point => gainOf(point) >= MIN_GAIN);
    if (first < 0) return null;
    // Climb the local maxima (tile quantization) to the next maximum of wave quantization.
    let best = first;
    for (let next = first + 1; next < nearestFirst.length; next++) {
      const [one, other] = [nearestFirst[best], nearestFirst[next]];
      if (one === undefined || other === undefined || metricOf(other) <= metricOf(one)) break;
      best = next;
    }
    const point = nearestFirst[best];
    // If the last local maximum is the highest, the metric may still rise beyond the range.
    if (point === undefined || best === nearestFirst.length - 1) return null;
    return { point, gain: gainOf(point) };
  };
  return {
    up: climb(localMaxima.filter(({ size }) => size > current.size)),
    down: climb(localMaxima.filter(({ size }) => size < current.size).reverse()),
  };
}
