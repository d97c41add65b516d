/**
 * Names the wrong result of every seeded bug, and generates bench/reports/named-bugs.md:
 * node out/bench/nameBugs.js [--page]
 * `--page` only regenerates the report from the last record.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { namesOfSeeds } from '../../scripts/bugs/names';
import { namesPage, wrongNames, type NameRecord } from './bugs/namesPage';
import { allSeeds } from '../../scripts/bugs/table';

const RECORD = 'bench/named-bugs.json';

if (!process.argv.includes('--page')) {
  const rows = await namesOfSeeds(allSeeds());
  const what = 'Seeded bugs that end with a wrong result, and the names of these results';
  const top = JSON.stringify({ what, command: 'node out/bench/nameBugs.js' }, null, 1);
  const lines = rows.map(row => `  ${JSON.stringify(row)}`).join(',\n');
  writeFileSync(RECORD, `${top.replace(/\n\}$/, '')},\n "rows": [\n${lines}\n ]\n}\n`);
}
const record = JSON.parse(readFileSync(RECORD, 'utf8')) as NameRecord;
writeFileSync('bench/reports/named-bugs.md', namesPage(record));
const wrong = wrongNames(record.rows);
console.log(`${record.rows.length} wrong results, ${wrong.length} with an incorrect name`);
for (const row of wrong) console.log(JSON.stringify(row));
process.exitCode = wrong.length === 0 ? 0 : 1;
