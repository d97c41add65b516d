/** Views render again only for changed props; runs are indexed. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';
import { calibratedRuns, runsOf } from '../../webview/runIndex';
import { sameValue } from '../../webview/views/memoByValue';

describe('explorer: change detection', () => {
  it('compares plain data by value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        assert.ok(sameValue(value, structuredClone(value)));
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        assert.equal(sameValue(one, other), isDeepStrictEqual(one, other));
      }),
    );
  });

  it('compares everything else by identity', () => {
    const action = () => undefined;
    assert.ok(sameValue({ action }, { action }));
    assert.ok(!sameValue({ action }, { action: () => undefined }));
    assert.ok(!sameValue(new Map([[1, 2]]), new Map([[1, 2]])));
    assert.ok(sameValue([NaN, null, undefined], [NaN, null, undefined]));
    assert.ok(!sameValue([], {}));
    assert.ok(!sameValue({ a: undefined }, { b: undefined }));
    assert.ok(!sameValue({ a: 1 }, { a: 1, b: undefined }));
  });
});

describe('explorer: the run index', () => {
  const run = (sourceHash: string, device: string, gflops?: number): Measurement => ({
    specKey: 'k',
    kernelKey: 'x',
    sourceHash,
    resolved: null,
    backend: 'cuda',
    outcome: 'cancelled',
    verification: NOT_VERIFIED,
    device: { name: device, adapter: device, driver: '1', where: 'cli' },
    ...(gflops === undefined ? {} : { ceilings: { gflops, how: 'FMA chains' } }),
  });

  it('finds runs of one source in all lists, in order', () => {
    const lists = [
      [run('a', 'one'), run('b', 'one'), run('a', 'two')],
      [run('b', 'two'), run('a', 'three')],
    ];
    const [first, second] = lists;
    assert.deepEqual(runsOf(lists, 'a'), [first?.[0], first?.[2], second?.[1]]);
    assert.deepEqual(runsOf(lists, 'c'), []);
  });

  it('lists the newest calibrated run of a machine last', () => {
    const lists = [[run('a', 'one', 1), run('b', 'one', 2), run('c', 'two')], [run('d', 'one', 3)]];
    assert.deepEqual(
      calibratedRuns(lists).map(({ run: { ceilings } }) => ceilings?.gflops),
      [2, 3],
    );
  });
});
