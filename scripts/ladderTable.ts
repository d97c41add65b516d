/**
 * Writes the measured ladder that ships with the product from what was recorded:
 * node out/scripts/ladderTable.js && npx prettier --write src/core/measure/measured.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { isDeviceId } from '../src/core/device/devices';
import { measurementSchema } from '../src/core/measure/measurement';
import type { MeasuredTable } from '../src/core/measure/table';

const SOURCE = 'bench/h200-ladder-cuda.json';
const FILE = 'src/core/measure/measured.ts';

const recordSchema = v.object({ nvcc: v.string(), results: v.array(measurementSchema) });

/** Every time of a correct result, in the order it was measured. */
export function recordedTable(): MeasuredTable {
  const { nvcc, results } = v.parse(recordSchema, JSON.parse(readFileSync(SOURCE, 'utf8')));
  const timed = results.flatMap(({ resolved, timing }) =>
    resolved === null || timing === undefined ? [] : [{ resolved, timing }],
  );
  const devices = [...new Set(timed.map(({ resolved }) => resolved.device))];
  const [device] = devices;
  if (device === undefined || devices.length > 1 || !isDeviceId(device)) {
    throw new Error(`${SOURCE} is of the devices ${devices.join(', ')}: a table is of one`);
  }
  return {
    ...{ source: SOURCE, device, target: 'cuda', compiler: `nvcc ${nvcc.replace('V', '')}` },
    rows: timed.map(({ resolved, timing }) => ({
      size: resolved.problem.m,
      gflops: Math.round(timing.gflops),
      schedule: resolved.schedule,
    })),
  };
}

const text = (): string => {
  const { rows, ...table } = recordedTable();
  return `/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from './table';

const TABLE = ${JSON.stringify(table)} as const;

// prettier-ignore
const ROWS: MeasuredTable['rows'] = [
${rows.map(row => `  ${JSON.stringify(row)},`).join('\n')}
];

export const MEASURED: readonly MeasuredTable[] = [{ ...TABLE, rows: ROWS }];
`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, text());
