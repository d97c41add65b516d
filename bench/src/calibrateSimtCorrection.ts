/**
 * Fits the correction of predicted SIMT times to the recorded benchmarks:
 * `node out/bench/calibrateSimtCorrection.js`
 * A first fit to two thirds of the shapes is evaluated on the others, before and after the
 * correction, and recorded in bench/simt-correction.json. The time model was not fitted to the
 * others either. The second fit uses all shapes, and is written to src/core/cost/simt. No GPU is
 * required.
 */
import { writeFileSync } from 'node:fs';
import { correctedSimtMs } from '../../src/core/cost/simt/simtCorrection';
import { provenance } from '../../scripts/grid/provenance';
import { heldOutShapes, judgedPoints } from '../../scripts/model/simtJudge';
import { recordedSimtPoints, SIMT_RECORDS, type SimtPoint } from '../../scripts/model/simtPoints';
import { fittedSimtCorrection, modelOf, rankedPoints } from './model/simtCorrectionFit';
import { treesText } from './model/treesText';

const RECORD = 'bench/simt-correction.json';
const TABLES = {
  general: 'src/core/cost/simt/simtCorrectionGeneral.json',
  flat: 'src/core/cost/simt/simtCorrectionFlat.json',
} as const;

const points = recordedSimtPoints();

function fittedClass(name: SimtPoint['class']) {
  const own = points.filter(point => point.class === name);
  const held = heldOutShapes(own);
  const ranked = rankedPoints(own);
  const isHeld = ({ shape }: SimtPoint): boolean => held.has(shape);
  const fitted = fittedSimtCorrection(ranked.filter(point => !isHeld(point)));
  const judged = (of: readonly SimtPoint[]) => ({
    predicted: judgedPoints(of, point => modelOf(point).milliseconds),
    corrected: judgedPoints(of, point => correctedSimtMs(point.kernel, modelOf(point), fitted)),
  });
  const unseen = ranked.filter(isHeld);
  const random = judged(unseen.filter(({ isRandom }) => isRandom));
  const errorPercent = Math.ceil(100 * random.corrected.error);
  writeFileSync(TABLES[name], treesText({ errorPercent, ...fittedSimtCorrection(ranked) }));
  return { judgedOn: judged(unseen), judgedOnRandom: random, errorPercent };
}

const record = {
  what: 'Predicted times of SIMT kernels before and after their correction, at shapes that the fit did not use',
  ...provenance('node out/bench/calibrateSimtCorrection.js'),
  files: SIMT_RECORDS,
  general: fittedClass('general'),
  flat: fittedClass('flat'),
};
writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
