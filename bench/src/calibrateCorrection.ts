/**
 * Fits the correction of predicted `wgmma` times to the recorded benchmarks:
 * `node out/bench/calibrateCorrection.js`
 * A first fit to two thirds of the shapes is evaluated on the others, before and after the
 * correction, and recorded in bench/wgmma-correction.json. The second fit uses all shapes, and is
 * written to src/core/cost/wgmma/wgmmaCorrection.json. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { correctedMilliseconds } from '../../src/core/cost/wgmma/wgmmaCorrection';
import { provenance } from '../../scripts/grid/provenance';
import { heldOut, judgedRaces } from '../../scripts/model/warpGroupJudge';
import { fittedRaces, type GroupPoint, type Race } from '../../scripts/model/warpGroupPoints';
import { fittedCorrection, predictionOf, rankedRaces } from './model/correctionFit';
import { treesText } from './model/treesText';

const FILES = [
  'bench/h100-wgmma-random.jsonl',
  'bench/h100-wgmma-choice.jsonl',
  'bench/h200-wgmma-fit.jsonl',
  'bench/h200-wgmma-choice.jsonl',
  'bench/h200-screened-fit.jsonl',
];
const RECORD = 'bench/wgmma-correction.json';
const TABLE = 'src/core/cost/wgmma/wgmmaCorrection.json';

const races = FILES.flatMap(file => rankedRaces(fittedRaces(readFileSync(file, 'utf8'))));
const held = heldOut(races);
const isHeld = ({ shape }: Race): boolean => held.includes(shape);
const fitted = fittedCorrection(races.filter(race => !isHeld(race)));
const predicted = (point: GroupPoint): number => predictionOf(point).milliseconds;
const corrected = (point: GroupPoint): number =>
  correctedMilliseconds(point.kernel, predictionOf(point), fitted);
const judged = (device: string) => {
  const of = races.filter(race => isHeld(race) && race.points[0]?.machine.device === device);
  return { predicted: judgedRaces(of, predicted), corrected: judgedRaces(of, corrected) };
};
const [h100, h200] = [judged('h100-sxm'), judged('h200')];
const errorPercent = Math.round(
  100 * Math.max(h100.corrected.errorOfAll, h200.corrected.errorOfAll),
);
const table = { errorPercent, ...fittedCorrection(races) };
writeFileSync(TABLE, treesText(table));
const record = {
  what: 'Predicted wgmma times before and after their correction, at shapes that the fit did not use',
  ...provenance('node out/bench/calibrateCorrection.js'),
  files: FILES.map(file => basename(file)),
  fittedRaces: races.filter(race => !isHeld(race)).length,
  judgedOn: { 'h100-sxm': h100, h200 },
  errorPercent,
};
writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(record, null, 1));
