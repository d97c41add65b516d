/** Two-pass split-K of `wgmma`: both sides of its limits, its slices, and its simulated result. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolve } from '../../../../src/core/defaults/resolve';
import type { DeclaredKernel } from '../../../../src/core/kernel/kernel';
import { blockTiles } from '../../../../src/core/kernel/wgmma/tileOrder';
import { plan } from '../../../../src/core/plan/planner';
import { simulateBackend } from '../../../../src/core/simulate/backend';
import type { GemmSpec, Schedule } from '../../../../src/core/spec/schema';
import { CONTEXT } from '../../../helpers/context';
import { IS_WHOLE, isEnough, runs } from '../../../helpers/depth';
import { broken, planOf, specOf, type Problem } from '../../../helpers/warpGroupPlans';
import { declaredFor, warpGroupSpecs } from '../../../helpers/warpGroupSpecs';

const twoPass = (splitK: number, more: Schedule = {}, problem: Problem = {}) =>
  specOf(
    {
      block: { m: 128, n: 128 },
      kernelSchedule: 'cooperative',
      splitK,
      splitKReduction: 'two-pass',
      ...more,
    },
    { k: 448, ...problem },
  );

const run = (runnable: DeclaredKernel) =>
  simulateBackend.run({ runnable, mode: 'verify', seed: 5 }, CONTEXT);

describe('two-pass split-K of wgmma: both sides of every limit', () => {
  it('requires a k-iteration per slice', () => {
    for (const splitK of [2, 3, 4, 7]) planOf(twoPass(splitK));
    // Seven k-iterations in five or six slices are two per slice, which leaves a slice empty.
    for (const splitK of [5, 6])
      assert.deepEqual(broken(twoPass(splitK)), ['split-k', 'schedule.splitK', 4]);
    assert.deepEqual(broken(twoPass(8)), ['split-k', 'schedule.splitK', 7]);
  });

  it('supports every cluster without split-K, since slices are not in the cluster', () => {
    for (const m of [1, 2, 4, 8] as const)
      for (const n of [1, 2, 4, 8] as const) {
        if (m * n > 8) continue;
        const { wgmma } = planOf(twoPass(7, { cluster: { m, n } }));
        assert.deepEqual([wgmma.splitK, wgmma.twoPass?.slices], [1, 7]);
      }
    const crowded = twoPass(7, { cluster: { m: 4, n: 4 } });
    assert.deepEqual(broken(crowded).slice(0, 2), ['cluster', 'schedule.cluster']);
  });

  it('needs no columns or stages for an exchange in the cluster', () => {
    planOf(twoPass(3, { block: { m: 128, n: 40 } }));
    planOf(twoPass(2, { block: { m: 128, n: 256 }, stages: 2 }));
  });

  it('rejects ping-pong, FP32 emulation and atomics', () => {
    const pingpong = twoPass(2, { kernelSchedule: 'pingpong', consumers: 2 });
    assert.deepEqual(broken(pingpong), ['split-k', 'schedule.splitK', 1]);
    const f32 = { a: { dtype: 'f32' } } as const;
    const emulated = twoPass(2, { block: { m: 64, n: 64 }, split: 'bf16x3' }, f32);
    assert.deepEqual(broken(emulated), ['split-k', 'schedule.splitK', 1]);
    const atomic = broken(twoPass(2, { splitKReduction: 'atomic' }));
    assert.deepEqual(atomic, ['split-k', 'schedule.splitKReduction', 'two-pass']);
    const [rule, path] = broken(twoPass(1));
    assert.deepEqual([rule, path], ['unused-field', 'schedule.splitKReduction']);
  });

  it('limits the batch by grid.z, which the slices do not use', () => {
    const small = { m: 8, n: 8, b: { layout: 'col' } } as const;
    planOf(twoPass(7, {}, { ...small, batch: 65_535 }));
    assert.deepEqual(broken(twoPass(7, {}, { ...small, batch: 65_536 })), [
      'batch',
      'problem.batch',
      65_535,
    ]);
  });

  it('keeps the reduction in the cluster without the field', () => {
    const { wgmma, split } = planOf(
      specOf({ block: { m: 128, n: 128 }, kernelSchedule: 'cooperative', splitK: 2 }, { k: 448 }),
    );
    assert.deepEqual([wgmma.splitK, wgmma.twoPass, split], [2, undefined, undefined]);
  });
});

/** FMAs of the largest problem that is simulated here, below the limit of the backend. */
const MOST_FMAS = 2 ** 22;

