/**
 * Seeds every bug in every kernel, records which backend caught it, and makes docs/seeded-bugs.md of that:
 * node out/scripts/seededBugs.js [--page]; with --page the document alone, from the last record.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dawnBackend } from '../src/host/dawn/backend';
import { findCxx } from '../src/host/cpu/compiler';
import { harmless, isCaught } from './bugs/harmless';
import { page, type Record } from './bugs/page';
import { allSeeds, rowsOf } from './bugs/table';
import { projectRoot } from './install/project';

const RECORD = 'bench/seeded-bugs.json';

async function recorded(): Promise<Record> {
  const found = await findCxx();
  if (!found.ok) throw new Error(`${found.why} ${found.next}`);
  const { kind, version } = found.compiler;
  const worker = path.join(projectRoot(), 'dist', 'dawnWorker.js');
  const dawn = dawnBackend({ worker, where: 'script' });
  const probed = await dawn.probe();
  return {
    what: 'Bugs seeded in kernels, and how each backend caught them',
    command: 'node out/scripts/seededBugs.js',
    compiler: `${kind === 'gcc' ? 'g++' : 'clang++'} ${version}`,
    adapter: probed.available ? probed.device.name : null,
    rows: await rowsOf(allSeeds(), probed.available ? dawn : undefined),
  };
}

if (!process.argv.includes('--page')) {
  const { rows, ...head } = await recorded();
  const lines = rows.map(row => `  ${JSON.stringify(row)}`).join(',\n');
  const top = JSON.stringify(head, null, 1).replace(/\n\}$/, '');
  writeFileSync(RECORD, `${top},\n "rows": [\n${lines}\n ]\n}\n`);
}
const record = JSON.parse(readFileSync(RECORD, 'utf8')) as Record;
writeFileSync('docs/seeded-bugs.md', page(record));
const missed = record.rows.filter(row => !isCaught(row) && harmless(row) === undefined);
console.log(`${record.rows.length} changes, ${missed.length} that nobody caught`);
for (const row of missed) console.log(JSON.stringify(row));
process.exitCode = missed.length === 0 ? 0 : 1;
