/** What verification must find: each case is a right result with one thing broken. */
import assert from 'node:assert/strict';
import { resolve } from '../../../src/core/defaults/resolve';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import { roundTo } from '../../../src/core/types/rounding';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { fillMatrix, poisonMatrix, type MatrixData } from '../../../src/core/verify/inputs';
import { reader } from '../../../src/core/verify/elements';
import { verifyResult } from '../../../src/core/verify/verify';
import { sampleOf } from '../../helpers/depth';

const SEED = 5;

const problemOf = (problem: GemmSpec['problem']): ResolvedProblem => resolve({ problem }).problem;

/** The product in the target's own arithmetic, over the values of k that `takes` keeps. */
function product(problem: ResolvedProblem, takes: (i: number) => boolean = () => true): MatrixData {
  const { m, n, k, alpha, beta } = problem;
  const integer = problem.accumulator === 's32';
  const a = reader(problem, 'a', fillMatrix(problem, 'a', SEED));
  const b = reader(problem, 'b', fillMatrix(problem, 'b', SEED));
  const old = reader(problem, 'c', fillMatrix(problem, 'c', SEED));
  const c = beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', SEED);
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let i = 0; i < k; i++) {
        if (!takes(i)) continue;
        const [left, right] = [a(row, i), b(i, column)];
        sum = integer ? (sum + Math.imul(left, right)) | 0 : Math.fround(sum + left * right);
      }
      const at =
        problem.c.layout === 'row' ? row * problem.c.ld + column : column * problem.c.ld + row;
      c[at] = integer
        ? (Math.imul(alpha, sum) + Math.imul(beta, old(row, column))) | 0
        : Math.fround(alpha * sum + (beta === 0 ? 0 : beta * old(row, column)));
    }
  }
  return c;
}

const mismatches = (problem: ResolvedProblem, c: MatrixData, fullLimit = Infinity): number =>
  verifyResult(problem, SEED, c, { fullLimit }).mismatches;

