/**
 * Fits the correction of predicted `wgmma` times to the recorded benchmarks of a class of problems:
 * `node out/bench/calibrateCorrection.js --class general|flat`
 * A first fit to two thirds of the shapes is evaluated on the others, before and after the
 * correction, and recorded in bench/wgmma-correction.json. The second fit uses all shapes, and is
 * written to src/core/cost/wgmma. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { shapeClass } from '../../src/core/cost/shapeClass';
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
/** Benchmarks of `flat` problems, which the fit of the others does not use. */
const FLAT_FILES = ['bench/h200-flat-fit.jsonl'];
const RECORD = 'bench/wgmma-correction.json';
const TABLES = {
  general: 'src/core/cost/wgmma/wgmmaCorrectionGeneral.json',
  flat: 'src/core/cost/wgmma/wgmmaCorrectionFlat.json',
} as const;

const { values: given } = parseArgs({ options: { class: { type: 'string' } } });
const name = v.parse(
  v.picklist(['general', 'flat'], 'The option --class is general or flat.'),
  given.class,
);

const isFlat = ({ points: [point] }: Race): boolean =>
  point !== undefined && shapeClass(point.kernel.problem) === 'flat';
/** Returns the benchmarks of the class. The general fit also uses `flat` problems of its files. */
const racesIn = (files: readonly string[]): readonly Race[] =>
  files
    .flatMap(file => rankedRaces(fittedRaces(readFileSync(file, 'utf8'))))
    .filter(race => name === 'general' || isFlat(race));
const files = name === 'general' ? FILES : [...FILES, ...FLAT_FILES];
const races = racesIn(files);
const held = heldOut(races);
const isHeld = ({ shape }: Race): boolean => held.includes(shape);
const fitted = fittedCorrection(
  name,
  races.filter(race => !isHeld(race)),
);
const predicted = (point: GroupPoint): number => predictionOf(name)(point).milliseconds;
const corrected = (point: GroupPoint): number =>
  correctedMilliseconds(point.kernel, predictionOf(name)(point), fitted);
const judged = (device: string) => {
  const of = races.filter(race => isHeld(race) && race.points[0]?.machine.device === device);
  return { predicted: judgedRaces(of, predicted), corrected: judgedRaces(of, corrected) };
};
const [h100, h200] = [judged('h100-sxm'), judged('h200')];
const errorPercent = Math.round(
  100 * Math.max(h100.corrected.errorOfAll, h200.corrected.errorOfAll),
);
writeFileSync(TABLES[name], treesText({ errorPercent, ...fittedCorrection(name, races) }));
const own = {
  ...provenance(`node out/bench/calibrateCorrection.js --class ${name}`),
  files: files.map(file => basename(file)),
  fittedRaces: races.filter(race => !isHeld(race)).length,
  judgedOn: { 'h100-sxm': h100, h200 },
  errorPercent,
};
const Record = v.looseObject({ what: v.string() });
const record = { ...v.parse(Record, JSON.parse(readFileSync(RECORD, 'utf8'))), [name]: own };
writeFileSync(RECORD, `${JSON.stringify(record, null, 1)}\n`);
console.log(JSON.stringify(own, null, 1));
