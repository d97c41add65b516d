/** Fits the correction of predicted `wgmma` times to recorded benchmarks. */
import type { BoostedTrees } from '../../../src/core/cost/boostedTrees';
import type { ShapeClass } from '../../../src/core/cost/shapeClass';
import { warpGroupsOn } from '../../../src/core/cost/wgmma/wgmmaCalibration';
import { correctionFeatures } from '../../../src/core/cost/wgmma/wgmmaFeatures';
import { predictKernel, type WarpGroupPrediction } from '../../../src/core/cost/wgmma/wgmmaModel';
import type { GroupPoint, Race } from '../../../scripts/model/warpGroupPoints';
import { fittedRatios, type RatioOptions } from './ratioFit';

/** Benchmarks with fewer kernels do not rank kernels. */
const LEAST_KERNELS = 8;
const OPTIONS: Omit<RatioOptions, 'near' | 'trees'> = {
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

/**
 * Predicts the time at the recorded clock, because interleaved kernels share the power limit. DRAM
 * limits most kernels of `flat` problems: their recorded clocks depend on their speed, which is
 * unknown when a default is chosen, so the boost clock replaces them.
 */
export const predictionOf =
  (name: ShapeClass) =>
  ({ kernel, machine, clockMHz }: GroupPoint): WarpGroupPrediction =>
    predictKernel(kernel, {
      machine,
      calibration: warpGroupsOn(machine.device).calibration,
      clockMHz: name === 'flat' ? machine.clockMHz : clockMHz,
    });

/** Weight of a point of an H200 relative to one of an H100, of which there are more. */
const H200_WEIGHT = 2;
/** Weight of a point of a benchmark with weight prefetch, of which there are fewer. */
const PREFETCH_WEIGHT = 2;

const weightOf = (points: readonly GroupPoint[]): number =>
  (points[0]?.machine.device === 'h200' ? H200_WEIGHT : 1) *
  (points.some(({ kernel }) => kernel.prefetches) ? PREFETCH_WEIGHT : 1);

/**
 * Times of `flat` problems are close to each other, since DRAM limits most kernels. More trees
 * improve their choice by less than 0.5 %.
 */
const CLASSES: Readonly<Record<ShapeClass, Pick<RatioOptions, 'near' | 'trees'>>> = {
  general: { near: 0.25, trees: 480 },
  flat: { near: 0.15, trees: 240 },
};

export const fittedCorrection = (name: ShapeClass, races: readonly Race[]): BoostedTrees =>
  fittedRatios(
    races.map(({ points }) => ({
      kernels: points.map(point => {
        const prediction = predictionOf(name)(point);
        return {
          features: correctionFeatures(point.kernel, prediction),
          predictedMs: prediction.milliseconds,
          measuredMs: point.milliseconds,
        };
      }),
      weight: weightOf(points),
    })),
    { ...OPTIONS, ...CLASSES[name] },
  );
