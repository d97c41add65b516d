/** Fits the parameters of the time model to recorded measurements. */
import type { Calibration } from '../../../src/core/model/calibration';
import { fittedNumbers, type Ranges } from './logFit';
import { predicted, type Point } from '../../../scripts/model/points';

type Numbers = Omit<Calibration, 'origin'>;

const RANGES: Ranges<keyof Numbers> = {
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

export function fitted(points: readonly Point[]): {
  readonly calibration: Calibration;
  readonly residual: number;
} {
  const { numbers, residual } = fittedNumbers({
    ranges: RANGES,
    runs: points.map(({ milliseconds }) => ({ milliseconds })),
    predictedMs: numbers => {
      const calibration = { ...numbers, origin: 'fitted' };
      return points.map(point => predicted(point, calibration, 'compiled').milliseconds);
    },
  });
  return { calibration: { ...numbers, origin: 'fitted' }, residual };
}
