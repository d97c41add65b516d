/**
 * Fits the time model of `gemv` to recorded benchmarks: `node out/bench/calibrateGemv.js`
 * For the error, each shape is predicted by a fit to the other shapes. Copy the printed constants
 * to src/core/cost/simt/gemvModel.ts. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  GEMV,
  gemvMilliseconds,
  type GemvCalibration,
  type GemvKernel,
} from '../../src/core/cost/simt/gemvModel';
import { simtMachine } from '../../src/core/cost/simt/simtModel';
import { resolve } from '../../src/core/defaults/resolve';
import { gemvKernelOf } from '../../src/core/defaults/simt/gemvChoice';
import { gemvTiles, gemvSchedule } from '../../src/core/defaults/simt/gemvSchedules';
import { deviceOf } from '../../src/core/hardware/devices';
import { median, quantile } from '../../src/core/measure/statistics';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import { decodeSpec } from '../../src/core/spec/decode';
import { provenance } from '../../scripts/grid/provenance';
import { randomRacesIn } from '../../scripts/random/raced';

const FILE = 'bench/h200-gemv.jsonl';
const RECORD = 'bench/gemv-model.json';
const VALUES = {
  readShare: [1, 1.02, 1.04, 1.06, 1.08, 1.1, 1.12, 1.14],
  halfBytes: [0, 512, 1024, 2048, 4096],
  balance: [0, 0.1, 0.2, 0.3, 0.5, 1],
  launchMicroseconds: [2, 3, 4, 5, 6, 7],
} as const;

const machine = simtMachine(deviceOf('h200'));
if (machine === null) throw new Error('The peak of the H200 is unknown.');
interface Point {
  readonly shape: string;
  readonly kernel: GemvKernel;
  readonly milliseconds: number;
}

/** Returns whether the candidates of a problem have the tile of a recorded schedule. */
const isCandidate = ({ problem, schedule }: ResolvedSpec): boolean =>
  gemvTiles(problem).some(tile => {
    const { block, thread } = gemvSchedule(problem.m, tile);
    return (
      block?.n === schedule.block?.n &&
      block?.k === schedule.block?.k &&
      thread?.k === schedule.thread?.k
    );
  });

const points = randomRacesIn(readFileSync(FILE, 'utf8')).flatMap(({ key, problem, kernels }) =>
  kernels.flatMap(({ schedule, medianMs }): readonly Point[] => {
    const decoded = decodeSpec({ problem, schedule, device: 'h200', targets: ['cuda'] });
    if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
    const spec = resolve(decoded.spec);
    if (medianMs === undefined || !isCandidate(spec)) return [];
    return [
      { shape: key, kernel: gemvKernelOf(spec.problem, spec.schedule), milliseconds: medianMs },
    ];
  }),
);

const errorOf = ({ kernel, milliseconds }: Point, of: GemvCalibration): number =>
  gemvMilliseconds(kernel, machine, of) / milliseconds - 1;

function fit(to: readonly Point[]): GemvCalibration {
  let best = { calibration: GEMV, error: Infinity };
  for (const readShare of VALUES.readShare)
    for (const halfBytes of VALUES.halfBytes)
      for (const balance of VALUES.balance)
        for (const launchMicroseconds of VALUES.launchMicroseconds) {
          const one = { ...GEMV, readShare, halfBytes, balance, launchMicroseconds };
          const error = to.reduce((sum, point) => sum + errorOf(point, one) ** 2, 0);
          if (error < best.error) best = { calibration: one, error };
        }
  return best.calibration;
}

const shapes = [...new Set(points.map(({ shape }) => shape))];
const errors = shapes.flatMap(shape => {
  const of = fit(points.filter(point => point.shape !== shape));
  return points.filter(point => point.shape === shape).map(point => Math.abs(errorOf(point, of)));
});
const record = {
  what: 'Time model of gemv, and its error at each shape with a fit to the other shapes',
  ...provenance('node out/bench/calibrateGemv.js'),
  file: basename(FILE),
  shapes: shapes.length,
  kernels: points.length,
  error: median(errors),
  errorP95: quantile(errors, 0.95),
  fitted: { ...fit(points), errorPercent: Math.round(100 * median(errors)) },
};
writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
console.log(record);
