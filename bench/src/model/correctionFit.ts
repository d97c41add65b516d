/** Fits the correction of predicted `wgmma` times to recorded benchmarks. */
import type { BoostedTrees } from '../../../src/core/cost/boostedTrees';
import { warpGroupsOn } from '../../../src/core/cost/wgmma/wgmmaCalibration';
import { correctionFeatures } from '../../../src/core/cost/wgmma/wgmmaFeatures';
import { predictKernel, type WarpGroupPrediction } from '../../../src/core/cost/wgmma/wgmmaModel';
import type { GroupPoint, Race } from '../../../scripts/model/warpGroupPoints';
import { fittedTrees, type BoostedOptions, type BoostedPoint } from './boostedFit';

/** Benchmarks with fewer kernels do not rank kernels. */
const LEAST_KERNELS = 8;
/**
 * Excess of the logarithm of a time over that of the fastest kernel at which a kernel has 1/e of
 * its weight. The order of slow kernels does not matter.
 */
const NEAR = 0.25;

const OPTIONS: Omit<BoostedOptions, 'names'> = {
  trees: 240,
  depth: 5,
  rate: 0.12,
  ridge: 5,
  bins: 32,
  pointsPercent: 70,
  featuresPercent: 50,
  seed: 1,
};

/** Returns the benchmarks with enough kernels. */
export const rankedRaces = (races: readonly Race[]): readonly Race[] =>
  races.filter(({ points }) => points.length >= LEAST_KERNELS);

/** Predicts the time at the recorded clock, because interleaved kernels share the power limit. */
export const predictionOf = ({ kernel, machine, clockMHz }: GroupPoint): WarpGroupPrediction =>
  predictKernel(kernel, {
    machine,
    calibration: warpGroupsOn(machine.device).calibration,
    clockMHz,
  });

/** Weight of a point of an H200 relative to one of an H100, of which there are more. */
const H200_WEIGHT = 2;

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
export function fittedCorrection(races: readonly Race[]): BoostedTrees {
  let names: readonly string[] = [];
  const ratiosOf = ({ points }: Race): readonly Ratio[] => {
    const fastest = Math.min(...points.map(({ milliseconds }) => milliseconds));
    const factor = points[0]?.machine.device === 'h200' ? H200_WEIGHT : 1;
    return points.map(point => {
      const prediction = predictionOf(point);
      const features = correctionFeatures(point.kernel, prediction);
      names = Object.keys(features);
      return {
        features: Object.values(features),
        ratio: Math.log(point.milliseconds / prediction.milliseconds),
        weight: factor * (fastest / point.milliseconds) ** (1 / NEAR),
      };
    });
  };
  const all = races.map(ratiosOf);
  const common = weightedMean(all.flat());
  const points = all.flatMap((ratios): readonly BoostedPoint[] => {
    const mean = weightedMean(ratios);
    return ratios.map(({ features, ratio, weight }) => ({
      features,
      target: ratio - mean + common,
      weight,
    }));
  });
  return fittedTrees(points, { ...OPTIONS, names });
}

const weightedMean = (ratios: readonly Ratio[]): number =>
  ratios.reduce((sum, { ratio, weight }) => sum + weight * ratio, 0) /
  ratios.reduce((sum, { weight }) => sum + weight, 0);
