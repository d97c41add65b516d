/**
 * Writes the measured ladder that ships with the product from what was recorded:
 * node out/scripts/ladderTable.js && npx prettier --write src/core/measure/measured.ts
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeviceId } from '../src/core/hardware/devices';
import { sameJson } from '../src/core/spec/same';
import type { MeasuredTable } from '../src/core/measure/table';
import { TARGETS, type Target } from '../src/core/spec/schema';
import { sourcesOf } from './ladder/recorded';

const FILE = 'src/core/measure/measured.ts';

export const recordedTables = (): readonly MeasuredTable[] => TARGETS.map(tableOf);

/** Every time of a correct result, schedules in the order they were measured. */
function tableOf(target: Target): MeasuredTable {
  const sources = sourcesOf(target);
  const source = sources.map(({ file }) => file).join(', ');
  const results = sources.flatMap(one => one.results);
  const nvcc = [...new Set(sources.map(({ about }) => about.nvcc.replace('V', '')))].join(', ');
  const timed = results.flatMap(({ resolved, timing }) =>
    resolved === null || timing === undefined ? [] : [{ resolved, timing }],
  );
  const schedules = timed
    .map(({ resolved }) => resolved.schedule)
    .filter((schedule, i, all) => all.findIndex(other => sameJson(other, schedule)) === i);
  const devices = [...new Set(timed.map(({ resolved }) => resolved.device))];
  const [device] = devices;
  if (device === undefined || devices.length > 1 || !isDeviceId(device)) {
    throw new Error(`${source} is of the devices ${devices.join(', ')}: a table is of one`);
  }
  return {
    source,
    device,
    target,
    compiler: target === 'cuda' ? `nvcc ${nvcc}` : (results[0]?.device.adapter ?? ''),
    rows: schedules.map(schedule => ({
      schedule,
      gflops: Object.fromEntries(
        timed
          .filter(({ resolved }) => sameJson(resolved.schedule, schedule))
          .map(({ resolved, timing }) => [resolved.problem.m, Math.round(timing.gflops)]),
      ),
    })),
  };
}

const tableText = (
  { rows, ...table }: MeasuredTable,
  i: number,
): string => `const TABLE${i} = ${JSON.stringify(table)} as const;

// prettier-ignore
const ROWS${i}: MeasuredTable['rows'] = [
${rows.map(row => `  ${JSON.stringify(row)},`).join('\n')}
];
`;

const text = (): string => {
  const tables = recordedTables();
  return `/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from '../src/core/measure/table';

${tables.map(tableText).join('\n')}
export const MEASURED: readonly MeasuredTable[] = [${tables.map((_, i) => `{ ...TABLE${i}, rows: ROWS${i} }`).join(', ')}];
`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, text());
