/** Layout algebra against its definitions, on drawn layouts, by walking every coordinate. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { coalesce, complement, compose, rightInverse } from '../../../src/core/layout/compose';
import { coverage, isCompact } from '../../../src/core/layout/coverage';
import {
  localPartition,
  localTile,
  logicalProduct,
  slice,
  zippedDivide,
} from '../../../src/core/layout/divide';
import { flatten, tupleOf, type IntTuple } from '../../../src/core/layout/intTuple';
import {
  coordinateOf,
  cosize,
  LayoutError,
  layoutOf,
  modes,
  offsetOf,
  packed,
  size,
  textOf,
  type Layout,
} from '../../../src/core/layout/layout';
import { isEnough, runs } from '../../helpers/depth';

const shapes: fc.Arbitrary<IntTuple> = fc.letrec<{ shape: IntTuple }>(tie => ({
  shape: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.integer({ min: 1, max: 6 }),
    fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
  ),
})).shape;
const strided = (shape: IntTuple, strides: readonly number[]): Layout => {
  let at = 0;
  const fill = (mode: IntTuple): IntTuple =>
    typeof mode === 'number' ? (strides[at++ % strides.length] ?? 0) : mode.map(fill);
  return layoutOf(shape, fill(shape));
};
const small = (layout: Layout): boolean => size(layout) <= 2000;
const layouts = fc
  .tuple(
    shapes,
    fc.array(fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 12, 16, 24), { minLength: 1, maxLength: 9 }),
  )
  .map(([shape, strides]) => strided(shape, strides))
  .filter(small);

const offsets = (layout: Layout): readonly number[] =>
  Array.from({ length: size(layout) }, (_, i) => offsetOf(layout, i));

describe('layout algebra', () => {
  it('an offset is the product of coordinate and strides; cosize is one more than the largest', () => {
    fc.assert(
      fc.property(layouts, layout => {
        const strides = flatten(layout.stride);
        const walked = offsets(layout).map((offset, i) => {
          const coordinate = flatten(coordinateOf(layout.shape, i));
          const dot = coordinate.reduce((sum, c, at) => sum + c * (strides[at] ?? 0), 0);
          assert.equal(offset, dot);
          return dot;
        });
        assert.equal(new Set(walked.map((_, i) => i)).size, size(layout));
        assert.equal(cosize(layout), Math.max(...walked) + 1);
      }),
    );
  });

  it('coverage is what walking finds', () => {
    fc.assert(
      fc.property(layouts, layout => {
        const distinct = new Set(offsets(layout)).size;
        const expected =
          distinct < size(layout)
            ? 'repeating'
            : distinct === cosize(layout)
              ? 'compact'
              : 'injective';
        assert.equal(coverage(layout), expected, textOf(layout));
        assert.equal(isCompact(layout), expected === 'compact');
      }),
    );
    assert.equal(coverage(layoutOf([2048, 2048], [2, 3])), 'unknown');
    assert.equal(coverage(layoutOf([2048, 512], [2, 3])), 'repeating');
  });

  it('coalescing keeps every offset, and twice is once', () => {
    fc.assert(
      fc.property(layouts, layout => {
        const merged = coalesce(layout);
        assert.deepEqual(offsets(merged), offsets(layout));
        assert.deepEqual(coalesce(merged), merged);
        assert.ok(flatten(merged.shape).length <= flatten(layout.shape).length);
      }),
    );
  });

  it('compose(A, B)(i) is A(B(i)), or it is refused; both happen', () => {
    let refused = 0;
    let done = 0;
    fc.assert(
      fc.property(layouts, layouts, (a, b) => {
        let composed: Layout;
        try {
          composed = compose(a, b);
        } catch (error) {
          assert.ok(error instanceof LayoutError);
          refused += 1;
          return;
        }
        done += 1;
        assert.deepEqual(
          offsets(composed),
          offsets(b).map(offset => offsetOf(a, offset)),
          `${textOf(a)} o ${textOf(b)} = ${textOf(composed)}`,
        );
        if (typeof b.shape === 'object') assert.equal(modes(composed).length, b.shape.length);
      }),
      { ...runs(2000), seed: 7 },
    );
    assert.ok(
      isEnough(refused, 100) && isEnough(done, 500),
      `${refused} refused, ${done} composed`,
    );
  });

  it('a layout and its complement reach each offset once', () => {
    let done = 0;
    fc.assert(
      fc.property(layouts, fc.integer({ min: 1, max: 300 }), (layout, bound) => {
        let rest: Layout;
        try {
          rest = complement(layout, bound);
        } catch (error) {
          assert.ok(error instanceof LayoutError);
          return;
        }
        const reached = offsets(rest).flatMap(r => [...new Set(offsets(layout))].map(o => o + r));
        assert.equal(new Set(reached).size, reached.length);
        assert.deepEqual(
          Array.from({ length: bound }, (_, i) => i).filter(i => !reached.includes(i)),
          [],
        );
        done += 1;
      }),
    );
    assert.ok(isEnough(done, 20), String(done));
  });

  it('a right inverse finds the coordinate of an offset', () => {
    fc.assert(
      fc.property(layouts, layout => {
        const inverse = rightInverse(layout);
        for (let i = 0; i < size(inverse); i += 1) {
          assert.equal(offsetOf(layout, offsetOf(inverse, i)), i);
        }
        if (isCompact(layout)) assert.equal(size(inverse), size(layout));
      }),
    );
  });

  const matrices = fc
    .record({
      tile: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
      grid: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
      ld: fc.integer({ min: 24, max: 40 }),
      isRow: fc.boolean(),
    })
    .map(({ tile, grid, ld, isRow }) => ({
      tile,
      grid,
      matrix: layoutOf([tile[0] * grid[0], tile[1] * grid[1]], isRow ? [ld, 1] : [1, ld]),
    }));

  it('tiles are a partition: every element is in one of them, where its coordinate says', () => {
    fc.assert(
      fc.property(matrices, ({ tile, grid, matrix }) => {
        const tiler = tile.map(extent => layoutOf(extent, 1));
        const seen: number[] = [];
        for (let i = 0; i < grid[0]; i += 1) {
          for (let j = 0; j < grid[1]; j += 1) {
            const { layout, offset } = localTile(matrix, tiler, [i, j]);
            assert.deepEqual(layout.shape, [tile[0], tile[1]]);
            assert.equal(offset, slice(matrix, [i * tile[0], j * tile[1]]).offset);
            seen.push(...offsets(layout).map(element => element + offset));
          }
        }
        const byNumber = (a: number, b: number): number => a - b;
        assert.deepEqual(seen.toSorted(byNumber), offsets(matrix).toSorted(byNumber));
        assert.deepEqual(
          offsets(zippedDivide(matrix, tiler)).toSorted(byNumber),
          offsets(matrix).toSorted(byNumber),
        );
      }),
    );
  });

  it('the threads of a layout share out a tile, each element once', () => {
    fc.assert(
      fc.property(matrices, fc.boolean(), ({ tile, matrix }, isRow) => {
        const threads = layoutOf([...tile], isRow ? [tile[1], 1] : [1, tile[0]]);
        const seen = Array.from({ length: size(threads) }, (_, thread) => {
          const { layout, offset } = localPartition(matrix, threads, thread);
          return offsets(layout).map(element => element + offset);
        });
        assert.equal(new Set(seen.map(({ length }) => length)).size, 1);
        assert.deepEqual(new Set(seen.flat()), new Set(offsets(matrix)));
        assert.equal(seen.flat().length, size(matrix));
      }),
    );
  });

  it('a product repeats its block without overlap', () => {
    fc.assert(
      fc.property(shapes, shapes, (first, second) => {
        const [block, tiler] = [packed(first), packed(second)];
        fc.pre(size(block) * size(tiler) <= 5000);
        const repeated = logicalProduct(block, tiler);
        assert.equal(size(repeated), size(block) * size(tiler));
        assert.ok(isCompact(repeated), textOf(repeated));
      }),
    );
  });

  it('one mode is written without parentheses', () => {
    assert.equal(tupleOf([8]), 8);
    assert.equal(textOf(packed([[2, 4], 8])), '((2,4),8):((1,2),8)');
  });
});
