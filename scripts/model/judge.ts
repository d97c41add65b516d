/**
 * Evaluates predicted times against measured times: rank correlation, error, and the best measured
 * schedule among the best predictions.
 */
import type { Calibration } from '../../src/core/model/calibration';
import { predicted, type Point } from './points';

export interface Judgement {
  /**
   * Spearman's rank correlation of predicted and measured TFLOP/s over all points; `spearmanBySize`
   * covers each size with at least ten points.
   */
  readonly spearman: number;
  readonly spearmanBySize: Readonly<Record<string, number>>;
  /** Rank correlation of predictions with estimated registers, as available before compilation. */
  readonly spearmanBeforeCompiling: number;
  /** Root mean square of the logarithm of predicted over measured time. */
  readonly rmsLog: number;
  /**
   * Best measured rate among the `TOP` schedules with the highest predicted rates, relative to the
   * best measured rate. Sizes with at most `TOP` points are left out.
   */
  readonly bestOfTop: Readonly<Record<string, number>>;
  readonly points: readonly {
    readonly specKey: string;
    readonly measuredTflops: number;
    readonly predictedTflops: number;
  }[];
}

export const TOP = 16;
const ENOUGH = 10;

export function judged(points: readonly Point[], calibration: Calibration): Judgement {
  const rates = points.map(point => ({
    size: sizeOf(point),
    specKey: point.specKey,
    measuredTflops: point.gflops / 1000,
    predictedTflops: predicted(point, calibration, 'compiled').tflops,
    before: predicted(point, calibration, 'estimated').tflops,
  }));
  type Rate = (typeof rates)[number];
  const measured = (of: readonly Rate[]): number[] => of.map(rate => rate.measuredTflops);
  const bySize = [...new Set(rates.map(({ size }) => size))].map(
    size => [size, rates.filter(rate => rate.size === size)] as const,
  );
  const correlation = (of: readonly Rate[]): number =>
    spearman(
      of.map(rate => rate.predictedTflops),
      measured(of),
    );
  const best = (of: readonly Rate[]): number => Math.max(...measured(of));
  const logs = rates.map(rate => Math.log(rate.measuredTflops / rate.predictedTflops) ** 2);
  return {
    spearman: correlation(rates),
    spearmanBySize: Object.fromEntries(
      bySize.filter(([, of]) => of.length >= ENOUGH).map(([size, of]) => [size, correlation(of)]),
    ),
    spearmanBeforeCompiling: spearman(
      rates.map(({ before }) => before),
      measured(rates),
    ),
    rmsLog: Math.sqrt(logs.reduce((sum, square) => sum + square, 0) / logs.length),
    bestOfTop: Object.fromEntries(
      bySize
        .filter(([, of]) => of.length > TOP)
        .map(([size, of]) => {
          const ranked = [...of].sort((a, b) => b.predictedTflops - a.predictedTflops);
          return [size, best(ranked.slice(0, TOP)) / best(of)];
        }),
    ),
    points: rates.map(({ specKey, measuredTflops, predictedTflops }) => ({
      specKey,
      measuredTflops: Number(measuredTflops.toFixed(3)),
      predictedTflops: Number(predictedTflops.toFixed(3)),
    })),
  };
}

function sizeOf({ plan }: Point): string {
  const { m, n, k, batch } = plan.spec.problem;
  return [m, n, k, ...(batch === 1 ? [] : [batch])].join(' x ');
}

/**
 * Computes Spearman's rank correlation, which is Pearson's correlation of the ranks; ties share a
 * rank.
 */
export function spearman(one: readonly number[], other: readonly number[]): number {
  const [x, y] = [ranks(one), ranks(other)];
  const mean = (x.length - 1) / 2;
  const product = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, i) => sum + (value - mean) * ((right[i] ?? 0) - mean), 0);
  return product(x, y) / Math.sqrt(product(x, x) * product(y, y));
}

function ranks(values: readonly number[]): readonly number[] {
  const sorted = [...values].sort((left, right) => left - right);
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}