describe('two-pass split-K of wgmma', () => {
  it('computes each slice of each tile once', () => {
    const kernel = declaredFor(
      twoPass(7, { cluster: { m: 2, n: 2 } }, { m: 300, n: 200, batch: 2 }),
    );
    const found = Array.from({ length: kernel.grid.x }, (_, block) => [
      ...blockTiles(kernel, block),
    ])
      .flat()
      .filter(({ m, n }) => m < 300 && n < 200)
      .map(({ m, n, product, slice }) => `${product} ${slice} ${m} ${n}`);
    assert.equal(found.length, 2 * 7 * 3 * 2);
    assert.equal(new Set(found).size, found.length);
  });

  it('passes alpha, beta and C to the reduction kernel only', () => {
    const kernel = declaredFor(twoPass(2, {}, { alpha: 2, beta: 0.5 }));
    assert.ok(!kernel.arguments.flat().some(role => role === 'c' || role === 'alpha'));
    const [reduction] = kernel.after ?? [];
    assert.deepEqual(reduction?.arguments, ['m', 'n', 'alpha', 'workspace', 'beta', 'c', 'ldc']);
    assert.equal(kernel.tensorMaps?.c, undefined);
  });

  it('computes C for drawn specs of every type and layout', async function () {
    this.timeout(240_000);
    const seen = { legal: 0, copied: 0, swapped: 0, columns: 0, batched: 0, shorter: 0 };
    const drawn = warpGroupSpecs.filter(({ schedule }) => (schedule?.splitK ?? 1) > 1);
    await fc.assert(
      fc.asyncProperty(drawn, async spec => {
        const { schedule, problem: short } = spec;
        const [a, b] = [short.a, short.b].map(given => ({ ...given, ld: undefined }));
        const deep: GemmSpec = JSON.parse(
          JSON.stringify({
            problem: { ...short, a, b, k: 200 + short.k },
            schedule: { ...schedule, splitKReduction: 'two-pass' },
          }),
        ) as GemmSpec;
        const { m, n, k, batch = 1 } = deep.problem;
        if (m * n * k * batch > MOST_FMAS || !plan(resolve(deep), 'cuda').ok) return;
        const kernel = declaredFor(deep);
        const { twoPass: split } = kernel.model;
        assert.ok(split !== undefined);
        const { outcome, message } = await run(kernel);
        assert.equal(outcome, 'correct', `${message ?? ''} ${JSON.stringify(deep)}`);
        const { problem, model } = kernel;
        seen.legal++;
        seen.copied += split.offsetBytes > 0 ? 1 : 0;
        seen.swapped += model.operandOrder === 'ba' ? 1 : 0;
        seen.columns += problem.c.layout === 'col' ? 1 : 0;
        seen.batched += problem.batch > 1 ? 1 : 0;
        const steps = Math.ceil(problem.k / model.tile.k);
        seen.shorter += steps < split.slices * split.iterations ? 1 : 0;
      }),
      { ...runs(240), seed: 11 },
    );
    assert.ok(isEnough(seen.legal, 30), JSON.stringify(seen));
    // A sample is too small to have every kind.
    assert.ok(!IS_WHOLE || Object.values(seen).every(count => count > 5), JSON.stringify(seen));
  });

  it('is incorrect if the reduction kernel reads fewer slices or another place', async () => {
    const kernel = declaredFor(twoPass(4, { block: { m: 64, n: 64 } }, { m: 70, n: 66 }));
    assert.equal((await run(kernel)).outcome, 'correct');
    const { model } = kernel;
    assert.ok(model.twoPass !== undefined);
    const changed = (more: object): DeclaredKernel => ({
      ...kernel,
      model: { ...model, twoPass: { ...model.twoPass, ...more } as typeof model.twoPass },
    });
    for (const more of [{ slices: 3 }, { offsetBytes: 4 }, { iterations: 1 }])
      assert.equal((await run(changed(more))).outcome, 'incorrect', JSON.stringify(more));
  });
});
