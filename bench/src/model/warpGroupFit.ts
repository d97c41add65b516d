/** Fits the parameters of the `wgmma` time model to recorded benchmarks. */
import { POWER, type WarpGroupCalibration } from '../../../src/core/cost/wgmma/wgmmaCalibration';
import { fittedNumbers, type Ranges } from './logFit';
import { arrivedGBps, predictedMs, type Race } from '../../../scripts/model/warpGroupPoints';

type Numbers = Omit<
  WarpGroupCalibration,
  'origin' | 'arrivingGBps' | 'errorPercent' | keyof typeof POWER
>;

const RANGES: Ranges<keyof Numbers> = {
  pingpongStepCycles: [2, 0.1, 60],
  cooperativeStepCycles: [8, 0.1, 60],
  promotionCycles: [200, 1, 2000],
  latencyNanoseconds: [500, 50, 4000],
  row16Nanoseconds: [2.2, 0.5, 6],
  row32Nanoseconds: [1.7, 0.5, 6],
  row64Nanoseconds: [1.3, 0.3, 4],
  row128Nanoseconds: [0.9, 0.2, 3],
  // Fits without this lower limit exceed the L2 bandwidth of an SM, about 64 bytes per cycle.
  loneShare: [0.7, 0.6, 1],
  multicastFactor: [1.1, 0.8, 2],
  narrowBoxFactor: [1.2, 1, 2],
  paddedRowFactor: [1, 0.01, 4],
  lastRoundShare: [0.8, 0.1, 1],
  storedGBps: [7000, 2000, 15_000],
  partialSectorBytes: [40, 1, 400],
  hiddenStoreShare: [0.2, 0.02, 1],
  scatteredNanoseconds: [0.35, 0.05, 2],
  // Staged stores were benchmarked on the H100 only.
  stagedNanoseconds: [0.2149, 0.01, 1],
  clusterMicroseconds: [0.05, 0.005, 1],
  prePassShare: [0.4, 0.1, 1],
  prePassMicroseconds: [1, 0.05, 9],
  blockMicroseconds: [1, 0.05, 10],
  meetingMicroseconds: [1.5, 0.05, 10],
  launchMicroseconds: [2, 0.2, 9],
  programmaticShare: [0.8, 0.1, 0.99],
};

/** Constants of memory and pre-pass kernels, which differ between GPUs with the same SM. */
const OF_DEVICE: readonly (keyof Numbers)[] = [
  'row16Nanoseconds',
  'row32Nanoseconds',
  'row64Nanoseconds',
  'row128Nanoseconds',
  'loneShare',
  'multicastFactor',
  'narrowBoxFactor',
  'paddedRowFactor',
  'lastRoundShare',
  'storedGBps',
  'partialSectorBytes',
  'stagedNanoseconds',
  'prePassShare',
  'prePassMicroseconds',
  'launchMicroseconds',
];

/** Weight of a kernel that was timed only in qualifying rounds, at an unknown GPU clock. */
const IN_HEATS = 0.4;
/**
 * Slow kernels count less, because the model has to order the fastest ones: the weight falls by a
 * factor of e for each `DECAY` of the excess time, down to `LEAST_WEIGHT`.
 */
const DECAY = 0.5;
const LEAST_WEIGHT = 0.17;

const weighted = ({ points }: Race): readonly number[] => {
  const best = Math.min(...points.map(({ milliseconds }) => milliseconds));
  return points.map(
    ({ milliseconds, tookTurns }) =>
      (tookTurns ? 1 : IN_HEATS) *
      Math.max(LEAST_WEIGHT, Math.exp((1 - milliseconds / best) / DECAY)),
  );
};

/**
 * @param all benchmarks including the excluded ones, whose highest arrival rate is a constant
 * @param base fit of another GPU, from which the fit takes all constants except `OF_DEVICE`
 */
export function fittedGroups(
  races: readonly Race[],
  all: readonly Race[],
  base?: WarpGroupCalibration,
): {
  readonly calibration: WarpGroupCalibration;
  readonly residual: number;
} {
  const points = races.flatMap(race => race.points);
  const arrived = all
    .flatMap(race => race.points)
    .filter(({ tookTurns }) => tookTurns)
    .map(arrivedGBps);
  const rest = {
    ...base,
    ...POWER,
    arrivingGBps: Number(Math.max(...arrived).toPrecision(4)),
    errorPercent: 0,
    origin: 'fitted',
  };
  const weights = races.flatMap(weighted);
  const { numbers, residual } = fittedNumbers<keyof Numbers>({
    ranges: base === undefined ? RANGES : rangesFrom(base),
    runs: points.map(({ milliseconds }, i) => ({ milliseconds, weight: weights[i] ?? 1 })),
    predictedMs: found => points.map(point => predictedMs(point, { ...rest, ...found })),
    // The predictions of thousands of kernels take long.
    starts: 2,
    iterations: 30,
  });
  return { calibration: { ...rest, ...numbers }, residual };
}

function rangesFrom(base: WarpGroupCalibration): Ranges<keyof Numbers> {
  const names = Object.keys(RANGES) as (keyof Numbers)[];
  const ranges = names.map(name => {
    const [, from, to] = RANGES[name];
    const start = base[name];
    return [name, OF_DEVICE.includes(name) ? [start, from, to] : [start, start, start]];
  });
  return Object.fromEntries(ranges) as Ranges<keyof Numbers>;
}
