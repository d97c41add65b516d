/**
 * Fits the `wgmma` time model to the recorded benchmarks of two thirds of the shapes, evaluates it
 * on the other shapes, and records the result:
 * node out/bench/calibrateWarpGroups.js [OUT.json] [RACES.jsonl ...]
 * Copy the printed calibration to src/core/cost/wgmma/wgmmaCalibration.ts. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { provenance } from '../../scripts/grid/provenance';
import { fittedGroups } from './model/warpGroupFit';
import { heldOut, judgedRaces } from '../../scripts/model/warpGroupJudge';
import { predictedMs, racesOf, type Race } from '../../scripts/model/warpGroupPoints';

/** Benchmarks of a GPU that the fit does not include. */
const OTHER_GPU = 'bench/h100-wgmma-random.jsonl';

const words = process.argv.slice(2);
const [out = 'bench/wgmma-model.json', ...given] = words;
const files =
  given.length > 0
    ? given
    : ['bench/h200-wgmma.jsonl', 'bench/h200-wgmma-split.jsonl', 'bench/h200-random-fit.jsonl'];

const races = files.flatMap(file => racesOf(readFileSync(file, 'utf8')));
const held = heldOut(races);
const isHeld = ({ shape }: Race): boolean => held.includes(shape);
const [seen, unseen] = [races.filter(race => !isHeld(race)), races.filter(isHeld)];
const { calibration: fitted, residual } = fittedGroups(seen);
const judged = (of: readonly Race[]) => judgedRaces(of, point => predictedMs(point, fitted));
const elsewhere = racesOf(readFileSync(OTHER_GPU, 'utf8'));
const { errorOfAll } = judged(unseen.filter(({ key }) => key.includes('seed')));
const calibration = { ...fitted, errorPercent: Math.round(100 * errorOfAll) };
const record = {
  what: 'Time model of wgmma fitted to the recorded benchmarks of some shapes, and evaluated on the other shapes',
  ...provenance(['node out/bench/calibrateWarpGroups.js', ...words].join(' ')),
  files: files.map(file => basename(file)),
  heldOut: held,
  calibration,
  residual,
  fittedTo: judged(seen),
  judgedOn: judged(unseen),
  judgedOnOtherGpu: { file: basename(OTHER_GPU), ...judged(elsewhere) },
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(record);
