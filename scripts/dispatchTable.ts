/**
 * Builds the shipped dispatch tables from the records in bench/. `--check` writes nothing and fails
 * if a table differs from its records.
 *
 * node out/scripts/dispatchTable.js [--check]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { packedSchema, unpacked, type PackedTable } from '../src/core/defaults/dispatch/packed';
import { leftOut, packedTable } from './dispatch/pick';
import { recordedRows } from './dispatch/records';
import type { DType } from '../src/core/types/dtype';

const TENSOR_TYPES = ['bf16', 'f16', 'tf32', 'e4m3'] as const;

interface TableSource {
  readonly name: string;
  readonly records: readonly string[];
  /** Type of A; omitted if all rows have the same type. */
  readonly dtype?: DType;
}

const TABLES: readonly TableSource[] = [
  {
    name: 'h200-cuda-f32',
    records: [
      'bench/h200-dispatch.jsonl',
      'bench/h200-ladder-cuda.json',
      'bench/h200-schedules.json',
    ],
  },
  {
    name: 'h200-wgsl-f32',
    records: ['bench/h200-ladder-webgpu.json', 'bench/h200-wgsl-race.jsonl'],
  },
  { name: 'swiftshader-wgsl-f32', records: ['bench/swiftshader-race.jsonl'] },
  ...TENSOR_TYPES.map(dtype => ({
    name: `h200-cuda-${dtype}`,
    dtype,
    records: ['bench/h200-wgmma.jsonl'],
  })),
];

const fileOf = (name: string): string => `src/core/defaults/dispatch/tables/${name}.json`;

/**
 * Returns each rebuilt table with its JSON text, and the text of the shipped table; undefined if
 * its file is missing.
 */
export const recordedTables = (): readonly {
  readonly name: string;
  readonly table: PackedTable;
  readonly text: string;
  readonly shipped: string | undefined;
}[] =>
  TABLES.map(({ name, records, dtype }) => {
    const all = recordedRows(records.filter(record => existsSync(record)));
    const rows = all.filter(({ types }) => dtype === undefined || types.a === dtype);
    const table = v.parse(packedSchema, packedTable(rows));
    const file = fileOf(name);
    const shipped = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    return { name, table, text: textOf(table), shipped };
  });

function textOf({ schedules, points, ...head }: PackedTable): string {
  const list = (values: readonly unknown[]): string =>
    `[\n${values.map(value => `    ${JSON.stringify(value)}`).join(',\n')}\n  ]`;
  const fields = Object.entries(head).map(([key, value]) => `  "${key}": ${JSON.stringify(value)}`);
  return `{\n${[...fields, `  "schedules": ${list(schedules)}`, `  "points": ${list(points)}`].join(',\n')}\n}\n`;
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function main(): void {
  const check = process.argv.includes('--check');
  for (const { name, table, text, shipped } of recordedTables()) {
    const { mean, worst, shapes } = leftOut(unpacked(table), table.model);
    console.log(
      `${name}: ${table.schedules.length} schedules, ${table.points.length} shapes, ${text.length} characters; ` +
        `leave-one-out loss over ${shapes} shapes: mean ${percent(mean)}, worst ${percent(worst)}`,
    );
    if (text === shipped) continue;
    if (check) {
      console.error(
        `${fileOf(name)} differs from its records. Fix: run node out/scripts/dispatchTable.js`,
      );
      process.exitCode = 1;
    } else writeFileSync(fileOf(name), text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
