/** Fits the correction of predicted SIMT times to recorded benchmarks. */
import type { BoostedTrees } from '../../../src/core/cost/boostedTrees';
import { SIMT } from '../../../src/core/cost/simt/simtCalibration';
import { simtFeatures } from '../../../src/core/cost/simt/simtFeatures';
import type { SimtPrediction } from '../../../src/core/cost/simt/simtModel';
import { isGemvCandidate } from '../../../src/core/defaults/simt/gemvChoice';
import { predictionOf, type SimtPoint } from '../../../scripts/model/simtPoints';
import { fittedRatios, type RatioOptions } from './ratioFit';

/** Benchmarks with fewer kernels do not rank kernels. */
const LEAST_KERNELS = 8;

const OPTIONS: RatioOptions = {
  near: 0.2,
  trees: 320,
  depth: 4,
  rate: 0.15,
  ridge: 5,
  bins: 24,
  pointsPercent: 70,
  featuresPercent: 50,
  seed: 1,
};

export const modelOf = (point: SimtPoint): SimtPrediction => predictionOf(point, SIMT[point.class]);

/** Returns the points of benchmarks with enough kernels, of problems that are corrected. */
export function rankedPoints(points: readonly SimtPoint[]): readonly SimtPoint[] {
  const races = racesOf(points);
  return points.filter(
    ({ shape, kernel }) =>
      (races.get(shape)?.length ?? 0) >= LEAST_KERNELS && !isGemvCandidate(kernel.problem),
  );
}

export const fittedSimtCorrection = (points: readonly SimtPoint[]): BoostedTrees =>
  fittedRatios(
    [...racesOf(points).values()].map(race => ({
      kernels: race.map(point => {
        const prediction = modelOf(point);
        return {
          features: simtFeatures(point.kernel, prediction),
          predictedMs: prediction.milliseconds,
          measuredMs: point.milliseconds,
        };
      }),
      weight: 1,
    })),
    OPTIONS,
  );

function racesOf(points: readonly SimtPoint[]): ReadonlyMap<string, readonly SimtPoint[]> {
  const races = new Map<string, SimtPoint[]>();
  for (const point of points) races.set(point.shape, [...(races.get(point.shape) ?? []), point]);
  return races;
}
