/**
 * Where a result is wrong: the map says the tiles and the places of what was changed, and of
 * nothing else.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as v from 'valibot';
import { bitsOf, MAX_EXAMPLES, wrongMapSchema } from '../../../src/core/measure/wrongMap';
import { resolve } from '../../../src/core/defaults/resolve';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { fillMatrix, poisonMatrix } from '../../../src/core/verify/inputs';
import { verifyResult } from '../../../src/core/verify/verify';
import { runs } from '../../helpers/depth';

const SEED = 7;
const problemOf = (problem: GemmSpec['problem']): ResolvedProblem => resolve({ problem }).problem;

/** C as it should be. */
function product(problem: ResolvedProblem): Float32Array<ArrayBuffer> {
  const { m, n, k, alpha, beta, batch } = problem;
  const [a, b] = [fillMatrix(problem, 'a', SEED), fillMatrix(problem, 'b', SEED)];
  const from = beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', SEED);
  const c = Float32Array.from(from);
  for (let p = 0; p < batch; p++)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let x = 0; x < k; x++)
          sum +=
            (a[p * problem.a.batchStride + i * problem.a.ld + x] ?? NaN) *
            (b[p * problem.b.batchStride + x * problem.b.ld + j] ?? NaN);
        const at = p * problem.c.batchStride + i * problem.c.ld + j;
        c[at] = alpha * sum + (beta === 0 ? 0 : beta * (c[at] ?? NaN));
      }
  return c;
}

const places = (m: number, n: number) =>
  fc.uniqueArray(fc.tuple(fc.nat(m - 1), fc.nat(n - 1)), {
    minLength: 1,
    maxLength: 40,
    selector: ([row, column]) => row * n + column,
  });

describe('where a result is wrong', () => {
  for (const fullLimit of [Infinity, 0]) {
    it(`is exactly where it was changed (${fullLimit === 0 ? 'large' : 'every element'})`, () => {
      const problem = problemOf({ m: 45, n: 50, k: 20, c: { ld: 53 } });
      const right = product(problem);
      fc.assert(
        fc.property(places(45, 50), fc.constantFrom(16, 32, 64), (wrong, side) => {
          const c = Float32Array.from(right);
          // Unequal errors, which Freivalds' signs cannot cancel.
          for (const [i, [row, column]] of wrong.entries())
            c[row * 53 + column]! += 100 + 50 * Math.sin(i + 1);
          const tile = { m: side, n: side / 2 };
          const { wrong: map } = verifyResult(problem, SEED, c, { tile, fullLimit });
          assert.ok(map !== undefined && v.is(wrongMapSchema, map));
          assert.equal(map.kinds.wrong, wrong.length);
          assert.equal(map.examples.length, Math.min(MAX_EXAMPLES, wrong.length));
          for (const { row, column } of map.examples)
            assert.ok(wrong.some(([r, c]) => r === row && c === column));
          const [cell, place] = [bitsOf(map.tiles), bitsOf(map.within)];
          for (let r = 0; r < map.tiles.rows; r++)
            for (let c = 0; c < map.tiles.columns; c++) {
              const inside = wrong.some(
                ([row, column]) =>
                  Math.floor(row / tile.m) === r && Math.floor(column / tile.n) === c,
              );
              assert.equal(cell(r, c), inside);
            }
          for (let r = 0; r < tile.m; r++)
            for (let c = 0; c < tile.n; c++) {
              const here = wrong.some(
                ([row, column]) => row % tile.m === r && column % tile.n === c,
              );
              assert.equal(place(r, c), here);
            }
        }),
        { ...runs(30) },
      );
    });
  }

  it('is nowhere in a right result, whatever beta is', () => {
    for (const beta of [0, -2]) {
      const problem = problemOf({ m: 33, n: 20, k: 9, beta });
      assert.equal(verifyResult(problem, SEED, product(problem)).wrong, undefined);
    }
  });

  it('tells apart what was not written, what is not finite, and writes outside of C', () => {
    for (const beta of [0, 1]) {
      const problem = problemOf({ m: 20, n: 20, k: 8, beta, c: { ld: 24 } });
      const before = beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', SEED);
      const c = product(problem);
      c[0] = before[0]!;
      c[1] = before[1]!;
      c[25] = Infinity;
      c[3] = 99;
      c[21] = 5;
      const { wrong, mismatches } = verifyResult(problem, SEED, c);
      assert.deepEqual(wrong?.kinds, { unwritten: 2, notFinite: 1, outside: 1, wrong: 1 });
      assert.equal(mismatches, 5);
      assert.equal(
        wrong.examples.filter(({ actual }) => actual === null).length,
        beta === 0 ? 3 : 1,
      );
    }
  });

  it('names the product of a batch', () => {
    const problem = problemOf({ m: 8, n: 8, k: 8, batch: 3 });
    const c = product(problem);
    c[2 * 64 + 9]! += 1;
    const { wrong } = verifyResult(problem, SEED, c);
    const [example] = wrong?.examples ?? [];
    assert.deepEqual(
      [example?.product, example?.row, example?.column, wrong?.examples.length],
      [2, 1, 1, 1],
    );
  });

  it('folds tiles where there are more than a map has cells', () => {
    const problem = problemOf({ m: 600, n: 3, k: 2 });
    const c = product(problem);
    c[3 * 599]! += 9;
    const { wrong } = verifyResult(problem, SEED, c, { tile: { m: 1, n: 1 } });
    assert.deepEqual([wrong?.fold, wrong?.tiles.rows, wrong?.tiles.columns], [3, 200, 1]);
    assert.ok(bitsOf(wrong!.tiles)(199, 0));
  });

  it('finds one element of a large product, and every tile of one that is all wrong', function () {
    this.timeout(60_000);
    const problem = problemOf({ m: 256, n: 256, k: 70 });
    const right = product(problem);
    const tile = { m: 64, n: 64 };
    const one = Float32Array.from(right);
    one[133 * 256 + 244]! += 0.5;
    const { wrong } = verifyResult(problem, SEED, one, { tile, fullLimit: 0 });
    assert.deepEqual(
      wrong?.examples.map(({ row, column }) => [row, column]),
      [[133, 244]],
    );
    const all = verifyResult(
      problem,
      SEED,
      right.map(value => value + 1),
      { tile, fullLimit: 0 },
    );
    const cell = bitsOf(all.wrong!.tiles);
    for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) assert.ok(cell(r, c));
    const none = verifyResult(
      problem,
      SEED,
      right.map(() => NaN),
      { tile, fullLimit: 0 },
    );
    assert.equal(none.wrong!.kinds.unwritten, 256 * 256);
  });
});
