/** Fits the parameters of the `mma` time model to recorded benchmarks. */
import type { MmaCalibration } from '../../../src/core/cost/mma/mmaCalibration';
import { predictedMs, type MmaPoint } from '../../../scripts/model/mmaPoints';
import { fittedNumbers, type Ranges } from './logFit';

type Numbers = Omit<MmaCalibration, 'errorPercent' | 'fittedOn'>;

const RANGES: Ranges<keyof Numbers> = {
  tensorShare: [0.6, 0.3, 1],
  copyNanoseconds: [0.15, 0.01, 2],
  rowNanoseconds: [1, 0.05, 5],
  transposedCopyFactor: [1.5, 0.5, 8],
  transposedStepNanoseconds: [100, 1, 2000],
  latencyNanoseconds: [1500, 100, 6000],
  storedNanoseconds: [0.1, 0.001, 1],
  blockMicroseconds: [1, 0.05, 6],
  launchMicroseconds: [2, 0.3, 6],
  reductionMicroseconds: [2, 0.2, 8],
  reducedGBps: [2000, 200, 9000],
  dramShare: [0.8, 0.3, 1],
};

/** As in warpGroupFit.ts: the model has to order the fastest kernels. */
const DECAY = 0.5;
const LEAST_WEIGHT = 0.17;

export function fittedMma(points: readonly MmaPoint[]): {
  readonly numbers: Numbers;
  readonly residual: number;
} {
  const fastest = new Map<string, number>();
  for (const { shape, milliseconds } of points)
    fastest.set(shape, Math.min(fastest.get(shape) ?? Infinity, milliseconds));
  return fittedNumbers<keyof Numbers>({
    ranges: RANGES,
    runs: points.map(({ shape, milliseconds }) => {
      const excess = milliseconds / (fastest.get(shape) ?? milliseconds) - 1;
      return { milliseconds, weight: Math.max(LEAST_WEIGHT, Math.exp(-excess / DECAY)) };
    }),
    predictedMs: found =>
      points.map(point => predictedMs(point, { ...found, errorPercent: 0, fittedOn: [] })),
  });
}
