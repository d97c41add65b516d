/**
 * Converts benchmark records and tuning journals to dispatch rows: the rate of each schedule for
 * each shape.
 */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { rowOfMeasurement } from '../../src/core/search/measuredRow';
import { pointKey, type DispatchRow } from '../../src/core/defaults/dispatch/row';
import { EFFORTS } from '../../src/core/measure/backend';
import { measurementSchema } from '../../src/core/measure/measurement';
import { isDawnRace, readDawnRace } from './dawnRecord';
import { readRace } from './race';
import { isTensorRace } from '../tensor/raced';
import { readTensorRace } from './tensorRecord';

export const recordedRows = (records: readonly string[]): readonly DispatchRow[] =>
  fastestOfEach(
    records.flatMap(record => {
      if (!record.endsWith('.jsonl')) return rowsOf(record);
      const text = readFileSync(record, 'utf8');
      if (text.startsWith('{"tune"')) return journalRows(record);
      if (isTensorRace(text)) return readTensorRace(record);
      return isDawnRace(text) ? readDawnRace(record) : readRace(record);
    }),
  );

const recordSchema = v.object({
  nvcc: v.optional(v.string()),
  results: v.array(measurementSchema),
});

function rowsOf(record: string): readonly DispatchRow[] {
  const { nvcc, results } = v.parse(recordSchema, JSON.parse(readFileSync(record, 'utf8')));
  const compiler = nvcc === undefined ? undefined : `nvcc ${nvcc.replace('V', '')}`;
  return results.flatMap(result => {
    const known = result.backend === 'cuda' && compiler !== undefined ? { compiler } : {};
    return rowOfMeasurement(result, { record, ...known }) ?? [];
  });
}

const journalSchema = v.object({
  compiler: v.string(),
  effort: v.picklist(EFFORTS),
  measurement: measurementSchema,
});

/** Returns the rows of a tuning journal, without measurements of effort `quick`. */
function journalRows(record: string): readonly DispatchRow[] {
  return readFileSync(record, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .flatMap(line => {
      const { compiler, effort, measurement } = v.parse(journalSchema, JSON.parse(line));
      return effort === 'quick' ? [] : (rowOfMeasurement(measurement, { record, compiler }) ?? []);
    });
}

function fastestOfEach(rows: readonly DispatchRow[]): readonly DispatchRow[] {
  const best = new Map<string, DispatchRow>();
  for (const row of rows) {
    const key = `${pointKey(row)} ${JSON.stringify(row.schedule)}`;
    const known = best.get(key);
    if (known === undefined || row.gflops > known.gflops) best.set(key, row);
  }
  return [...best.values()];
}
