/** Fits boosted trees to the ratios of measured and predicted times of recorded benchmarks. */
import type { BoostedTrees } from '../../../src/core/cost/boostedTrees';
import { fittedTrees, type BoostedOptions, type BoostedPoint } from './boostedFit';

export interface PredictedKernel {
  readonly features: Readonly<Record<string, number>>;
  readonly predictedMs: number;
  readonly measuredMs: number;
}

export interface PredictedRace {
  readonly kernels: readonly PredictedKernel[];
  /** Weight relative to that of other benchmarks. */
  readonly weight: number;
}

export interface RatioOptions extends Omit<BoostedOptions, 'names'> {
  /**
   * Excess of the logarithm of a time over that of the fastest kernel at which a kernel has 1/e of
   * its weight. The order of slow kernels does not matter.
   */
  readonly near: number;
}

interface Ratio {
  readonly features: readonly number[];
  /** Logarithm of the ratio of the measured and the predicted time. */
  readonly ratio: number;
  readonly weight: number;
}

/**
 * Fits the trees to the logarithms of the ratios of measured and predicted times, relative to their
 * mean over the kernels of a benchmark: an error that all kernels share does not change their
 * order. The mean over all benchmarks is kept.
 */
export function fittedRatios(
  races: readonly PredictedRace[],
  { near, ...options }: RatioOptions,
): BoostedTrees {
  const names = Object.keys(races[0]?.kernels[0]?.features ?? {});
  const all = races.map(({ kernels, weight }): readonly Ratio[] => {
    const fastest = Math.min(...kernels.map(({ measuredMs }) => measuredMs));
    return kernels.map(({ features, predictedMs, measuredMs }) => ({
      features: Object.values(features),
      ratio: Math.log(measuredMs / predictedMs),
      weight: weight * (fastest / measuredMs) ** (1 / near),
    }));
  });
  const common = weightedMean(all.flat());
  const points = all.flatMap((ratios): readonly BoostedPoint[] => {
    const mean = weightedMean(ratios);
    return ratios.map(({ features, ratio, weight }) => ({
      features,
      target: ratio - mean + common,
      weight,
    }));
  });
  return fittedTrees(points, { ...options, names });
}

const weightedMean = (ratios: readonly Ratio[]): number =>
  ratios.reduce((sum, { ratio, weight }) => sum + weight * ratio, 0) /
  ratios.reduce((sum, { weight }) => sum + weight, 0);
