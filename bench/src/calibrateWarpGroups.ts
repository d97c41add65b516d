/**
 * Fits the time model of `wgmma` to recorded races of two thirds of the shapes, and evaluates it on
 * the others, recorded:
 * node out/bench/calibrateWarpGroups.js [OUT.json] [RACES.jsonl ...]
 * Its output is the content of src/core/model/warpGroupCalibration.ts. Needs no GPU.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { provenance } from '../../scripts/grid/provenance';
import { fittedGroups } from './model/warpGroupFit';
import { heldOut, judgedRaces } from '../../scripts/model/warpGroupJudge';
import { predictedMs, racesOf, type Race } from '../../scripts/model/warpGroupPoints';

const words = process.argv.slice(2);
const [out = 'bench/wgmma-model.json', ...given] = words;
const files = given.length > 0 ? given : ['bench/h200-wgmma.jsonl', 'bench/h200-wgmma-split.jsonl'];

const races = files.flatMap(file => racesOf(readFileSync(file, 'utf8')));
const held = heldOut(races);
const isHeld = ({ shape }: Race): boolean => held.includes(shape);
const [seen, unseen] = [races.filter(race => !isHeld(race)), races.filter(isHeld)];
const { calibration, residual } = fittedGroups(seen);
const judged = (of: readonly Race[]) => judgedRaces(of, point => predictedMs(point, calibration));
const record = {
  what: 'The time model of wgmma fitted to recorded races of some shapes, and evaluated on the others',
  ...provenance(['node out/bench/calibrateWarpGroups.js', ...words].join(' ')),
  files: files.map(file => basename(file)),
  heldOut: held,
  calibration,
  residual,
  fittedTo: judged(seen),
  judgedOn: judged(unseen),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(record);
