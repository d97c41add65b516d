/** The declared model of `wgmma`, run on small problems; and what it finds where a number of it is wrong. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DeclaredKernel } from '../../src/core/emit/kernel';
import { plan } from '../../src/core/plan/planner';
import { simulateBackend } from '../../src/core/simulate/backend';
import { resolve } from '../../src/core/spec/resolve';
import { blockTiles, clusterTile } from '../../src/core/wgmma/tileOrder';
import { sumPlace } from '../../src/core/wgmma/layouts';
import { CONTEXT } from '../helpers/context';
import { declaredFor, warpGroups, warpGroupSpecs } from '../helpers/warpGroupSpecs';

const run = (runnable: DeclaredKernel) =>
  simulateBackend.run({ runnable, mode: 'verify', seed: 3 }, CONTEXT);

const small = (problem: object = {}, schedule: object = {}) =>
  declaredFor(
    warpGroups(
      { ...{ m: 130, n: 70, k: 72 }, a: { dtype: 'bf16' }, b: { layout: 'col' }, ...problem },
      { block: { m: 64, n: 64 }, stages: 2, ...schedule },
    ),
  );

describe('the model of wgmma', () => {
  it('computes what it should, for drawn specs of every type and layout', async function () {
    this.timeout(240_000);
    let legal = 0;
    let relaid = 0;
    await fc.assert(
      fc.asyncProperty(warpGroupSpecs, async spec => {
        if (!plan(resolve(spec), 'cuda').ok) return;
        const kernel = declaredFor(spec);
        const { outcome, message } = await run(kernel);
        assert.equal(outcome, 'correct', `${message ?? ''} ${JSON.stringify(spec)}`);
        legal++;
        relaid += kernel.before === undefined ? 0 : 1;
      }),
      { numRuns: 120, seed: 7 },
    );
    assert.ok(legal > 40 && relaid > 10, `${legal} legal, ${relaid} of them re-laid`);
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
              ...{ block: { m: 64, n: 64 }, cluster: { m: clusterM, n: clusterN } },
              ...{ stages: 2, raster: { group } },
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
      { numRuns: 200 },
    );
  });

  it('go down a strip of rows before the next column', () => {
    const at = (index: number) => clusterTile(index, 5, 3, 2).join(' ');
    assert.deepEqual([0, 1, 2, 6, 12, 13].map(at), ['0 0', '1 0', '0 1', '2 0', '4 0', '4 1']);
  });
});

describe('the sums of a warp group', () => {
  it('are each held by one thread, pairs of columns side by side', () => {
    const places = Array.from({ length: 128 }, (_, thread) =>
      Array.from({ length: 48 }, (_, register) => sumPlace(thread, register)),
    ).flat();
    assert.equal(new Set(places.map(({ row, column }) => row * 96 + column)).size, 64 * 96);
    assert.deepEqual(sumPlace(37, 7), { row: 25, column: 11 });
  });
});
