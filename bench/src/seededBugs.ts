/**
 * Seeds every bug in every kernel, records which backends detect it, and generates
 * bench/reports/seeded-bugs.md:
 * node out/bench/seededBugs.js [--page | --only WORDS]
 * `--page` only regenerates the report from the last record. `--only` reruns the algorithms whose
 * names contain the words.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Backend } from '../../src/core/measure/backend';
import { dawnBackend } from '../../src/host/dawn/backend';
import { findCxx } from '../../src/host/cpu/compiler';
import { harmless, isCaught } from './bugs/harmless';
import { page, type Record } from './bugs/page';
import { allSeeds, rowsOf, type Row } from '../../scripts/bugs/table';
import { projectRoot } from '../../scripts/install/project';

const RECORD = 'bench/seeded-bugs.json';

const read = (): Record => JSON.parse(readFileSync(RECORD, 'utf8')) as Record;
const option = process.argv.indexOf('--only');
const only = option === -1 ? '' : (process.argv[option + 1] ?? '');

/** Returns rows in the order of the seeds. Rows that are not rerun keep their recorded values. */
async function rows(dawn: Backend | undefined): Promise<readonly Row[]> {
  const seeds = allSeeds();
  const run = await rowsOf(
    seeds.filter(({ algorithm }) => algorithm.includes(only)),
    dawn,
  );
  if (only === '') return run;
  const known = read().rows.filter(({ algorithm }) => !algorithm.includes(only));
  const names = [...new Set(seeds.map(({ algorithm }) => algorithm))];
  return names.flatMap(name => [...run, ...known].filter(({ algorithm }) => algorithm === name));
}

async function recorded(): Promise<Record> {
  const found = await findCxx();
  if (!found.ok) throw new Error(`${found.why} ${found.next}`);
  const { kind, version } = found.compiler;
  const worker = path.join(projectRoot(), 'dist', 'dawnWorker.js');
  const dawn = dawnBackend({ worker, where: 'script' });
  const probed = await dawn.probe();
  return {
    what: 'Bugs seeded in kernels, and how each backend detected them',
    command: 'node out/bench/seededBugs.js',
    compiler: `${kind === 'gcc' ? 'g++' : 'clang++'} ${version}`,
    adapter: probed.available ? probed.device.name : null,
    rows: await rows(probed.available ? dawn : undefined),
  };
}

if (!process.argv.includes('--page')) {
  const { rows: all, ...head } = await recorded();
  const lines = all.map(row => `  ${JSON.stringify(row)}`).join(',\n');
  const top = JSON.stringify(head, null, 1).replace(/\n\}$/, '');
  writeFileSync(RECORD, `${top},\n "rows": [\n${lines}\n ]\n}\n`);
}
const record = read();
writeFileSync('bench/reports/seeded-bugs.md', page(record));
const missed = record.rows.filter(row => !isCaught(row) && harmless(row) === undefined);
console.log(`${record.rows.length} changes, ${missed.length} undetected`);
for (const row of missed) console.log(JSON.stringify(row));
process.exitCode = missed.length === 0 ? 0 : 1;
