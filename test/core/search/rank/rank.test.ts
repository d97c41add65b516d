/**
 * Ranking beside the planner, the analysis and the IR: the same schedules, the same inputs, the
 * same times.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { specOf } from '../../../../scripts/grid/specs';
import { analyze } from '../../../../src/core/report/analyze';
import { emit } from '../../../../src/core/kernel/emit';
import { plan, planIfLegal, plannerFor } from '../../../../src/core/plan/planner';
import { rank, type Ranking } from '../../../../src/core/search/rank/rank';
import { schedulesOf } from '../../../../src/core/search/rank/space';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { ResolvedSchedule, ResolvedSpec } from '../../../../src/core/spec/resolved';
import { IS_WHOLE, isEnough, runs } from '../../../helpers/depth';

const problem = (size: number): ResolvedSpec => resolve({ problem: { m: size, n: size, k: size } });
const ranked = (...given: Parameters<typeof rank>): Ranking => {
  const result = rank(...given);
  assert.ok('best' in result);
  return result;
};

describe('planning without words', () => {
  it('plans what the planner plans, and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), seed => {
        const spec = resolve(specOf(seed));
        for (const target of ['cuda', 'wgsl'] as const) {
          const planned = plan(spec, target);
          assert.deepEqual(planIfLegal(spec, target), planned.ok ? planned.plan : null);
        }
      }),
      { ...runs(300) },
    );
  }).timeout(60_000);
});

describe('planning many schedules of a problem', () => {
  const change: fc.Arbitrary<Partial<ResolvedSchedule>> = fc.oneof(
    fc.record({ splitK: fc.constantFrom(1, 2, 3, 4, 64) }),
    fc.record({ minBlocksPerSm: fc.constantFrom(1, 2, 8, 32) }),
    fc.record({ splitKReduction: fc.constantFrom('atomic' as const, 'two-pass' as const) }),
    fc.record({ stages: fc.constantFrom(1, 2, 3, 5) }),
    fc.record({ vector: fc.constantFrom(1, 2, 4) }),
    fc.record({ swizzle: fc.constantFrom('none' as const, 'xor' as const) }),
    fc.record({ padding: fc.record({ a: fc.nat(4), b: fc.nat(4) }) }),
    fc.record({ raster: fc.record({ order: fc.constantFrom('row' as const, 'col' as const) }) }),
    fc.record({ block: fc.record({ m: fc.constantFrom(32, 64), n: fc.constantFrom(16, 64) }) }),
    fc.record({ algorithm: fc.constantFrom('warp-tile' as const, 'pipelined' as const) }),
  );

  it('gives each the plan that it has by itself, whatever came before', () => {
    let [legal, illegal] = [0, 0];
    const seeds = fc.integer({ min: 1, max: 1_000_000 });
    const target = fc.constantFrom('cuda' as const, 'wgsl' as const);
    fc.assert(
      fc.property(seeds, target, fc.array(change, { maxLength: 12 }), (seed, of, changes) => {
        const spec = resolve(specOf(seed));
        const planOf = plannerFor(spec, of);
        let { schedule } = spec;
        for (const next of [{}, ...changes]) {
          schedule = { ...schedule, ...next };
          const planned = plan({ ...spec, schedule }, of);
          assert.deepEqual(planOf(schedule), planned.ok ? planned.plan : null);
          if (planned.ok) legal++;
          else illegal++;
        }
      }),
      { ...runs(400), seed: 20261122 },
    );
    assert.ok(isEnough(legal, 200) && isEnough(illegal, 200), `${legal} legal, ${illegal} illegal`);
  }).timeout(60_000);

  it('ranks a space as its schedules one by one', () => {
    const spec = problem(2048);
    const some = [...schedulesOf(spec.problem)].slice(40_000, 40_400);
    const alone = some.flatMap(schedule => ranked(spec, 1, [schedule]).best);
    const order = [...alone].sort((left, right) => left.milliseconds - right.milliseconds);
    assert.deepEqual(ranked(spec, some.length, some).best, order);
  }).timeout(60_000);
});

describe('ranking', () => {
  const spec = problem(1024);
  const space = [...schedulesOf(spec.problem)];
  const sampled = (every: number): readonly ResolvedSchedule[] =>
    space.filter((_, i) => i % every === 0);

  it('has 100,000 schedules and more to walk, no two alike', () => {
    assert.ok(space.length >= 100_000);
    const some = sampled(7).map(schedule => JSON.stringify(schedule));
    assert.equal(new Set(some).size, some.length);
  });

  it('scores as the analysis of the lowered kernel predicts', () => {
    for (const schedule of sampled(2999)) {
      const [own] = ranked(spec, 1, [schedule]).best;
      const planned = plan({ ...spec, schedule }, 'cuda');
      if (!planned.ok) {
        assert.equal(own, undefined);
        continue;
      }
      const { prediction, occupancy } = analyze(emit(planned.plan), { device: 'h200' });
      assert.equal(own?.blocksPerSm ?? 0, occupancy?.blocksPerSm);
      const expected = prediction?.milliseconds.value;
      if (own === undefined || expected === undefined) assert.equal(own, expected);
      else assert.ok(Math.abs(own.milliseconds / expected - 1) < 1e-9, JSON.stringify(schedule));
    }
  }).timeout(60_000);

  it('gives the fastest first, and as many as it is asked for', () => {
    const some = sampled(IS_WHOLE ? 37 : 149);
    const all = ranked(spec, some.length, some);
    assert.equal(all.best.length, all.scored);
    assert.equal(all.planned, some.length);
    const times = all.best.map(({ milliseconds }) => milliseconds);
    assert.deepEqual(
      times,
      [...times].sort((left, right) => left - right),
    );
    assert.deepEqual(ranked(spec, 5, some).best, all.best.slice(0, 5));
  });

  it('does not choose schedules whose registers spill', () => {
    for (const { schedule } of ranked(problem(4096), 16, sampled(IS_WHOLE ? 3 : 31)).best) {
      const planned = plan({ ...problem(4096), schedule }, 'cuda');
      assert.ok(planned.ok && planned.plan.spilledEstimate.inner === 0, JSON.stringify(schedule));
    }
  }).timeout(60_000);

  it('says why it cannot: a device without rules, one that nobody knows, a type without a peak', () => {
    assert.deepEqual(rank({ ...spec, device: 'apple-m2' }, 1, []), { why: 'device' });
    assert.deepEqual(rank({ ...spec, device: 'unheard-of' }, 1, []), { why: 'device' });
    const f64 = resolve({
      problem: {
        m: 64,
        n: 64,
        k: 64,
        a: { dtype: 'f64' },
        b: { dtype: 'f64' },
        c: { dtype: 'f64' },
      },
    });
    assert.deepEqual(rank({ ...f64, device: 'rtx-3070-laptop' }, 1, []), { why: 'element-type' });
  });
});
