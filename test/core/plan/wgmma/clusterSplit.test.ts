/** Split-K in a cluster: the blocks that reduce, and what they receive. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../../src/core/kernel/emit';
import { exchangedBytes, reducersOf } from '../../../../src/core/plan/wgmma/clusterSplit';
import { broken, planOf, specOf } from '../../../helpers/warpGroupPlans';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';

describe('split-K in a cluster', () => {
  it('divides the columns of a tile evenly among as many slices as possible', () => {
    assert.deepEqual(
      [1, 2, 4, 8].map(slices => reducersOf(8, slices)),
      [1, 1, 1, 1],
    );
    assert.deepEqual(
      [1, 2, 3, 4, 8].map(slices => reducersOf(16, slices)),
      [1, 2, 2, 2, 2],
    );
    assert.deepEqual([reducersOf(24, 4), reducersOf(128, 3), reducersOf(248, 8)], [3, 2, 1]);
    const shares = fc.integer({ min: 1, max: 32 });
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 8 }), (share, slices) => {
        const reducers = reducersOf(8 * share, slices);
        assert.ok(reducers <= slices && share % reducers === 0);
        for (let more = reducers + 1; more <= slices; more++) assert.notEqual(share % more, 0);
      }),
    );
  });

  it('gives a reducing block room for its columns of all slices', () => {
    assert.equal(exchangedBytes({ m: 128, n: 8 }, 4), 128 * 8 * 4 * 4);
    assert.equal(exchangedBytes({ m: 128, n: 16 }, 4), 128 * 8 * 4 * 4);
    assert.equal(exchangedBytes({ m: 128, n: 128 }, 4), 128 * 128 * 4);
  });

  const narrow = (m: number, schedule: Schedule): GemmSpec =>
    specOf(
      { block: { m: 8, n: 128 }, consumers: 1, kernelSchedule: 'cooperative', ...schedule },
      { m, n: 4608, k: 3584, b: { layout: 'row' } },
    );

  it('is legal for tiles of 8 columns, with stages that hold the accumulators', () => {
    for (const splitK of [1, 2, 3, 5, 7, 8])
      planOf(narrow(8, { operandOrder: 'ba', splitK, stages: 2 }));
    assert.deepEqual(broken(narrow(8, { operandOrder: 'ba', splitK: 9 })), [
      'split-k',
      'schedule.splitK',
      8,
    ]);
    const wide = {
      block: { m: 128, n: 136 },
      consumers: 1,
      kernelSchedule: 'cooperative',
    } as const;
    planOf(specOf({ ...wide, splitK: 2, stages: 5 }));
    assert.deepEqual(broken(specOf({ ...wide, splitK: 2, stages: 4 })), [
      'split-k',
      'schedule.stages',
      5,
    ]);
  });

  it('names the blocks that reduce in the emitted file', () => {
    const textOf = (spec: GemmSpec): string => {
      const { source } = emit(planOf(spec));
      return source.replaceAll('\n// ', ' ').replaceAll(/ {2,}/g, ' ');
    };
    const first = textOf(narrow(8, { operandOrder: 'ba', splitK: 4 }));
    assert.match(first, /the first CTA reduces and stores the tile\./);
    assert.match(first, /constexpr int REDUCERS = 1;/);
    assert.match(first, /to < REDUCERS/);
    const pair = textOf(narrow(16, { block: { m: 16, n: 128 }, operandOrder: 'ba', splitK: 4 }));
    assert.match(pair, /each of the first 2 CTAs reduces and stores 1\/2 of the columns\./);
    const all = textOf(narrow(16, { block: { m: 16, n: 128 }, operandOrder: 'ba', splitK: 2 }));
    assert.match(all, /each CTA reduces and stores 1\/2 of the columns\./);
    assert.doesNotMatch(all, /REDUCERS/);
  });
});
