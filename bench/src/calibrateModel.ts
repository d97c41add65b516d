/**
 * Fits the time model to recorded measurements, evaluates it on other measurements, and records the
 * result:
 * node out/bench/calibrateModel.js OUT.json FITTED.json ... --judge JUDGED.json ...
 * Copy the printed calibration to src/core/model/calibration.ts. No GPU is required.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as v from 'valibot';
import { measurementSchema } from '../../src/core/measure/measurement';
import { calibrationFor } from '../../src/core/model/calibration';
import { provenance } from '../../scripts/grid/provenance';
import { fitted } from './model/fit';
import { judged } from '../../scripts/model/judge';
import { pointsOf, type Point } from '../../scripts/model/points';

const words = process.argv.slice(2);
const [out = 'bench/time-model.json', ...files] = words;
const split = files.indexOf('--judge');
const [fit, judge] = [files.slice(0, split), files.slice(split + 1)];
if (split < 1 || judge.length === 0)
  throw new Error('Expected an output file, files to fit, then --judge and files to evaluate.');
const recordSchema = v.union([
  v.pipe(
    v.object({ results: v.array(measurementSchema) }),
    v.transform(({ results }) => results),
  ),
  v.pipe(
    v.object({ timed: v.array(measurementSchema) }),
    v.transform(({ timed }) => timed),
  ),
]);
const pointsIn = (path: string): readonly Point[] =>
  pointsOf(v.parse(recordSchema, JSON.parse(readFileSync(path, 'utf8'))));

const seen = fit.flatMap(pointsIn);
const known = new Set(seen.map(({ specKey }) => specKey));
const unseen = judge.flatMap(pointsIn).filter(({ specKey }) => !known.has(specKey));
const { calibration, residual } = fitted(seen);
const shipped = calibrationFor('h200')?.calibration;
const record = {
  what: 'Time model fitted to some recorded measurements, and evaluated on other schedules and sizes',
  ...provenance(`node out/bench/calibrateModel.js ${words.join(' ')}`),
  fit: fit.map(path => basename(path)),
  judge: judge.map(path => basename(path)),
  calibration,
  residual,
  fittedTo: judged(seen, calibration),
  judgedOn: judged(unseen, calibration),
  shipped: shipped === undefined ? null : judged(unseen, shipped),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(calibration);
for (const one of [record.fittedTo, record.judgedOn, record.shipped]) {
  console.log(one === null ? null : { ...one, points: one.points.length });
}