describe('verification', () => {
  for (const k of [64, 4096, 16384]) {
    const problem = problemOf({ m: 12, n: 10, k });
    it(`K = ${k}: a right result passes with room, and a lost product, a lost tile and a swap do not`, () => {
      const right = verifyResult(problem, SEED, product(problem));
      assert.equal(right.mismatches, 0);
      assert.equal(right.samples, 12 * 10);
      assert.ok(right.maxError! > 0 && right.maxError! < right.bound!);
      assert.ok(
        mismatches(
          problem,
          product(problem, i => i !== k - 1),
        ) > 0,
        'the last k',
      );
      assert.ok(
        mismatches(
          problem,
          product(problem, i => i < k - 8),
        ) > 0,
        'the last tile',
      );
      const transposed = problemOf({ m: 12, n: 10, k, a: { layout: 'col' } });
      assert.ok(mismatches(problem, product(transposed)) > 0, 'the wrong layout of A');
    }).timeout(60_000);
  }

  it('finds unwritten elements, NaN, and writes between the rows of C', () => {
    for (const beta of [0, 2]) {
      const problem = problemOf({ m: 8, n: 6, k: 30, beta, c: { ld: 9 } });
      const right = product(problem);
      assert.equal(mismatches(problem, right), 0);
      const broken = (at: number, value: number) => {
        const c = right.slice();
        c[at] = value;
        return mismatches(problem, c);
      };
      assert.equal(broken(0, NaN), 1);
      assert.equal(broken(9 * 7 + 5, 1e6), 1);
      assert.equal(broken(6, 0), 1, 'between rows 0 and 1');
    }
  });

  it('takes a subnormal for zero, as a GPU may, and nothing larger', () => {
    const problem = problemOf({ m: 8, n: 8, k: 16, alpha: 1e-40 });
    const flushed = product(problem).fill(0);
    assert.equal(mismatches(problem, flushed), 0);
    assert.equal(mismatches(problemOf({ m: 8, n: 8, k: 16, alpha: 1e-30 }), flushed), 64);
  });

  describe('of results beyond the largest number of a type', () => {
    const overflowing: readonly (readonly [string, GemmSpec['problem']])[] = [
      ['stored as f16', { m: 24, n: 20, k: 64, a: { dtype: 'f16' }, alpha: 2 ** 16 }],
      ['summed in f32', { m: 24, n: 20, k: 64, alpha: 2 ** 127, beta: 2 ** 127 }],
    ];
    for (const [what, spec] of overflowing) {
      const problem = problemOf(spec);
      const right = product(problem).map(value => roundTo(problem.c.dtype, value));
      const infinite = [...right].filter(value => Math.abs(value) === Infinity).length;
      for (const limit of [Infinity, 0]) {
        const how = limit === 0 ? 'by sample' : 'every element';
        it(`${what}, ${how}: infinity of its sign is right, and neither the other nor NaN nor a number is`, () => {
          assert.ok(infinite > 20 && infinite < right.length - 20, `${infinite} overflow`);
          const { mismatches: found, maxError } = verifyResult(problem, SEED, right, {
            fullLimit: limit,
          });
          assert.equal(found, 0);
          assert.ok(maxError !== null && maxError >= 0);
          const at = right.findIndex(value => value === Infinity);
          for (const wrong of [-Infinity, NaN, 0]) {
            const c = right.slice();
            c[at] = wrong;
            assert.ok(mismatches(problem, c, limit) > 0, `${wrong}`);
          }
        });
        it(`${what}, ${how}: infinity in the place of a number is found`, () => {
          const least = Math.min(...right.map(value => Math.abs(value)));
          const at = right.findIndex(value => Math.abs(value) === least);
          const c = right.slice();
          c[at] = Infinity;
          assert.ok(mismatches(problem, c, limit) > 0);
        });
      }
    }

    it('takes either side of the largest number for right within the bound, and says what it expected', () => {
      const problem = problemOf({ m: 1, n: 1, k: 1, a: { dtype: 'f16' }, c: { dtype: 'f16' } });
      const [a = 0] = fillMatrix(problem, 'a', SEED);
      const [b = 0] = fillMatrix(problem, 'b', SEED);
      const scaled = (value: number) => ({ ...problem, alpha: value / (a * b) });
      const infinite = Float32Array.of(Infinity);
      assert.equal(mismatches(scaled(65_519), infinite), 0);
      assert.equal(mismatches(scaled(65_521), infinite), 0);
      assert.equal(mismatches(scaled(65_521), Float32Array.of(65_504)), 0);
      assert.equal(mismatches(scaled(65_400), infinite), 1);
      const { first } = verifyResult(scaled(66_000), SEED, Float32Array.of(65_504));
      assert.equal(first!.actual, 65_504);
      assert.ok(Math.abs(first!.expected - 66_000) < 1);
    });
  });

  it('wraps integers as the kernel does, and takes no error at all', () => {
    const problem = problemOf({
      m: 4,
      n: 4,
      k: 100,
      a: { dtype: 's32' },
      alpha: 2 ** 30,
      beta: -7,
    });
    const c = product(problem);
    assert.deepEqual([mismatches(problem, c), verifyResult(problem, SEED, c).bound], [0, 0]);
    c[3] = (c[3] ?? 0) + 1;
    assert.equal(mismatches(problem, c), 1);
  });

  describe('of large products, by sample and by row', () => {
    for (const dtype of ['f32', 's32'] as const) {
      const problem = problemOf({ m: 24, n: 1500, k: 300, a: { dtype }, beta: 1, alpha: 3 });
      let right: MatrixData;
      before(function () {
        this.timeout(60_000);
        right = product(problem);
      });
      it(`${dtype}: passes a right result, and says what was compared`, () => {
        const {
          mismatches: found,
          reference,
          samples,
        } = verifyResult(problem, SEED, right, { fullLimit: 0 });
        assert.equal(found, 0);
        assert.match(reference, /4100 sampled elements, and every row by Freivalds/);
        assert.equal(samples, 4100);
      }).timeout(20_000);
      it(`${dtype}: finds eight zeroed elements of one row`, () => {
        let found = 0;
        const numRows = sampleOf(12, 3);
        for (let row = 0; row < numRows; row++) {
          const c = right.slice();
          c.fill(0, row * 1500 + 100 * row, row * 1500 + 100 * row + 8);
          if (mismatches(problem, c, 0) > 0) found++;
        }
        assert.equal(found, numRows);
      }).timeout(60_000);
    }
  });
});
