/** docs/seeded-bugs.md is what the backends find: every seeded bug is caught. scripts/seededBugs.ts makes it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { harmless, isCaught } from '../../../scripts/bugs/harmless';
import { page, type Record } from '../../../scripts/bugs/page';
import { allSeeds, rowsOf, type Row } from '../../../scripts/bugs/table';
import { hasCxx } from './support';

const record = JSON.parse(readFileSync('bench/seeded-bugs.json', 'utf8')) as Record;

/** Run again here; the script runs all. */
const AGAIN = /^(naive|shared-tile, whole K|pipelined, fewer tiles than stages|naive, f16)$/;

describe('seeded bugs', () => {
  it('are all caught, but for changes that change nothing, each with its reason', () => {
    assert.ok(record.rows.filter(isCaught).length > 400);
    const missed = record.rows.filter(row => !isCaught(row) && harmless(row) === undefined);
    assert.deepEqual(missed, []);
  });

  it('stand in docs/seeded-bugs.md as they were recorded', () => {
    assert.equal(readFileSync('docs/seeded-bugs.md', 'utf8'), page(record));
  });

  (hasCxx ? it : it.skip)('are caught again as recorded (needs g++ or clang++)', async function () {
    this.timeout(180_000);
    const rows = await rowsOf(allSeeds().filter(({ algorithm }) => AGAIN.test(algorithm)));
    const known = record.rows.filter(({ algorithm }) => AGAIN.test(algorithm));
    assert.ok(rows.length > 20, `${rows.length} rows`);
    const here = (all: readonly Row[]) => all.map(row => ({ ...row, webgpu: undefined }));
    assert.deepEqual(here(rows), here(known));
  });
});
