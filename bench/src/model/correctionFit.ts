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

/** Fits the trees to the logarithms of the ratios of measured and predicted times. */
export function fittedCorrection(races: readonly Race[]): BoostedTrees {
  let names: readonly string[] = [];
  const points = races.flatMap(({ points: of }): readonly BoostedPoint[] => {
    const fastest = Math.min(...of.map(({ milliseconds }) => milliseconds));
    return of.map(point => {
      const prediction = predictionOf(point);
      const features = correctionFeatures(point.kernel, prediction);
      names = Object.keys(features);
      return {
        features: Object.values(features),
        target: Math.log(point.milliseconds / prediction.milliseconds),
        weight: (fastest / point.milliseconds) ** (1 / NEAR),
      };
    });
  });
  return fittedTrees(points, { ...OPTIONS, names });
}
