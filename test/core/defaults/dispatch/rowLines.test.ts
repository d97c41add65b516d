import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rowsText, type DispatchRow } from '../../../../src/core/defaults/dispatch/row';
import {
  linesToAdopt,
  parseAdopted,
  rowLine,
} from '../../../../src/core/defaults/dispatch/rowLines';
import { row, SMALL } from './tables';

const read = (lines: readonly string[], old?: string) =>
  parseAdopted({ lines: lines.join('\n'), old });

/** Adopts rows one after the other, as one person does on one branch. */
const adoptAll = (start: readonly string[], rows: readonly DispatchRow[], old?: string) =>
  rows.reduce<readonly string[]>(
    (lines, each) => [...lines, ...linesToAdopt(read(lines, old), each)],
    start,
  );

const anyRow = fc
  .record({ size: fc.integer({ min: 1, max: 3 }), gflops: fc.integer({ min: 1, max: 4 }) })
  .map(({ size, gflops }) => row(64 * size, gflops));
const anyRows = fc.array(anyRow, { maxLength: 6 });

describe('dispatch: adopted rows in lines', () => {
  it('are the same for any order of the lines, and for lines that occur twice', () => {
    fc.assert(
      fc.property(anyRows, anyRows, anyRows, fc.array(fc.nat()), (base, a, b, order) => {
        const start = adoptAll([], base);
        const all = [...adoptAll(start, a), ...adoptAll(start, b)];
        const shuffled = all
          .map((line, index) => ({ line, at: order[index % order.length] ?? 0 }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ line }) => line);
        assert.deepEqual(read(shuffled).rows, read([...new Set(all)]).rows);
        assert.deepEqual(read(shuffled).problems, []);
      }),
    );
  });

  it('end with the row that was adopted last on one branch, whatever its rate', () => {
    fc.assert(
      fc.property(anyRows, anyRow, (before, last) => {
        const { rows } = read(adoptAll([], [...before, last]));
        const [found] = rows.filter(({ shape }) => shape.m === last.shape.m);
        assert.deepEqual(found, last);
      }),
    );
  });

  it('of two branches are the faster one, and an adoption after the merge replaces both', () => {
    const start = adoptAll([], [row(64, 10)]);
    const [left, right] = [adoptAll(start, [row(64, 30)]), adoptAll(start, [row(64, 20)])];
    for (const merged of [
      [...left, ...right],
      [...right, ...left],
    ]) {
      assert.deepEqual(read(merged).rows, [row(64, 30)]);
      assert.deepEqual(read(adoptAll(merged, [row(64, 5)])).rows, [row(64, 5)]);
    }
  });

  it('keep the row of a point when the line of the row before it is deleted', () => {
    const [first = '', second = '', third = ''] = adoptAll(
      [],
      [row(64, 9), row(64, 8), row(64, 7)],
    );
    assert.deepEqual(read([first, third]).rows, [row(64, 7)]);
    assert.deepEqual(read([first, second]).rows, [row(64, 8)]);
  });

  it('copy the rows of an older version once, also if two branches copy them', () => {
    const old = rowsText([row(64, 100), row(128, 50, { schedule: SMALL })]);
    const left = adoptAll([], [row(256, 1)], old);
    const right = adoptAll([], [row(512, 1), row(64, 90)], old);
    const merged = read([...left, ...right], old.replaceAll('\n', '\r\n'));
    assert.deepEqual(merged.unmigrated, []);
    assert.deepEqual(
      merged.rows.map(({ shape, gflops }) => [shape.m, gflops]),
      [
        [128, 50],
        [256, 1],
        [512, 1],
        [64, 90],
      ],
    );
    assert.deepEqual(read([...left, ...right]).rows, merged.rows, 'without the old file');
    const changed = rowsText([row(64, 100), row(1024, 7)]);
    const again = read([...left, ...right], changed);
    assert.deepEqual(again.unmigrated, [row(64, 100), row(1024, 7)]);
    assert.deepEqual(
      again.rows.filter(({ shape }) => shape.m === 1024),
      [row(1024, 7)],
    );
    assert.deepEqual(
      again.rows.filter(({ shape }) => shape.m === 64),
      [row(64, 90)],
    );
  });

  it('in a line whose newline was lost are all read', () => {
    const [one = '', two = ''] = adoptAll([], [row(64, 1), row(128, 2)]);
    assert.deepEqual(read([one + two]).rows, [row(128, 2), row(64, 1)]);
    const torn = read([one.slice(0, 40) + two]);
    assert.deepEqual(torn.rows, []);
    assert.equal(torn.problems.length, 1);
  });

  it('survive any text between the lines, which is named with its line', () => {
    const lines = adoptAll([], [row(64, 1), row(128, 2)]);
    const noise = fc
      .string({ maxLength: 60 })
      .map(text => text.replace(/[\r\n]/g, ' '))
      .filter(text => text.trim() !== '');
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        const found = read([before, ...lines, after]);
        assert.deepEqual(found.rows, [row(128, 2), row(64, 1)]);
        assert.deepEqual(
          found.problems.map(({ line }) => line),
          [1, 4],
        );
      }),
    );
  });

  it('that a later version wrote, or that were edited, are not used', () => {
    const line = rowLine({ revision: 1, row: row(64, 1) });
    for (const bad of [
      line.replace('"revision":1', '"revision":-1'),
      line.replace('"revision":1', '"revision":1.5'),
      line.replace('"revision":1', '"revision":9007199254740992'),
      line.replace('{', '{"surprise":1,'),
      '{"migrated":"0"}',
    ]) {
      const found = read([bad]);
      assert.deepEqual([found.rows, found.problems.length], [[], 1], bad);
    }
  });
});
