/**
 * Fits the time model of SIMT schedules to the recorded benchmarks of two thirds of the shapes. It
 * evaluates the model on the other shapes, and records the result:
 * node out/bench/calibrateSimt.js [OUT.json]
 * Copy the printed calibrations to src/core/cost/simt/simtCalibration.ts. No GPU is required.
 */
import { writeFileSync } from 'node:fs';
import { provenance } from '../../scripts/grid/provenance';
import { heldOutShapes, judgedPoints } from '../../scripts/model/simtJudge';
import {
  predictedMs,
  recordedSimtPoints,
  SIMT_RECORDS,
  type SimtPoint,
} from '../../scripts/model/simtPoints';
import { fittedSimt } from './model/simtFit';

const words = process.argv.slice(2);
const [out = 'bench/simt-model.json'] = words;

const points = recordedSimtPoints();

function fittedClass(name: SimtPoint['class']) {
  const own = points.filter(point => point.class === name);
  const held = heldOutShapes(own);
  const isHeld = ({ shape }: SimtPoint): boolean => held.has(shape);
  const [seen, unseen] = [own.filter(point => !isHeld(point)), own.filter(isHeld)];
  const { calibration: fitted, residual } = fittedSimt(seen);
  const judged = (of: readonly SimtPoint[]) =>
    judgedPoints(of, point => predictedMs(point, fitted));
  const random = judged(unseen.filter(({ isRandom }) => isRandom));
  return {
    calibration: { ...fitted, errorPercent: Math.ceil(100 * random.error) },
    residual,
    fittedTo: judged(seen),
    judgedOn: judged(unseen),
    judgedOnRandom: random,
  };
}

const record = {
  what: 'Time model of SIMT kernels fitted to the recorded benchmarks of some shapes, and evaluated on the other shapes',
  ...provenance(['node out/bench/calibrateSimt.js', ...words].join(' ')),
  files: SIMT_RECORDS,
  general: fittedClass('general'),
  flat: fittedClass('flat'),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify({ general: record.general, flat: record.flat }, null, 1));
