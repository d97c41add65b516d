/** Which sizes draw the saw-tooth, and which of them are better than the present one. */
import type { Plan } from '../../plan/plan';
import { ALIGNED, type Sizes } from './resized';
import { presentSize, type Axis, type Sweep, type SweepPoint } from './sweep';

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Half to twice the size; for sizes that differ where they move together, around the largest. */
export function defaultRange(problem: Sizes, axis: Axis): Range {
  const around = presentSize(problem, axis) ?? Math.max(problem.m, problem.n, problem.k);
  return { from: Math.max(1, Math.floor(around / 2)), to: 2 * around };
}

/** Of more points nobody sees the teeth; then only every so many of them are drawn. */
const MOST_POINTS = 1000;

/**
 * The sizes at which the curve bends: the last one before each new row of tiles and the first one with it, among sizes
 * that differ from the present one by multiples of 32 elements (less where tiles are smaller), so that rows stay aligned
 * as they are. Between them efficiency follows the size alone.
 */
export function toothSizes(
  { tile, spec }: Pick<Plan, 'tile' | 'spec'>,
  axis: Axis,
  { from, to }: Range,
): readonly number[] {
  const extents = tilesAlong(tile, axis);
  const step = extents.reduce(greatestCommonDivisor, ALIGNED);
  const present = presentSize(spec.problem, axis);
  const phase = present === null ? 0 : present % step;
  const last = (size: number): number => size - ((((size - phase) % step) + step) % step);
  const sizes = new Set<number>(present === null ? [] : [present]);
  for (const extent of extents) {
    const every = Math.max(1, Math.ceil((2 * extents.length * (to - from)) / extent / MOST_POINTS));
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
  // A kernel that stages nothing has no tooth along K: a few points draw it.
  return staged.length > 0 ? [...new Set(staged)] : [ALIGNED];
};

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

/** What is better where it is larger: the predicted rate, or efficiency where nothing is predicted. */
export const worthOf = ({ predicted, efficiency }: SweepPoint): number =>
  predicted === null ? efficiency : predicted.tflops;

export interface BetterSize {
  readonly point: SweepPoint;
  /** Of the predicted rate, or of efficiency: 0.06 is 6 % more. */
  readonly gain: number;
}

/** Less than this is no reason to change a size. */
const LEAST_GAIN = 0.01;

/** The nearest tips of teeth to either side that are better by a percent. */
export function betterSizes({ points, current }: Sweep): {
  readonly up: BetterSize | null;
  readonly down: BetterSize | null;
} {
  if (current === null) return { up: null, down: null };
  const tips = points.filter((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    // At an end of the range nobody knows whether it rises further.
    if (before === undefined || after === undefined) return false;
    return worthOf(point) > worthOf(before) && worthOf(point) >= worthOf(after);
  });
  const climb = (nearestFirst: readonly SweepPoint[]): BetterSize | null => {
    const gainOf = (point: SweepPoint): number => worthOf(point) / worthOf(current) - 1;
    const first = nearestFirst.findIndex(point => gainOf(point) >= LEAST_GAIN);
    if (first < 0) return null;
    // From tip to tip of the teeth that are tiles, up to the tip of the one that is a wave.
    let best = first;
    for (let next = first + 1; next < nearestFirst.length; next++) {
      const [one, other] = [nearestFirst[best], nearestFirst[next]];
      if (one === undefined || other === undefined || worthOf(other) <= worthOf(one)) break;
      best = next;
    }
    const point = nearestFirst[best];
    // A rate that rises to the end of the range has no tip there.
    if (point === undefined || best === nearestFirst.length - 1) return null;
    return { point, gain: gainOf(point) };
  };
  return {
    up: climb(tips.filter(({ size }) => size > current.size)),
    down: climb(tips.filter(({ size }) => size < current.size).reverse()),
  };
}
