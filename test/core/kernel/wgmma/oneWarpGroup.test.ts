/** `kernelSchedule` `tma`: one warp group that loads and multiplies, without a producer. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { predictedSchedules } from '../../../../src/core/defaults/wgmma/wgmmaChoice';
import { resolve } from '../../../../src/core/defaults/resolve';
import { plan } from '../../../../src/core/plan/planner';
import { wgmmaSharedBytes } from '../../../../src/core/plan/wgmma/wgmma';
import { warpGroupMoves } from '../../../../src/core/plan/wgmma/wgmmaMoves';
import { analyze } from '../../../../src/core/report/analyze';
import { warpGroupSchedules } from '../../../../src/core/search/rank/wgmmaSpace';
import { simulateBackend } from '../../../../src/core/simulate/backend';
import { ownersOf } from '../../../../src/core/trace/owners';
import { violationFailures } from '../../../../scripts/grid/properties';
import type { Schedule } from '../../../../src/core/spec/schema';
import { CONTEXT } from '../../../helpers/context';
import { isEnough, runs } from '../../../helpers/depth';
import { broken, planOf, specOf } from '../../../helpers/warpGroupPlans';
import { declaredFor, oneWarpGroupSpecs, warpGroups } from '../../../helpers/warpGroupSpecs';

const SIDE = 4096;
const problem = { m: SIDE, n: SIDE, k: SIDE, a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;
const alone = (schedule: Schedule = {}) =>
  specOf(
    { kernelSchedule: 'tma', block: { m: 64, n: 128 }, stages: 4, ...schedule },
    { ...problem, c: { dtype: 'bf16' } },
  );

describe('a wgmma kernel without warp specialization', () => {
  it('computes what it should, for drawn specs of every type and layout', async function () {
    this.timeout(120_000);
    let legal = 0;
    await fc.assert(
      fc.asyncProperty(oneWarpGroupSpecs, async spec => {
        if (!plan(resolve(spec), 'cuda').ok) return;
        const runnable = declaredFor(spec);
        const run = await simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);
        assert.equal(run.outcome, 'correct', `${run.message ?? ''} ${JSON.stringify(spec)}`);
        const { m, n } = runnable.problem;
        const [first] = ownersOf(runnable).ownerOf({
          entry: 0,
          row: m - 1,
          column: n - 1,
        }).accumulators;
        assert.ok(first !== undefined && first.thread !== null && first.thread < 128);
        assert.equal(first.turn, 0);
        legal++;
      }),
      { ...runs(120), seed: 11 },
    );
    assert.ok(isEnough(legal, 30), `${legal}`);
  });

  it('has one warp group per block, one block per tile, and one mbarrier per stage', () => {
    const { wgmma, threads, block, sharedBytes } = planOf(alone());
    assert.deepEqual([threads, block.x, wgmma.blocks], [128, 128, (SIDE / 64) * (SIDE / 128)]);
    const specialized = planOf(alone({ kernelSchedule: 'cooperative' })).wgmma;
    // A box of the epilogue has 64 columns, and four warps stage 16 rows each.
    assert.equal(sharedBytes, 4 * ((64 + 128) * 64 * 2 + 8) + 4 * 16 * 64 * 2);
    assert.ok(wgmmaSharedBytes(specialized) > sharedBytes);
  });

  it('leaves shared memory for a second block per SM', () => {
    const { occupancy, waves } = analyze(declaredFor(alone()), { device: 'h200' });
    assert.equal(occupancy?.blocksPerSm, 2);
    assert.equal(waves?.blocksPerWave, 2 * 132);
    const { occupancy: persistent } = analyze(
      declaredFor(alone({ kernelSchedule: 'cooperative' })),
      { device: 'h200' },
    );
    assert.equal(persistent?.blocksPerSm, 1);
  });

  it('refills a stage after a barrier that follows the wait for its products', () => {
    const { source } = declaredFor(alone());
    const body = source.slice(source.indexOf('for (int iteration = 0;'));
    const places = [
      'waitBarrier(full',
      'wgmmaCommit()',
      'wgmmaWait<1>()',
      '__syncthreads()',
      'load(next',
    ];
    const found = places.map(text => body.indexOf(text));
    assert.ok(
      found.every((at, i) => at > (found[i - 1] ?? 0)),
      found.join(' '),
    );
    for (const absent of ['empty', 'setmaxnreg', 'CONSUMERS', 'arrive(uint32_t', 'int device, sms'])
      assert.ok(!source.includes(absent), absent);
    assert.match(source, /const int blocks = tiles;/);
  });
});

describe('the limits of kernelSchedule tma', () => {
  it('are one warp group, one block per cluster, one slice and no FP32 emulation', () => {
    planOf(alone({ consumers: 1, cluster: { m: 1, n: 1 }, splitK: 1 }));
    const two = alone({ consumers: 2, block: { m: 128, n: 128 } });
    assert.deepEqual(broken(two), ['consumers', 'schedule.consumers', 1]);
    const pair = alone({ cluster: { m: 2, n: 1 } });
    assert.deepEqual(broken(pair), ['cluster', 'schedule.cluster', { m: 1, n: 1 }]);
    for (const slices of [{ splitK: 2 }, { splitK: 2, splitKReduction: 'two-pass' }] as const)
      assert.deepEqual(broken(alone(slices)), ['split-k', 'schedule.splitK', 1]);
    const emulated = specOf(
      { kernelSchedule: 'tma', split: 'bf16x3', block: { m: 64, n: 64 } },
      { a: { dtype: 'f32' } },
    );
    assert.deepEqual(broken(emulated), [
      'fp32-emulation',
      'schedule.kernelSchedule',
      'cooperative',
    ]);
  });

  it('are 64 or 128 rows per tile, two stages or more, and the registers of 128 threads', () => {
    planOf(alone({ block: { m: 128, n: 192 }, stages: 2 }));
    assert.equal(broken(alone({ block: { m: 192, n: 64 } }))[1], 'schedule.block.m');
    assert.equal(broken(alone({ block: { m: 128, n: 200 }, stages: 2 }))[0], 'accumulators');
    assert.deepEqual(broken(alone({ stages: 1 })), ['stages', 'schedule.stages', 2]);
  });

  it('are named in violations whose nearest values repair the spec', () => {
    fc.assert(
      fc.property(
        oneWarpGroupSpecs,
        fc.record({
          consumers: fc.constantFrom(1, 2, 3),
          splitK: fc.constantFrom(1, 2),
          cluster: fc.constantFrom({ m: 1, n: 1 }, { m: 2, n: 1 }),
        }),
        ({ problem: of, schedule }, more) => {
          assert.deepEqual(violationFailures(warpGroups(of, { ...schedule, ...more }), 'cuda'), []);
        },
      ),
      runs(400),
    );
  });
});

describe('kernelSchedule tma', () => {
  it('is no candidate of defaults, of tune and of moves', () => {
    const spec = resolve({ problem, device: 'h200', targets: ['cuda'] });
    const scheduled = [
      ...predictedSchedules(spec.problem, 'h200', 50).map(({ schedule }) => schedule),
      ...warpGroupSchedules(spec),
    ];
    assert.ok(scheduled.length > 100);
    assert.ok(scheduled.every(({ kernelSchedule }) => kernelSchedule !== 'tma'));
    const moves = warpGroupMoves(resolve(alone()));
    assert.ok(moves.flat().every(({ to }) => to !== 'tma'));
  });
});
