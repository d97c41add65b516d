/** The pictures of the tile map. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cellsPath, tileLevels, waveTiles } from '../../../src/core/charts/tileMap';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec, Target } from '../../../src/core/spec/schema';
import { runs } from '../../helpers/depth';

const planOf = (spec: GemmSpec, target: Target = 'cuda') => {
  const planned = plan(resolve(spec), target);
  assert.ok(planned.ok, JSON.stringify(planned));
  return planned.plan;
};

/** Cells that the rectangles of a path cover, with the number of rectangles over each. */
function covered(path: string, n: number): ReadonlyMap<number, number> {
  const cells = new Map<number, number>();
  for (const [, x, y, width, height] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g))
    for (let row = Number(y); row < Number(y) + Number(height); row++)
      for (let column = Number(x); column < Number(x) + Number(width); column++) {
        const cell = row * n + column;
        cells.set(cell, (cells.get(cell) ?? 0) + 1);
      }
  return cells;
}

describe('cellsPath', () => {
  it('covers each chosen cell once, and no other cell', () => {
    const grids = fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
      .chain(([m, n]) =>
        fc.record({
          m: fc.constant(m),
          n: fc.constant(n),
          cells: fc.array(fc.boolean(), { minLength: m * n, maxLength: m * n }),
        }),
      );
    fc.assert(
      fc.property(grids, ({ m, n, cells }) => {
        const found = covered(
          cellsPath({ m, n }, cell => cells[cell] === true),
          n,
        );
        cells.forEach((chosen, cell) => {
          assert.equal(found.get(cell) ?? 0, chosen ? 1 : 0);
        });
        assert.equal(found.size, cells.filter(Boolean).length);
      }),
      runs(1000, 100),
    );
  });

  it('joins equal rows into one rectangle', () => {
    assert.equal(
      cellsPath({ m: 4, n: 6 }, cell => cell % 6 >= 2),
      'M2 0h4v4h-4z',
    );
  });
});

describe('waveTiles', () => {
  const problem = { m: 4096, n: 4096, k: 64 };
  const schedule = { algorithm: 'warp-tile', block: { m: 128, n: 128, k: 8 } } as const;

  it('assigns the tiles to waves in the order of the blocks', () => {
    const drawn = waveTiles(planOf({ problem, schedule }), 264);
    assert.ok(drawn !== null);
    assert.equal(drawn.length, Math.ceil((32 * 32) / 264));
    const sizes = drawn.map(({ path }) => covered(path, 32).size);
    assert.deepEqual(sizes, [264, 264, 264, 232]);
    assert.ok(drawn[0]?.path.startsWith('M0 0h32v8'));
  });

  it('follows the raster order', () => {
    const raster = { order: 'col', group: 4 } as const;
    const drawn = waveTiles(planOf({ problem, schedule: { ...schedule, raster } }), 128);
    assert.equal(drawn?.[0]?.path, 'M0 0h4v32h-4z');
  });

  it('draws nothing for persistent blocks and for more tiles than can be seen', () => {
    const bf16 = { ...problem, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;
    assert.equal(waveTiles(planOf({ problem: bf16, schedule: { algorithm: 'wgmma' } }), 132), null);
    const large = { m: 16_400, n: 16_400, k: 16 };
    assert.equal(waveTiles(planOf({ problem: large, schedule }), 264), null);
  });
});

describe('tileLevels', () => {
  const namesOf = (spec: GemmSpec, target?: Target): readonly string[] =>
    tileLevels(planOf(spec, target)).map(({ name }) => name);
  const f16 = { m: 512, n: 512, k: 512, a: { dtype: 'f16' } } as const;

  it('lists the levels of each kernel family, outermost first', () => {
    const problem = { m: 512, n: 512, k: 512 };
    assert.deepEqual(namesOf({ problem, schedule: { algorithm: 'naive' } }), [
      'grid',
      'block',
      'thread',
    ]);
    assert.deepEqual(namesOf({ problem, schedule: { algorithm: 'warp-tile' } }), [
      'grid',
      'block',
      'warp',
      'thread',
    ]);
    assert.deepEqual(namesOf({ problem: f16, schedule: { algorithm: 'mma' } }), [
      'grid',
      'block',
      'warp',
      'instruction',
      'thread',
    ]);
    assert.deepEqual(namesOf({ problem: f16, schedule: { algorithm: 'wgmma' } }), [
      'grid',
      'block',
      'warpGroup',
      'instruction',
      'thread',
    ]);
  });

  it('lists the parts of K of a warp and a thread of gemv, for both layouts of B', () => {
    const levelsOf = (layout: 'row' | 'col', schedule: GemmSpec['schedule']) =>
      tileLevels(
        planOf({
          problem: { m: 1, n: 1024, k: 4096, b: { layout } },
          schedule: { algorithm: 'gemv', ...schedule },
        }),
      )
        .slice(1)
        .map(({ n, k }) => [n, k]);
    assert.deepEqual(levelsOf('col', { block: { m: 1, n: 2, k: 2048 }, thread: { n: 2, k: 16 } }), [
      [2, 2048],
      [2, 512],
      [2, 16],
    ]);
    assert.deepEqual(levelsOf('row', { block: { m: 1, n: 32, k: 256 }, thread: { n: 4, k: 8 } }), [
      [32, 256],
      [32, 32],
      [4, 8],
    ]);
  });

  it('lists the sizes of the computed GEMM, also with swap-AB', () => {
    const problem = { m: 512, n: 1024, k: 512, a: { dtype: 'bf16' } } as const;
    const schedule = { algorithm: 'wgmma', operandOrder: 'ba', block: { m: 96, n: 256 } } as const;
    const levels = tileLevels(
      planOf({ problem, schedule: { ...schedule, kernelSchedule: 'cooperative', consumers: 2 } }),
    );
    assert.deepEqual(
      levels.map(({ name, m, n, k }) => [name, m, n, k]),
      [
        ['grid', 1024, 512, 512],
        ['block', 256, 96, 64],
        ['warpGroup', 128, 96, 64],
        ['instruction', 64, 96, 16],
        ['thread', 4, 24, 1],
      ],
    );
  });

  it('lists sizes that divide those of the level above', () => {
    for (const algorithm of [
      'shared-tile',
      'thread-tile-2d',
      'warp-tile',
      'mma',
      'wgmma',
    ] as const) {
      const levels = tileLevels(planOf({ problem: f16, schedule: { algorithm } }));
      const inBlock = levels.filter(({ name }) => name !== 'grid' && name !== 'thread');
      inBlock.slice(1).forEach(({ m, n, name }, i) => {
        const above = inBlock[i];
        assert.ok(
          above !== undefined && above.m % m === 0 && above.n % n === 0,
          `${algorithm} ${name}`,
        );
      });
    }
  });
});
