/** How wide a thread's loads of a tile are, and what it puts together of them. */
import assert from 'node:assert/strict';
import { lanePlanIn } from '../../../src/core/plan/family';
import type { StagedOperand } from '../../../src/core/plan/plan';
import { inMatrix, inStaged } from '../../../src/core/plan/stridedRows';
import { stagingUnitOf } from '../../../src/core/plan/simt/lanes';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';

describe('what a thread of WGSL stages at a time', () => {
  const TILES = { block: { m: 64, n: 64, k: 32 }, warp: { m: 32, n: 32 }, thread: { m: 8, n: 4 } };
  const staged = (
    lda: number,
    layouts: readonly ['row' | 'col', 'row' | 'col'],
    {
      padding = 0,
      ...others
    }: Omit<NonNullable<GemmSpec['schedule']>, 'padding'> & { readonly padding?: number } = {},
  ) => {
    const planned = plan(
      resolve({
        problem: {
          m: 512,
          n: 512,
          k: 512,
          a: { layout: layouts[0], ld: lda },
          b: { layout: layouts[1] },
        },
        schedule: {
          algorithm: 'warp-tile',
          ...TILES,
          vector: 4,
          padding: { a: padding },
          ...others,
        },
        webgpuLimits: { invocations: 256, workgroupStorageBytes: 49152 },
      }),
      'wgsl',
    );
    assert.ok(planned.ok, JSON.stringify(planned));
    const { a, b } = lanePlanIn(planned.plan) ?? assert.fail();
    return { a, b };
  };
  const of = ({ width, loadsPerStore, fragment }: StagedOperand) => [
    width,
    loadsPerStore,
    fragment,
  ];

  it('is a block that it turns over where the depth is contiguous, else a vector', () => {
    const { a, b } = staged(512, ['row', 'row']);
    assert.deepEqual([of(a), stagingUnitOf(a)], [[4, 4, 4], { side: 4, depth: 4 }]);
    assert.deepEqual([of(b), stagingUnitOf(b)], [[4, 1, 4], { side: 4, depth: 1 }]);
    const turned = staged(512, ['col', 'col']);
    assert.deepEqual(
      [of(turned.a), of(turned.b)],
      [
        [4, 1, 4],
        [4, 4, 4],
      ],
    );
  });

  it('is put together of narrower loads where an address is not aligned', () => {
    assert.deepEqual(of(staged(514, ['row', 'row']).a), [2, 4, 4]);
    assert.deepEqual(of(staged(513, ['row', 'row']).a), [1, 4, 4]);
    assert.deepEqual(of(staged(513, ['col', 'row']).a), [1, 4, 4]);
    assert.deepEqual(of(staged(514, ['col', 'row']).a), [2, 2, 4]);
  });

  it('is narrower where threads would have nothing to turn over, and what waits in registers is not turned at all', () => {
    const deep = (k: number) => ({ block: { ...TILES.block, k } });
    const widths = [64, 32, 16, 8, 4].map(k => staged(512, ['row', 'row'], deep(k)).a.width);
    assert.deepEqual(widths, [4, 4, 2, 1, 1]);
    const waiting = staged(512, ['row', 'col'], { prefetch: 'registers' });
    assert.deepEqual(
      [of(waiting.a), of(waiting.b)],
      [
        [1, 4, 4],
        [1, 4, 4],
      ],
    );
    assert.deepEqual(of(staged(512, ['col', 'row'], { prefetch: 'registers' }).a), [4, 1, 4]);
  });

  it('lies fragmentStride in the matrix where no vector reaches its elements, and C is stored one by one', () => {
    const aparts = ({ a, b }: ReturnType<typeof staged>) => [a.fragmentStride, b.fragmentStride];
    assert.deepEqual(aparts(staged(513, ['col', 'row'])), [16, 1]);
    assert.deepEqual(aparts(staged(514, ['col', 'row'])), [1, 1]);
    assert.deepEqual(aparts(staged(513, ['row', 'row'])), [1, 1]);
    const odd = (problem: object) => {
      const found = plan(
        resolve({
          problem: { m: 512, n: 512, k: 512, b: { ld: 513 }, ...problem },
          schedule: { algorithm: 'warp-tile', ...TILES, vector: 4 },
          targets: ['wgsl'],
        }),
        'wgsl',
      );
      assert.ok(found.ok);
      return lanePlanIn(found.plan)?.b.fragmentStride;
    };
    // Rows of C that are aligned are stored as vectors, for which columns must be neighbours.
    assert.equal(odd({}), 1);
    assert.equal(odd({ c: { ld: 513 } }), 16);
    assert.equal(odd({ c: { layout: 'col' } }), 16);
  });

  it('goes from a position to a row of the matrix and back', () => {
    for (const fragmentStride of [1, 16, 24]) {
      const dealt = { fragment: 4, fragmentStride };
      const positions = Array.from({ length: 4 * Math.max(16, fragmentStride) }, (_, i) => i);
      const rows = positions.map(position => inMatrix(dealt, position));
      assert.deepEqual(
        rows.map(row => inStaged(dealt, row)),
        positions,
      );
      assert.deepEqual(
        rows.toSorted((one, other) => one - other),
        positions,
      );
      assert.equal((rows[1] ?? 0) - (rows[0] ?? 0), fragmentStride);
    }
  });

  it('is as narrow as rows of shared memory with their padding', () => {
    assert.deepEqual(of(staged(512, ['row', 'row'], { padding: 2 }).a), [4, 2, 2]);
    assert.deepEqual(of(staged(512, ['col', 'row'], { padding: 1 }).a), [1, 1, 1]);
  });
});
