/**
 * Fits the time model to recorded measurements and judges it on others, recorded:
 * node out/scripts/calibrateModel.js [out.json] [measurements.json ...]
 * What src/core/model/calibration.ts holds is what this prints. Needs no GPU.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { measurementSchema } from '../src/core/measure/measurement';
import { calibrationFor } from '../src/core/model/calibration';
import { provenance } from './grid/provenance';
import { fitted } from './model/fit';
import { judged } from './model/judge';
import { pointsOf } from './model/points';

const [out = 'bench/time-model.json', ...given] = process.argv.slice(2);
const files = given.length > 0 ? given : ['h200-ladder-cuda.json', 'h200-split-k.json'];
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

const measured = files.map(file => {
  const path = given.length > 0 ? file : `bench/${file}`;
  return pointsOf(v.parse(recordSchema, JSON.parse(readFileSync(path, 'utf8'))));
});
// Of the first file every second schedule is fitted to, at all its sizes; all else judges.
const [first = [], ...others] = measured;
const schedules = [...new Set(first.map(({ schedule }) => schedule))];
const fits = ({ schedule }: (typeof first)[number]): boolean =>
  schedules.indexOf(schedule) % 2 === 0;
const seen = first.filter(fits);
const unseen = [...first.filter(point => !fits(point)), ...others.flat()];
const { calibration, residual } = fitted(seen);
const shipped = calibrationFor('h200')?.calibration;
const record = {
  what: 'The time model fitted to every second schedule of the first file, and judged on the other schedules, sizes and files',
  ...provenance(`node out/scripts/calibrateModel.js ${[out, ...given].join(' ')}`),
  ...{ files, calibration, residual },
  fittedTo: judged(seen, calibration),
  judgedOn: judged(unseen, calibration),
  shipped: shipped === undefined ? null : judged(unseen, shipped),
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
console.log(calibration);
console.log({ ...record.judgedOn, points: record.judgedOn.points.length });
