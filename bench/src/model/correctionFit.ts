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

export const predictionOf = ({ kernel, machine }: GroupPoint): WarpGroupPrediction =>
  predictKernel(kernel, { machine, calibration: warpGroupsOn(machine.device).calibration });

/** Weight of a point of an H200 relative to one of an H100, of which there are more. */
const H200_WEIGHT = 2;

/**
 * Fits the trees to the logarithms of the ratios of measured and predicted times, relative to their
 * mean over the kernels of a benchmark: an error that all kernels share does not change their order.
 */
export function fittedCorrection(races: readonly Race[]): BoostedTrees {
  let names: readonly string[] = [];
  const points = races.flatMap(({ points: of }): readonly BoostedPoint[] => {
    const fastest = Math.min(...of.map(({ milliseconds }) => milliseconds));
    const ratios = of.map(point => {
      const prediction = predictionOf(point);
      const features = correctionFeatures(point.kernel, prediction);
      names = Object.keys(features);
      return {
        features: Object.values(features),
        ratio: Math.log(point.milliseconds / prediction.milliseconds),
        weight: (fastest / point.milliseconds) ** (1 / NEAR),
      };
    });
    const mean = weightedMean(ratios);
    const factor = of[0]?.machine.device === 'h200' ? H200_WEIGHT : 1;
    return ratios.map(({ features, ratio, weight }) => ({
      features,
      target: ratio - mean,
      weight: factor * weight,
    }));
  });
  return fittedTrees(points, { ...OPTIONS, names });
}

const weightedMean = (
  points: readonly { readonly ratio: number; readonly weight: number }[],
): number =>
  points.reduce((sum, { ratio, weight }) => sum + weight * ratio, 0) /
  points.reduce((sum, { weight }) => sum + weight, 0);
