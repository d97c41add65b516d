/** Evaluates the error and the choices of predicted times against recorded benchmarks. */
import { median, quantile } from '../../src/core/measure/statistics';
import type { SimtPoint } from './simtPoints';

export interface SimtJudgement {
  readonly shapes: number;
  readonly kernels: number;
  /** Median of |predicted / measured - 1|. */
  readonly error: number;
  /**
   * Rate of the kernel with the best prediction, relative to the fastest measured kernel of the
   * shape: geometric mean, 5th percentile and minimum over shapes with at least `ENOUGH` kernels.
   */
  readonly choice: Readonly<Record<'shapes' | 'mean' | 'p5' | 'least', number>>;
}

const ENOUGH = 4;

/** `costOf` predicts the time of a kernel in milliseconds. */
export function judgedPoints<Point extends Pick<SimtPoint, 'shape' | 'milliseconds'>>(
  points: readonly Point[],
  costOf: (point: Point) => number,
): SimtJudgement {
  const shapes = new Map<string, { predicted: number; milliseconds: number }[]>();
  for (const point of points) {
    const known = shapes.get(point.shape) ?? [];
    known.push({ predicted: costOf(point), milliseconds: point.milliseconds });
    shapes.set(point.shape, known);
  }
  const kernels = [...shapes.values()];
  const choices = kernels
    .filter(({ length }) => length >= ENOUGH)
    .map(of => {
      const chosen = of.reduce((best, one) => (one.predicted < best.predicted ? one : best));
      return Math.min(...of.map(({ milliseconds }) => milliseconds)) / chosen.milliseconds;
    });
  return {
    shapes: shapes.size,
    kernels: points.length,
    error: median(
      kernels.flat().map(({ predicted, milliseconds }) => Math.abs(predicted / milliseconds - 1)),
    ),
    choice: {
      shapes: choices.length,
      mean: Math.exp(choices.reduce((sum, one) => sum + Math.log(one), 0) / choices.length),
      p5: quantile(choices, 0.05),
      least: Math.min(...choices),
    },
  };
}

/** Returns every third shape in the order of their names. */
export function heldOutShapes(points: readonly SimtPoint[]): ReadonlySet<string> {
  const shapes = [...new Set(points.map(({ shape }) => shape))].sort();
  return new Set(shapes.filter((_, i) => i % 3 === 2));
}
