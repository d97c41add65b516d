/**
 * The records of seeded bugs and of the names of wrong results, and the reports made from them. No
 * kernel runs here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { harmless, isCaught } from '../src/bugs/harmless';
import { namesPage, wrongNames, type NameRecord } from '../src/bugs/namesPage';
import { page, type Record } from '../src/bugs/page';

const read = (file: string): unknown => JSON.parse(readFileSync(`bench/${file}`, 'utf8'));
const report = (file: string): string => readFileSync(`bench/reports/${file}`, 'utf8');

describe('the record of seeded bugs', () => {
  const record = read('seeded-bugs.json') as Record;

  it('has a finding for every bug, and a reason for every change without effect', () => {
    assert.ok(record.rows.filter(isCaught).length > 400);
    const missed = record.rows.filter(row => !isCaught(row) && harmless(row) === undefined);
    assert.deepEqual(missed, []);
  });

  it('matches bench/reports/seeded-bugs.md', () => {
    assert.equal(report('seeded-bugs.md'), page(record));
  });
});

describe('the record of named wrong results', () => {
  const record = read('named-bugs.json') as NameRecord;

  it('has no wrong name, and a name for more than 85 % of the results', () => {
    assert.deepEqual(wrongNames(record.rows), []);
    const named = record.rows.filter(({ names }) => names.length > 0);
    assert.ok(named.length > 0.85 * record.rows.length, `${named.length}`);
  });

  it('matches bench/reports/named-bugs.md', () => {
    assert.equal(report('named-bugs.md'), namesPage(record));
  });
});
