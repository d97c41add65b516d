/**
 * Backends catch seeded bugs as recorded in bench/seeded-bugs.json. bench/test/bugs.test.ts checks
 * the whole record.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { allSeeds, rowsOf, type Row } from '../../../scripts/bugs/table';
import { hasCxx } from './support';

const record = JSON.parse(readFileSync('bench/seeded-bugs.json', 'utf8')) as {
  readonly rows: readonly Row[];
};

/** Run again here; the script runs all. */
const AGAIN = /^(naive|shared-tile, whole K|pipelined, fewer tiles than stages|naive, f16)$/;

describe('seeded bugs', () => {
  (hasCxx ? it : it.skip)('are caught again as recorded (needs g++ or clang++)', async function () {
    this.timeout(180_000);
    const rows = await rowsOf(allSeeds().filter(({ algorithm }) => AGAIN.test(algorithm)));
    const known = record.rows.filter(({ algorithm }) => AGAIN.test(algorithm));
    assert.ok(rows.length > 20, `${rows.length} rows`);
    const here = (all: readonly Row[]) => all.map(row => ({ ...row, webgpu: undefined }));
    assert.deepEqual(here(rows), here(known));
  });
});
