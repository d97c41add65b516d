/**
 * Fits the time model of `mma` kernels, for asynchronous copies and for tiles prefetched in
 * registers. The fits use two thirds of the shapes and are evaluated on the others. The result is
 * recorded in bench/mma-model.json:
 * node out/bench/calibrateMma.js
 * Copy the printed calibrations to src/core/cost/mma/mmaCalibration.ts. No GPU is required.
 */
import { writeFileSync } from 'node:fs';
import { isHeldOut } from '../../scripts/model/heldOut';
import { provenance } from '../../scripts/grid/provenance';
import {
  MMA_RECORDS,
  predictedMs,
  recordedMmaPoints,
  type MmaPoint,
} from '../../scripts/model/mmaPoints';
import { judgedPoints } from '../../scripts/model/simtJudge';
import { fittedMma } from './model/mmaFit';

const FITTED_ON = ['h100-sxm', 'h200'] as const;

function fitOf(points: readonly MmaPoint[]) {
  const [seen, unseen] = [
    points.filter(({ shape }) => !isHeldOut(shape)),
    points.filter(({ shape }) => isHeldOut(shape)),
  ];
  const { numbers, residual } = fittedMma(seen);
  const fitted = { ...numbers, errorPercent: 0, fittedOn: FITTED_ON };
  const judged = (of: typeof points) => judgedPoints(of, point => predictedMs(point, fitted));
  const judgedOn = judged(unseen);
  return {
    calibration: { ...fitted, errorPercent: Math.ceil(100 * judgedOn.error) },
    residual,
    fittedTo: judged(seen),
    judgedOn,
  };
}

const points = recordedMmaPoints();
const record = {
  what: 'Time model of mma kernels fitted to the recorded benchmarks of some shapes, and evaluated on the other shapes',
  ...provenance('node out/bench/calibrateMma.js'),
  files: MMA_RECORDS,
  asynchronous: fitOf(points.filter(({ isPrefetched }) => !isPrefetched)),
  prefetched: fitOf(points.filter(({ isPrefetched }) => isPrefetched)),
};
writeFileSync('bench/mma-model.json', `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
