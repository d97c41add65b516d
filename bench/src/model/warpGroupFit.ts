/** Fits the parameters of the `wgmma` time model to recorded benchmarks. */
import type { WarpGroupCalibration } from '../../../src/core/model/wgmma/wgmmaCalibration';
import { fittedNumbers, type Ranges } from './logFit';
import { arrivedGBps, predictedMs, type Race } from '../../../scripts/model/warpGroupPoints';

type Numbers = Omit<WarpGroupCalibration, 'origin' | 'arrivingGBps'>;

const RANGES: Ranges<keyof Numbers> = {
  stepCycles: [40, 0.1, 400],
  promotionCycles: [200, 1, 2000],
  latencyNanoseconds: [500, 50, 4000],
  blockMicroseconds: [1, 0.05, 10],
  meetingMicroseconds: [1.5, 0.05, 10],
  launchMicroseconds: [2, 0.2, 9],
  programmaticMicroseconds: [1, 0.05, 9],
  idleWatts: [150, 30, 400],
  tensorNanojoules: [5, 0.5, 20],
};

/** Weight of a kernel that was timed only in qualifying rounds, at an unknown GPU clock. */
const IN_HEATS = 0.4;

export function fittedGroups(races: readonly Race[]): {
  readonly calibration: WarpGroupCalibration;
  readonly residual: number;
} {
  const points = races.flatMap(race => race.points);
  const arrived = points.filter(({ tookTurns }) => tookTurns).map(arrivedGBps);
  const rest = { arrivingGBps: Number(Math.max(...arrived).toPrecision(4)), origin: 'fitted' };
  const { numbers, residual } = fittedNumbers({
    ranges: RANGES,
    runs: points.map(({ milliseconds, tookTurns }) => ({
      milliseconds,
      weight: tookTurns ? 1 : IN_HEATS,
    })),
    predictedMs: found => points.map(point => predictedMs(point, { ...found, ...rest })),
  });
  return { calibration: { ...numbers, ...rest }, residual };
}
