/** The nest of a plan, against the owners of C in the emitted kernel. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { forEachFma } from '../../../src/core/nests/cacheLines';
import { loopProblem, nestOfPlan } from '../../../src/core/nests/nestOfPlan';
import { placeOf } from '../../../src/core/nests/placeOf';
import { sequentialViolations } from '../../../src/core/nests/rules';
import { nestText } from '../../../src/core/nests/text';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { ownersOf } from '../../../src/core/trace/owners';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { isEnough, runs } from '../../helpers/depth';
import { specs } from '../../helpers/specs';

const nestTextOf = (spec: GemmSpec): string => {
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const found = nestOfPlan(planned.plan);
  return 'why' in found ? found.why : nestText(found.nest);
};

const problem = { m: 64, n: 64, k: 32 };

describe('the nest of a plan', () => {
  for (const [name, schedule, expected] of [
    [
      'naive',
      { algorithm: 'naive', block: { m: 16, n: 16 } },
      'j:16@grid i:16@grid j@block i@block k',
    ],
    [
      'coalesced',
      { algorithm: 'coalesced', block: { m: 8, n: 32 } },
      'i:8@grid j:32@grid i@block j@block k',
    ],
    [
      'shared-tile',
      { algorithm: 'shared-tile', block: { m: 16, n: 16, k: 16 } },
      'i:16@grid j:16@grid k:16+shared i@block j@block k',
    ],
    [
      'thread-tile-2d',
      { algorithm: 'thread-tile-2d', block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 2 } },
      'i:32@grid j:32@grid k:8+shared i:4@block j:2@block k i j',
    ],
  ] as const)
    it(`is the textbook nest for ${name}`, () => {
      assert.equal(nestTextOf({ version: 1, problem, schedule }), expected);
    });

  it('ends in one instruction for tensor cores', () => {
    const tensor = { m: 256, n: 256, k: 64, a: { dtype: 'bf16' }, b: { dtype: 'bf16' } } as const;
    assert.match(
      nestTextOf({
        version: 1,
        problem: tensor,
        schedule: {
          algorithm: 'mma',
          block: { m: 64, n: 64, k: 32 },
          warp: { m: 32, n: 32 },
        },
      }),
      /^i:64@grid j:64@grid k:32\+shared i:32@block j:32@block k:16 i:16 j:8 i@mma j@mma k@mma$/,
    );
  });

  it('places each element of C where the emitted SIMT kernel does', () => {
    let seen = 0;
    fc.assert(
      fc.property(specs, spec => {
        const planned = plan(resolve(spec), 'cuda');
        if (!planned.ok) return;
        const found = nestOfPlan(planned.plan);
        const { raster } = planned.plan.spec.schedule;
        if ('why' in found || found.notes.some(note => note.includes('Split-K'))) return;
        const { nest } = found;
        assert.deepEqual(sequentialViolations(nest), [], nestText(nest));
        if (planned.plan.family !== 'simt' || raster !== undefined) return;
        seen++;
        const kernel = emit(planned.plan) as LoweredKernel;
        const owners = ownersOf(kernel);
        const of = loopProblem(planned.plan);
        const { m, n } = of;
        for (const [i, j] of [
          [0, 0],
          [m - 1, n - 1],
          [Math.floor(m / 2), Math.floor(n / 3)],
          [Math.min(m - 1, 5), Math.min(n - 1, 7)],
          [Math.floor(m / 3), n - 1],
        ] as const) {
          const [accumulator] = owners.ownerOf({ entry: 0, row: i, column: j }).accumulators;
          const place = placeOf(nest, of, { i, j });
          const where = `${nestText(nest)}: C(${i}, ${j}) of ${kernel.specKey}`;
          assert.equal(place.thread, accumulator!.thread, where);
          assert.deepEqual({ ...place.block, z: 0 }, { ...accumulator!.block, z: 0 }, where);
        }
      }),
      runs(1000, 200),
    );
    assert.ok(isEnough(seen, 100));
  });

  it('computes each FMA once for random plans', () => {
    fc.assert(
      fc.property(specs, spec => {
        const planned = plan(resolve(spec), 'cuda');
        if (!planned.ok) return;
        const found = nestOfPlan(planned.plan);
        if ('why' in found) return;
        const of = loopProblem(planned.plan);
        const { m, n, k } = of;
        let visits = 0;
        forEachFma(found.nest, of, () => visits++);
        assert.equal(visits, m * n * k);
      }),
      runs(200, 20),
    );
  });
});
