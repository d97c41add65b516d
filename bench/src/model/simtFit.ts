/** Fits the parameters of the SIMT time model to recorded benchmarks. */
import type { SimtCalibration } from '../../../src/core/cost/simt/simtCalibration';
import { predictedMs, type SimtPoint } from '../../../scripts/model/simtPoints';
import { fittedNumbers, type Ranges } from './logFit';

type Numbers = Omit<SimtCalibration, 'origin' | 'errorPercent' | 'fittedOn' | 'tiles'>;

const RANGES: Ranges<keyof Numbers> = {
  copy4Cycles: [1.5, 0.25, 20],
  copy2Cycles: [1.5, 0.25, 20],
  copy1Cycles: [1.5, 0.25, 20],
  transposedCycles: [1.5, 0.25, 20],
  stridedCycles: [4, 0.25, 64],
  irregularCycles: [4, 0.1, 40],
  stepCycles: [30, 1, 600],
  l2BytesPerCycle: [64, 10, 300],
  latencyCycles: [800, 50, 5000],
  blockCycles: [1000, 50, 20_000],
  vectorStoreBytesPerCycle: [40, 2, 400],
  scalarStoreBytesPerCycle: [20, 1, 400],
  overlap: [3, 1, 12],
  reducedGBps: [3000, 200, 20_000],
  launchMicroseconds: [3, 0.5, 8],
  reductionMicroseconds: [2, 0.2, 8],
};
const TILE_RANGES = {
  busy: [1.2, 0.8, 20],
  alone: [1.5, 0.3, 40],
  refill: [0.4, 0.01, 1],
} as const;

/** As in warpGroupFit.ts: the model has to order the fastest kernels. */
const DECAY = 0.5;
const LEAST_WEIGHT = 0.1;

/** Fits the constants of one class of problems. */
export function fittedSimt(points: readonly SimtPoint[]): {
  readonly calibration: SimtCalibration;
  readonly residual: number;
} {
  const names = [...new Set(points.map(({ tile }) => tile))];
  const tileRanges = Object.fromEntries(
    names.flatMap(name =>
      Object.entries(TILE_RANGES).map(([field, range]) => [`${field} ${name}`, range] as const),
    ),
  );
  const calibrationOf = (numbers: Readonly<Record<string, number>>): SimtCalibration => {
    const of = (name: string): number => numbers[name] ?? NaN;
    return {
      ...(Object.fromEntries(Object.keys(RANGES).map(key => [key, of(key)])) as unknown as Numbers),
      tiles: Object.fromEntries(
        names.map(name => [
          name,
          { busy: of(`busy ${name}`), alone: of(`alone ${name}`), refill: of(`refill ${name}`) },
        ]),
      ),
      errorPercent: 0,
      fittedOn: [...new Set(points.map(({ device }) => device))],
      origin: 'fitted',
    };
  };
  const fastest = new Map<string, number>();
  for (const { shape, milliseconds } of points)
    fastest.set(shape, Math.min(milliseconds, fastest.get(shape) ?? Infinity));
  const { numbers, residual } = fittedNumbers({
    ranges: { ...RANGES, ...tileRanges },
    runs: points.map(({ shape, milliseconds }) => {
      const behind = milliseconds / (fastest.get(shape) ?? milliseconds) - 1;
      return { milliseconds, weight: Math.max(LEAST_WEIGHT, Math.exp(-behind / DECAY)) };
    }),
    predictedMs: found => {
      const calibration = calibrationOf(found);
      return points.map(point => predictedMs(point, calibration));
    },
    starts: 1,
    iterations: 40,
  });
  return { calibration: calibrationOf(numbers), residual };
}
