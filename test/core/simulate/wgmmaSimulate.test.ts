/**
 * The declared model of `wgmma`, run on small problems; and what it finds where a number of it is
 * wrong.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DeclaredKernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { resolve } from '../../../src/core/defaults/resolve';
import { blockTiles, clusterTile } from '../../../src/core/kernel/wgmma/tileOrder';
import { accumulatorPlace } from '../../../src/core/kernel/wgmma/layouts';
import { CONTEXT } from '../../helpers/context';
import { declaredFor, warpGroups, warpGroupSpecs } from '../../helpers/warpGroupSpecs';
import { IS_WHOLE, isEnough, runs } from '../../helpers/depth';

const run = (runnable: DeclaredKernel) =>
  simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);

const small = (problem: object = {}, schedule: object = {}) =>
  declaredFor(
    warpGroups(
      { m: 130, n: 70, k: 72, a: { dtype: 'bf16' }, b: { layout: 'col' }, ...problem },
      { block: { m: 64, n: 64 }, stages: 2, ...schedule },
    ),
  );

describe('the model of wgmma', () => {
  it('computes what it should, for drawn specs of every type and layout', async function () {
    this.timeout(240_000);
    let legal = 0;
    let relaid = 0;
    let split = 0;
    let turned = 0;
    let parted = 0;
    let twoPass = 0;
    let swapped = 0;
    let columns = 0;
    await fc.assert(
      fc.asyncProperty(warpGroupSpecs, async spec => {
        if (!plan(resolve(spec), 'cuda').ok) return;
        const kernel = declaredFor(spec);
        const { outcome, message } = await run(kernel);
        assert.equal(outcome, 'correct', `${message ?? ''} ${JSON.stringify(spec)}`);
        legal++;
        relaid += kernel.before === undefined ? 0 : 1;
        split += kernel.model.fp32Emulation === undefined ? 0 : 1;
        turned += (kernel.tensorMaps?.a?.transposed ?? kernel.tensorMaps?.b?.transposed) ? 1 : 0;
        parted += kernel.model.splitK > 1 ? 1 : 0;
        twoPass += kernel.model.twoPass === undefined ? 0 : 1;
        swapped += kernel.model.operandOrder === 'ba' ? 1 : 0;
        columns += kernel.problem.c.layout === 'col' ? 1 : 0;
      }),
      { ...runs(320), seed: 7 },
    );
    const seen = { legal, relaid, split, turned, parted, twoPass, swapped, columns };
    assert.ok(isEnough(legal, 40), JSON.stringify(seen));
    // A sample is too small to have every kind.
    assert.ok(
      !IS_WHOLE ||
        (relaid > 10 &&
          split > 5 &&
          turned > 5 &&
          parted + twoPass > 2 &&
          swapped > 10 &&
          columns > 10),
      JSON.stringify(seen),
    );
  });

  it('finds another swizzle, box or stride than the instruction reads', async () => {
    const kernel = small();
    assert.equal((await run(kernel)).outcome, 'correct');
    const { model } = kernel;
    const loads = (a: object): DeclaredKernel => ({
      ...kernel,
      model: { ...model, loads: { ...model.loads, a: { ...model.loads.a, ...a } } },
    });
    assert.equal((await run(loads({ swizzleBytes: 64 }))).outcome, 'incorrect');
    assert.equal((await run(loads({ box: [64, 32] }))).outcome, 'incorrect');
    const turned = small({ b: { layout: 'row' } });
    const b = { ...turned.model.loads.b, panels: 0 };
    const without = { ...turned.model, loads: { ...turned.model.loads, b } };
    assert.equal((await run({ ...turned, model: without })).outcome, 'incorrect');
  });

  it('is as exact with pieces of f32 as their number says', async () => {
    const problem = { m: 70, n: 36, a: { dtype: 'f32' }, k: 520 };
    const errorOf = async (split: string): Promise<number> => {
      const { outcome, verification } = await run(small(problem, { split, block: undefined }));
      assert.equal(outcome, 'correct', split);
      return verification.maxError ?? NaN;
    };
    const [coarse, tf32, six, nine] = [
      await errorOf('bf16x3'),
      await errorOf('tf32x3'),
      await errorOf('bf16x6'),
      await errorOf('bf16x9'),
    ];
    assert.ok(coarse > 8 * tf32, `${coarse} ${tf32}`);
    // The three are as exact as sums in f32 are.
    assert.ok(Math.max(tf32, six, nine) < 2 * Math.min(tf32, six, nine), `${tf32} ${six} ${nine}`);
  });

  it('finds a product of pieces that is left out', async () => {
    const kernel = small({ a: { dtype: 'f32' } }, { split: 'bf16x3', block: undefined });
    const { fp32Emulation } = kernel.model;
    assert.ok(fp32Emulation !== undefined);
    assert.equal((await run(kernel)).outcome, 'correct');
    const less = { ...fp32Emulation, products: fp32Emulation.products.slice(1) };
    const model = { ...kernel.model, fp32Emulation: less };
    assert.equal((await run({ ...kernel, model })).outcome, 'incorrect');
  });

  it('finds a part of K that nobody adds', async () => {
    const kernel = small({ k: 300 }, { splitK: 2, kernelSchedule: 'cooperative', consumers: 1 });
    assert.equal((await run(kernel)).outcome, 'correct');
    const parts = { ...kernel.model, splitK: 1, blocks: kernel.model.blocks };
    const grid = { ...kernel.grid, x: kernel.grid.x / 2 - 1 };
    assert.equal((await run({ ...kernel, grid, model: parts })).outcome, 'incorrect');
  });

  it('finds a tile that no block takes', async () => {
    const kernel = small();
    const grid = { ...kernel.grid, x: kernel.grid.x - 1 };
    assert.equal((await run({ ...kernel, grid })).outcome, 'incorrect');
  });
});

describe('the tiles of persistent blocks', () => {
  it('are all tiles of all clusters, each once', () => {
    const sides = fc.integer({ min: 1, max: 700 });
    const one = fc.constantFrom(1, 2);
    fc.assert(
      fc.property(
        fc.record({
          m: sides,
          n: sides,
          batch: fc.constantFrom(1, 3),
          clusterM: one,
          clusterN: one,
        }),
        fc.constantFrom(1, 2, 8),
        ({ m, n, batch, clusterM, clusterN }, group) => {
          const problem = {
            m,
            n,
            k: 64,
            batch,
            a: { dtype: 'bf16' },
            b: { layout: 'col' },
          } as const;
          const kernel = declaredFor(
            warpGroups(problem, {
              block: { m: 64, n: 64 },
              cluster: { m: clusterM, n: clusterN },
              stages: 2,
              raster: { group },
            }),
          );
          const { blocks } = kernel.model;
          assert.equal(blocks % (clusterM * clusterN), 0);
          assert.ok(blocks <= 132);
          const taken = Array.from({ length: blocks }, (_, block) => [...blockTiles(kernel, block)])
            .flat()
            .filter(tile => tile.m < m && tile.n < n)
            .map(tile => `${tile.product} ${tile.m} ${tile.n}`);
          assert.equal(new Set(taken).size, taken.length);
          assert.equal(taken.length, Math.ceil(m / 64) * Math.ceil(n / 64) * batch);
        },
      ),
      { ...runs(200) },
    );
  });

  it('go down a strip of rows before the next column', () => {
    const at = (order: 'row' | 'col') => (index: number) =>
      clusterTile(index, 5, 3, { order, group: 2 }).join(' ');
    const indices = [0, 1, 2, 6, 12, 13];
    assert.deepEqual(indices.map(at('row')), ['0 0', '1 0', '0 1', '2 0', '4 0', '4 1']);
    assert.deepEqual(indices.map(at('col')), ['0 0', '0 1', '1 0', '3 0', '2 2', '3 2']);
  });
});

describe('the sums of a warp group', () => {
  it('are each held by one thread, pairs of columns side by side', () => {
    const places = Array.from({ length: 128 }, (_, thread) =>
      Array.from({ length: 48 }, (_, register) => accumulatorPlace(thread, register)),
    ).flat();
    assert.equal(new Set(places.map(({ row, column }) => row * 96 + column)).size, 64 * 96);
    assert.deepEqual(accumulatorPlace(37, 7), { row: 25, column: 11 });
  });
});
