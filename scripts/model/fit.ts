/** Least squares of the logarithms of times, with a weak prior, by the simplex of Nelder and Mead from several starts. */
import type { Calibration } from '../../src/core/model/calibration';
import { predicted, type Point } from './points';

const START = {
  multiplyAddShare: 0.85,
  cyclesPerWavefront: 0.7,
  cyclesPerRequest: 0.3,
  cyclesPerLine: 1,
  tileLatencyCycles: 900,
  l2BytesPerCycle: 40,
  overlap: 3,
} as const;
type Fitted = keyof typeof START;
const NAMES = Object.keys(START) as readonly Fitted[];

/** What the numbers can be: shares of a peak, and between a sum and all but the largest. */
const WITHIN: Readonly<Partial<Record<Fitted, readonly [number, number]>>> = {
  multiplyAddShare: [0.3, 1],
  overlap: [1, 8],
};
/** Pulls what the measurements say nothing about to where it starts: little beside what they do say. */
const PRIOR = 0.0005;
const ASSUMED = { launchMicroseconds: 2 };
const STARTS = 6;
const ITERATIONS = 1500;

/** Parameters are searched as logarithms. */
function calibrationOf(logarithms: readonly number[]): Omit<Calibration, 'origin'> {
  const entries = NAMES.map((name, i) => {
    const [least, most] = WITHIN[name] ?? [0, Infinity];
    return [name, Math.min(most, Math.max(least, Math.exp(logarithms[i] ?? 0)))] as const;
  });
  return { ...(Object.fromEntries(entries) as Record<Fitted, number>), ...ASSUMED };
}

const rounded = (calibration: Omit<Calibration, 'origin'>): Calibration => ({
  ...(Object.fromEntries(
    Object.entries(calibration).map(([name, value]) => [name, Number(value.toPrecision(4))]),
  ) as unknown as Omit<Calibration, 'origin'>),
  origin: 'fitted',
});

export function fitted(points: readonly Point[]): {
  readonly calibration: Calibration;
  /** Root mean square of the logarithm of predicted over measured time. */
  readonly residual: number;
} {
  const loss = (logarithms: readonly number[]): number => {
    const calibration = { ...calibrationOf(logarithms), origin: 'fitting' };
    const squares = points.map(point => {
      const { milliseconds } = predicted(point, calibration, 'compiled');
      return Math.log(milliseconds / point.milliseconds) ** 2;
    });
    const strange = NAMES.map((name, i) => ((logarithms[i] ?? 0) - Math.log(START[name])) ** 2);
    return mean(squares) + PRIOR * mean(strange) * NAMES.length;
  };
  let best: Vertex = { at: NAMES.map(name => Math.log(START[name])), loss: Infinity };
  for (let start = 0; start < STARTS; start++) {
    const moved = best.at.map(
      (value, i) => value + (start === 0 ? 0 : 0.3 * Math.sin(start * 7 + i)),
    );
    const found = simplex(loss, moved);
    if (found.loss < best.loss) best = found;
  }
  return { calibration: rounded(calibrationOf(best.at)), residual: Math.sqrt(best.loss) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface Vertex {
  readonly at: readonly number[];
  readonly loss: number;
}

function simplex(loss: (at: readonly number[]) => number, from: readonly number[]): Vertex {
  const vertex = (at: readonly number[]): Vertex => ({ at, loss: loss(at) });
  const between = (one: readonly number[], other: readonly number[], part: number) =>
    one.map((value, i) => value + part * ((other[i] ?? 0) - value));
  let vertices = [
    from,
    ...from.map((_, i) => from.map((value, j) => value + (i === j ? 0.25 : 0))),
  ].map(vertex);
  for (let i = 0; i < ITERATIONS; i++) {
    vertices = [...vertices].sort((left, right) => left.loss - right.loss);
    const [best, worst] = [vertices[0], vertices.at(-1)];
    const second = vertices.at(-2);
    if (best === undefined || worst === undefined || second === undefined) break;
    const others = vertices.slice(0, -1);
    const centre = from.map(
      (_, j) => others.reduce((sum, { at }) => sum + (at[j] ?? 0), 0) / others.length,
    );
    const towards = (part: number): Vertex => vertex(between(centre, worst.at, part));
    const reflected = towards(-1);
    const expanded = reflected.loss < best.loss ? towards(-2) : reflected;
    const tried = expanded.loss < reflected.loss ? expanded : reflected;
    const next = tried.loss < second.loss ? tried : towards(0.5);
    vertices =
      next.loss < worst.loss
        ? [...others, next]
        : [best, ...vertices.slice(1).map(({ at }) => vertex(between(best.at, at, 0.5)))];
  }
  return vertices.reduce((least, other) => (other.loss < least.loss ? other : least));
}
