/**
 * `wgmma` of the transposed product (`operandOrder` `ba`): the limits of the product, turned over.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { swappedSpec } from '../../../../src/core/plan/swapAB';
import { planIfLegal } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { broken, planOf, specOf, type Problem } from '../../../helpers/warpGroupPlans';
import { warpGroupSpecs } from '../../../helpers/warpGroupSpecs';
import { isEnough, runs } from '../../../helpers/depth';

describe('wgmma of the transposed product', () => {
  it('has limits of rows at columns, and of A at B', () => {
    const swapped = (schedule: Schedule, problem: Problem = {}): GemmSpec =>
      specOf({ operandOrder: 'ba', ...schedule }, problem);
    for (const m of [8, 96, 256]) planOf(swapped({ block: { m, n: 128 } }));
    assert.deepEqual(broken(swapped({ block: { m: 100, n: 128 } })), [
      'wgmma-tile',
      'schedule.block.m',
      104,
    ]);
    planOf(swapped({ block: { m: 96, n: 128 } }, { a: { dtype: 'bf16', layout: 'col' } }));
    assert.deepEqual(
      broken(swapped({ block: { m: 104, n: 128 } }, { a: { dtype: 'bf16', layout: 'col' } })),
      ['wgmma-tile', 'schedule.block.m', 96],
    );
    assert.deepEqual(broken(swapped({ block: { m: 128, n: 96 }, stages: 2 })), [
      'wgmma-tile',
      'schedule.block.n',
      128,
    ]);
    planOf(swapped({}, { a: { dtype: 'tf32', layout: 'col' } }));
    const shared = swapped({ block: { m: 72, n: 128 }, cluster: { m: 1, n: 2 } });
    assert.deepEqual(broken(shared), ['cluster-share', 'schedule.cluster', { m: 1, n: 1 }]);
    planOf(swapped({ block: { m: 80, n: 128 }, cluster: { m: 1, n: 2 } }));
  });

  it('is legal where the product is, and planned alike', () => {
    const legal = { ab: 0, ba: 0 };
    fc.assert(
      fc.property(warpGroupSpecs, spec => {
        const resolved = resolve(spec);
        const other = swappedSpec(resolved);
        const [one, two] = [planIfLegal(resolved, 'cuda'), planIfLegal(other, 'cuda')];
        assert.equal(one === null, two === null, JSON.stringify(spec));
        if (one?.family !== 'wgmma' || two?.family !== 'wgmma') return;
        legal[one.wgmma.operandOrder]++;
        assert.equal(one.sharedBytes, two.sharedBytes);
        assert.deepEqual([one.tile.m, one.tile.n], [two.tile.n, two.tile.m]);
        assert.deepEqual([one.wgmma.a, one.wgmma.b], [two.wgmma.b, two.wgmma.a]);
      }),
      { ...runs(300), seed: 11 },
    );
    assert.ok(isEnough(legal.ab, 20) && isEnough(legal.ba, 10), JSON.stringify(legal));
  });
});
