/** The same schedule at another size: in closed form what the planner says of that size. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { specOf } from '../../../../scripts/grid/specs';
import { plan as planOf, planIfLegal } from '../../../../src/core/plan/planner';
import { resolve } from '../../../../src/core/defaults/resolve';
import { TARGETS, type GemmSpec } from '../../../../src/core/spec/schema';
import { plansAt, problemAt } from '../../../../src/core/search/sweep/resized';
import { isEnough, runs } from '../../../helpers/depth';

const problemOf = (spec: GemmSpec) => resolve(spec).problem;

describe('a problem at another size', () => {
  it('keeps packed rows packed, padding as it is, and matrices that lie over each other', () => {
    const problem = problemOf({
      problem: {
        m: 100,
        n: 60,
        k: 40,
        batch: 3,
        a: { ld: 48 },
        b: { batchStride: 0 },
        c: { layout: 'col', batchStride: 7000 },
      },
    });
    const other = problemAt(problem, { m: 200, n: 50, k: 41 });
    assert.deepEqual([other.m, other.n, other.k, other.batch], [200, 50, 41, 3]);
    assert.deepEqual([other.a.ld, other.a.batchStride], [49, 200 * 49]);
    assert.deepEqual([other.b.ld, other.b.batchStride], [50, 0]);
    assert.deepEqual([other.c.ld, other.c.batchStride], [200, 50 * 200 + 1000]);
    assert.deepEqual(problemAt(problem, problem), problem);
  });

  it('keeps the padding of a residual of the epilogue', () => {
    const problem = problemOf({
      problem: {
        m: 100,
        n: 60,
        k: 40,
        epilogue: [{ op: 'residual', ld: 64 }, { op: 'residual', layout: 'col' }, { op: 'relu' }],
      },
    });
    const lds = problemAt(problem, { m: 200, n: 50, k: 41 }).epilogue?.map(op =>
      op.op === 'residual' ? op.ld : null,
    );
    assert.deepEqual(lds, [54, 200, null]);
    assert.deepEqual(problemAt(problem, problem), problem);
  });

  it('is what the spec without leading dimensions resolves to', () => {
    const sizes = fc.record({
      m: fc.integer({ min: 1, max: 300 }),
      n: fc.integer({ min: 1, max: 300 }),
      k: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(sizes, sizes, (one, other) => {
        const layouts = { a: { layout: 'col' }, c: { layout: 'col' } } as const;
        const epilogue = [{ op: 'bias', along: 'n' }, { op: 'residual' }] as const;
        const of = (size: typeof one) =>
          problemOf({ problem: { ...size, ...layouts, batch: 2, epilogue } });
        assert.deepEqual(problemAt(of(one), other), of(other));
      }),
    );
  });
});

describe('a plan at another size', () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(128, 256, 4096, 65_537));
  const sizes = fc.record({ m: size, n: size, k: size });

  it('is the one that the planner makes, or none where it makes none', () => {
    let legal = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom(...TARGETS),
        fc.array(sizes, { minLength: 1, maxLength: 8 }),
        (seed, target, others) => {
          const planned = planOf(resolve(specOf(seed)), target);
          if (!planned.ok) return;
          const { spec } = planned.plan;
          const most = (of: 'm' | 'n' | 'k') => Math.max(...others.map(other => other[of]));
          const at = plansAt(planned.plan, { m: most('m'), n: most('n'), k: most('k') });
          for (const other of others) {
            const ours = at(other);
            const theirs = planIfLegal(
              { ...spec, problem: problemAt(spec.problem, other) },
              target,
            );
            assert.deepEqual(ours?.plan ?? null, theirs, `seed ${seed}`);
            if (theirs !== null) legal++;
          }
        },
      ),
      { ...runs(400) },
    );
    assert.ok(isEnough(legal, 300), `${legal} were legal`);
  }).timeout(60_000);

  it('is none from the first size on that a grid cannot count', () => {
    const planned = planOf(
      resolve({
        problem: { m: 64, n: 64, k: 8 },
        schedule: { algorithm: 'naive', block: { m: 1, n: 1 } },
      }),
      'cuda',
    );
    assert.ok(planned.ok);
    const at = plansAt(planned.plan, { m: 64, n: 70_000, k: 8 });
    assert.notEqual(at({ m: 64, n: 65_535, k: 8 }), null);
    assert.equal(at({ m: 64, n: 65_536, k: 8 }), null);
  });
});
