/**
 * Fits the `wgmma` time model to the recorded benchmarks of a GPU. The fit uses two thirds of the
 * shapes, and is evaluated on the others. The result is recorded:
 * node out/bench/calibrateWarpGroups.js sm|h200|h100-sxm
 * `sm` fits the constants of the SM to the benchmarks of all H200 records. The others fit only the
 * constants of memory and pre-pass kernels, to records with batches of at least 20 ms. Copy the
 * printed calibration to src/core/cost/wgmma/wgmmaCalibration.ts. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as v from 'valibot';
import { SM_90 } from '../../src/core/cost/wgmma/wgmmaCalibration';
import { provenance } from '../../scripts/grid/provenance';
import { fittedGroups } from './model/warpGroupFit';
import { heldOut, judgedRaces } from '../../scripts/model/warpGroupJudge';
import { fittedRaces, predictedMs, type Race } from '../../scripts/model/warpGroupPoints';

const FITS = {
  sm: {
    out: 'bench/wgmma-model.json',
    files: [
      'bench/h200-wgmma.jsonl',
      'bench/h200-wgmma-split.jsonl',
      'bench/h200-random-fit.jsonl',
      'bench/h200-wgmma-fit.jsonl',
    ],
  },
  h200: {
    out: 'bench/h200-wgmma-model.json',
    files: [
      'bench/h200-wgmma-fit.jsonl',
      'bench/h100-wgmma-random.jsonl',
      'bench/h200-wgmma-choice.jsonl',
      'bench/h200-mma-fit.jsonl',
    ],
  },
  'h100-sxm': {
    out: 'bench/h100-wgmma-model.json',
    files: ['bench/h100-wgmma-random.jsonl'],
  },
} as const;
const device = v.parse(
  v.picklist(Object.keys(FITS) as (keyof typeof FITS)[]),
  process.argv[2] ?? '',
);
const { out, files } = FITS[device];
const base = device === 'sm' ? undefined : SM_90;

const races = files.flatMap(file => fittedRaces(readFileSync(file, 'utf8')));
const held = heldOut(races);
const isHeld = ({ shape }: Race): boolean => held.includes(shape);
const [seen, unseen] = [races.filter(race => !isHeld(race)), races.filter(isHeld)];
const { calibration: fitted, residual } = fittedGroups(seen, races, base);
const judged = (of: readonly Race[]) => judgedRaces(of, point => predictedMs(point, fitted));
const { errorOfAll } = judged(unseen.filter(({ key }) => key.includes('seed')));
const calibration = { ...fitted, errorPercent: Math.round(100 * errorOfAll) };
const record = {
  what: 'Time model of wgmma fitted to the recorded benchmarks of some shapes, and evaluated on the other shapes',
  ...provenance(`node out/bench/calibrateWarpGroups.js ${device}`),
  files: files.map(file => basename(file)),
  heldOut: held,
  calibration,
  residual,
  fittedTo: judged(seen),
  judgedOn: judged(unseen),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(record);
