/**
 * Least squares of the logarithms of times, by Levenberg and Marquardt from several starts; a run that the model does not
 * explain counts by its distance, not by its square (soft L1), and a weak prior holds what the runs say nothing about.
 */
import type { Calibration } from '../../src/core/model/calibration';
import { predicted, type Point } from './points';
import { solved, type Solution } from './solve';

type Numbers = Omit<Calibration, 'origin'>;

/** Where each number starts, and between which values it is sought. */
const RANGES: Readonly<Record<keyof Numbers, readonly [start: number, from: number, to: number]>> =
  {
    multiplyAddShare: [0.9, 0.3, 1],
    cyclesPerWavefront: [0.7, 0.05, 3],
    cyclesPerRequest: [0.4, 0.01, 5],
    cyclesPerCopyWavefront: [0.7, 0.01, 3],
    cyclesPerCopy: [1, 0.01, 10],
    cyclesPerLine: [1, 0.01, 6],
    cyclesPerSpill: [4, 0.05, 20],
    spillLatencyCycles: [20, 0.1, 300],
    fragmentLatencyCycles: [8, 0.1, 80],
    barrierCycles: [60, 1, 600],
    tileLatencyCycles: [800, 50, 3000],
    blockCycles: [1000, 1, 20_000],
    l2BytesPerCycle: [35, 5, 200],
    resultBytesPerCycle: [40, 2, 400],
    overlap: [3, 1, 8],
    launchMicroseconds: [2, 0.5, 8],
  };
const NAMES = Object.keys(RANGES) as readonly (keyof Numbers)[];
const START = NAMES.map(name => Math.log(RANGES[name][0]));

/** Beyond this, of the logarithm of predicted over measured time, a run counts by its distance. */
const OUTLIER = 0.12;
/** Of a number that is e times where it starts, as the logarithm of a time. */
const PRIOR = 0.02;
const STARTS = 6;
const ITERATIONS = 80;

/** Numbers are sought as logarithms. */
function calibrationOf(logarithms: readonly number[]): Calibration {
  const entries = NAMES.map((name, i) => {
    const [, from, to] = RANGES[name];
    return [name, Math.min(to, Math.max(from, Math.exp(logarithms[i] ?? 0)))] as const;
  });
  return { ...(Object.fromEntries(entries) as Record<keyof Numbers, number>), origin: 'fitted' };
}

const rounded = (calibration: Calibration): Calibration => ({
  ...(Object.fromEntries(
    NAMES.map(name => [name, Number(calibration[name].toPrecision(4))]),
  ) as unknown as Numbers),
  origin: 'fitted',
});

export function fitted(points: readonly Point[]): {
  readonly calibration: Calibration;
  /** Root mean square of the logarithm of predicted over measured time. */
  readonly residual: number;
} {
  const errors = (logarithms: readonly number[]): readonly number[] => {
    const calibration = calibrationOf(logarithms);
    return points.map(point =>
      Math.log(predicted(point, calibration, 'compiled').milliseconds / point.milliseconds),
    );
  };
  const residuals = (logarithms: readonly number[]): readonly number[] => [
    ...errors(logarithms).map(soft),
    ...logarithms.map((value, i) => PRIOR * (value - (START[i] ?? 0))),
  ];
  let best: Solution = { at: START, loss: Infinity };
  for (let start = 0; start < STARTS; start++) {
    const moved = START.map(
      (value, i) => value + (start === 0 ? 0 : 0.4 * Math.sin(7 * start + i)),
    );
    const found = solved(residuals, moved, ITERATIONS);
    if (found.loss < best.loss) best = found;
  }
  const squares = errors(best.at).map(error => error ** 2);
  const residual = Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length);
  return { calibration: rounded(calibrationOf(best.at)), residual };
}

/** So that its square grows like the distance where that is large. */
const soft = (error: number): number => {
  const squared = 2 * OUTLIER ** 2 * (Math.sqrt(1 + (error / OUTLIER) ** 2) - 1);
  return Math.sign(error) * Math.sqrt(squared);
};
