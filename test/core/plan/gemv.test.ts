/** `gemv`: its legality on both sides of each limit, its plan and its text. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { lanePlanIn } from '../../../src/core/plan/family';
import type { GemvPlan, Violation } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';
import { isEnough, runs } from '../../helpers/depth';
import { loweredOf } from '../../helpers/kernels';
import { gemvSpecs } from '../../helpers/specs';

type Schedule = NonNullable<GemmSpec['schedule']>;

const COL = { m: 1, n: 64, k: 1024, b: { layout: 'col' } } as const;
const ROW = { m: 1, n: 64, k: 1024, b: { layout: 'row' } } as const;
const WARPS = {
  algorithm: 'gemv',
  block: { m: 1, n: 8, k: 256 },
  thread: { m: 1, n: 2, k: 8 },
  vector: 4,
} as const satisfies Schedule;
const SLICES = {
  algorithm: 'gemv',
  block: { m: 1, n: 128, k: 32 },
  thread: { m: 1, n: 4, k: 4 },
  vector: 4,
} as const satisfies Schedule;

const planned = (spec: GemmSpec, target: Target = 'cuda') => plan(resolve(spec), target);

function kernelOf(spec: GemmSpec, target: Target = 'cuda'): LoweredKernel {
  const found = planned(spec, target);
  assert.ok(found.ok, JSON.stringify(found));
  return loweredOf(emit(found.plan));
}

function gemvOf(spec: GemmSpec, target: Target = 'cuda'): GemvPlan {
  return lanePlanIn(kernelOf(spec, target).plan)?.gemv ?? assert.fail();
}

function violations(schedule: Schedule, problem: GemmSpec['problem'] = COL, target?: Target) {
  const found = planned({ problem, schedule }, target);
  return found.ok ? [] : found.violations;
}

const rulesOf = (found: readonly Violation[]): readonly string[] => found.map(({ rule }) => rule);

describe('the rules of gemv', () => {
  it('allow one to four rows of A', () => {
    for (const m of [1, 2, 3, 4])
      assert.deepEqual(violations({ algorithm: 'gemv' }, { ...COL, m }), []);
    const [five] = violations({ algorithm: 'gemv' }, { ...COL, m: 5 });
    assert.equal(five?.rule, 'gemv-rows');
    assert.match(five.message, /^gemv supports at most 4 rows of A, .*; M = 5\. Fix: use another/);
    assert.deepEqual([five.path, five.nearest], ['schedule', { algorithm: 'thread-tile-2d' }]);
  });

  it('require all rows of a block in each thread, and at most four', () => {
    const of = (blockM: number, threadM: number) =>
      violations({
        ...WARPS,
        block: { ...WARPS.block, m: blockM },
        thread: { ...WARPS.thread, m: threadM },
      });
    assert.deepEqual(of(4, 4), []);
    assert.deepEqual(rulesOf(of(4, 2)), ['gemv-block']);
    assert.deepEqual(rulesOf(of(5, 5)), ['gemv-block']);
  });

  it('require that thread.k divides block.k', () => {
    const of = (k: number) => violations({ ...WARPS, thread: { ...WARPS.thread, k } });
    assert.deepEqual(of(8), []);
    assert.deepEqual(rulesOf(of(7)), ['thread-tile']);
  });

  it('require powers of two of threads along N and K, and full warps', () => {
    const of = (n: number, k: number) =>
      violations({ ...WARPS, block: { m: 1, n: n * 2, k: k * 8 } });
    for (const [n, k] of [
      [1, 32],
      [2, 16],
      [32, 1],
    ] as const)
      assert.deepEqual(of(n, k), [], `${n} x ${k}`);
    const [along] = of(3, 32);
    assert.deepEqual([along?.rule, along?.path], ['gemv-threads', 'schedule.block.n']);
    const [across] = of(1, 96);
    assert.deepEqual([across?.rule, across?.path], ['gemv-threads', 'schedule.block.k']);
    const [few] = of(2, 8);
    assert.match(few?.message ?? '', /full warps: 2 threads along N x 8 along K/);
  });

  it('limit the threads per block by target', () => {
    const of = (k: number, target: Target) =>
      violations({ ...WARPS, block: { m: 1, n: 2, k: k * 8 } }, COL, target);
    assert.deepEqual(of(1024, 'cuda'), []);
    assert.match(
      of(2048, 'cuda')[0]?.message ?? '',
      /^1 x 2,048 = 2,048 threads per block > 1,024/,
    );
    assert.deepEqual(of(256, 'wgsl'), []);
    assert.deepEqual(rulesOf(of(512, 'wgsl')), ['threads-per-block']);
  });

  it('limit the unrolled code and the registers', () => {
    // 5 loads and FMAs per k with one row and two columns.
    const of = (k: number) =>
      rulesOf(
        violations({ ...WARPS, block: { m: 1, n: 8, k: 32 * k }, thread: { m: 1, n: 2, k } }),
      );
    assert.ok(!of(409).includes('unrolling'));
    assert.ok(of(410).includes('unrolling'));
    assert.deepEqual(of(64), []);
    assert.deepEqual(of(128), ['registers']);
  });

  it('limit the shared memory of the partial results', () => {
    // WGSL: 32 partial results of 128 columns are 16 KiB per row.
    const of = (m: number) =>
      rulesOf(
        violations(
          { algorithm: 'gemv', block: { m, n: 128, k: 32 }, thread: { m, n: 16, k: 1 }, vector: 4 },
          { ...ROW, m },
          'wgsl',
        ),
      );
    assert.deepEqual(of(1), []);
    assert.deepEqual(of(2), ['shared-memory']);
  });

  it('reject thread.k for other algorithms, and shared-memory fields for gemv', () => {
    const other = violations(
      { algorithm: 'vectorized', thread: { k: 4 } },
      { m: 64, n: 64, k: 64 },
    );
    assert.deepEqual(rulesOf(other), ['unused-field']);
    const stages = violations({ ...WARPS, stages: 2 });
    assert.deepEqual(rulesOf(stages), ['unused-field']);
  });
});

describe('the plan of gemv', () => {
  it('reduces lanes by shuffles in CUDA, and all threads through memory in WGSL', () => {
    const cuda = gemvOf({ problem: COL, schedule: WARPS });
    assert.deepEqual([cuda.isAlongK, cuda.lanesK, cuda.partials, cuda.bytes], [true, 32, 1, 0]);
    const wgsl = gemvOf({ problem: COL, schedule: WARPS }, 'wgsl');
    assert.deepEqual([wgsl.lanesK, wgsl.partials, wgsl.bytes], [1, 32, 32 * 8 * 4]);
    const slices = gemvOf({ problem: ROW, schedule: SLICES });
    assert.deepEqual(
      [slices.isAlongK, slices.lanesK, slices.partials, slices.bytes],
      [false, 1, 8, 8 * 128 * 4],
    );
    const mixed = gemvOf({
      problem: ROW,
      schedule: { ...SLICES, block: { m: 1, n: 32, k: 128 } },
    });
    assert.deepEqual([mixed.lanesK, mixed.partials], [4, 8]);
  });

  it('narrows the loads of misaligned matrices, but not the runs of k', () => {
    const of = (problem: GemmSpec['problem']) => {
      const { lanes } = kernelOf({ problem, schedule: WARPS }).plan as {
        readonly lanes?: { readonly b: { readonly width: number }; readonly gemv: GemvPlan };
      };
      return [lanes?.b.width, lanes?.gemv.run];
    };
    assert.deepEqual(of(COL), [4, 4]);
    assert.deepEqual(of({ ...COL, k: 1022 }), [2, 2]);
    assert.deepEqual(of({ ...COL, k: 1023 }), [1, 1]);
    assert.deepEqual(of({ ...COL, b: { layout: 'col', ld: 1025 } }), [1, 4]);
  });

  it('emits a warp reduction without shared memory, or one barrier', () => {
    const { source } = kernelOf({ problem: COL, schedule: WARPS });
    assert.match(
      source,
      /acc\[m\]\[n\] \+= __shfl_xor_sync\(ALL_LANES, acc\[m\]\[n\], 1 << step\);/,
    );
    assert.doesNotMatch(source, /__shared__|__syncthreads/);
    const shared = kernelOf({ problem: ROW, schedule: SLICES }).source;
    assert.equal(shared.match(/__syncthreads/g)?.length, 1);
    assert.doesNotMatch(shared, /__shfl/);
    const wgsl = kernelOf({ problem: COL, schedule: WARPS }, 'wgsl').source;
    assert.doesNotMatch(wgsl, /enable subgroups|subgroupShuffle/);
    assert.equal(wgsl.match(/workgroupBarrier/g)?.length, 1);
  });

  it('computes the reference in simulate for random problems', async () => {
    let legal = 0;
    await fc.assert(
      fc.asyncProperty(
        gemvSpecs,
        fc.constantFrom('cuda' as const, 'wgsl' as const),
        async (spec, target) => {
          const found = planned(spec, target);
          if (!found.ok) return;
          legal++;
          const request = { runnable: emit(found.plan), mode: 'verify', seed: 3 } as const;
          const { outcome, message } = await simulateBackend.run(request, CONTEXT);
          assert.equal(outcome, 'correct', message);
        },
      ),
      { ...runs(200, 40) },
    );
    assert.ok(isEnough(legal, 60), `${legal}`);
  }).timeout(60_000);
});
