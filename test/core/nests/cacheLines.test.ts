/** Cache lines that loop nests touch, against a cache that searches a list. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countLines, forEachFma, cacheOf, missesOf } from '../../../src/core/nests/cacheLines';
import type { LoopNest } from '../../../src/core/nests/nest';
import { sweepOf, sweepState } from '../../../src/core/nests/sweep';
import { presetNamed } from '../../../src/core/nests/presets';
import { runs } from '../../helpers/depth';
import { parallelNests, sequentialNests } from '../../helpers/drawnNests';

const presetOf = (id: string): LoopNest => presetNamed(id)!.nest;

describe('cache lines of a loop nest', () => {
  it('visit each FMA once', () => {
    fc.assert(
      fc.property(fc.oneof(sequentialNests, parallelNests('cuda')), ({ nest, problem }) => {
        const { m, n, k } = problem;
        const visits = new Uint8Array(m * n * k);
        forEachFma(nest, problem, (i, j, p) => {
          visits[(i * n + j) * k + p]!++;
        });
        assert.ok(visits.every(count => count === 1));
      }),
      runs(200),
    );
  });

  it('equal the misses of a list that keeps the most recent line first', () => {
    const cache = { lineBytes: 16, lines: 5 };
    fc.assert(
      fc.property(sequentialNests, ({ nest, problem }) => {
        const { n, k } = problem;
        const recent: string[] = [];
        const misses = { a: 0, b: 0, c: 0 };
        const touch = (operand: 'a' | 'b' | 'c', at: number): void => {
          const line = `${operand} ${Math.floor(at / 4)}`;
          const found = recent.indexOf(line);
          if (found === -1) misses[operand]++;
          else recent.splice(found, 1);
          recent.unshift(line);
          recent.length = Math.min(recent.length, cache.lines);
        };
        forEachFma(nest, problem, (i, j, p) => {
          touch('a', i * k + p);
          touch('b', p * n + j);
          touch('c', i * n + j);
        });
        assert.deepEqual(countLines(nest, problem, cache).misses, misses);
      }),
      runs(100),
    );
  });

  it('are fewest for tiles where the matrices exceed the cache', () => {
    const problem = { m: 16, n: 64, k: 600, dtype: 'f32' } as const;
    const count = (id: string): number =>
      missesOf(countLines(presetOf(id), problem, cacheOf(32_768)));
    assert.ok(count('tiled') < count('ikj'));
    assert.ok(count('ikj') < count('ijk'));
  });

  it('are touched once each where the cache holds all matrices', () => {
    const problem = { m: 32, n: 32, k: 32, dtype: 'f32' } as const;
    for (const id of ['ijk', 'kij', 'tiled'])
      assert.deepEqual(countLines(presetOf(id), problem, cacheOf(32_768)).misses, {
        a: 64,
        b: 64,
        c: 64,
      });
  });
});

describe('the sweep of a loop nest', () => {
  it('ends with all products and the misses of the whole nest', () => {
    const cache = { lineBytes: 16, lines: 6 };
    fc.assert(
      fc.property(sequentialNests, ({ nest, problem }) => {
        const sweep = sweepOf(nest, problem);
        const { m, n, k } = problem;
        assert.equal(sweep.fmas.length, m * n * k);
        assert.equal(sweep.ends.at(-1), m * n * k);
        const state = sweepState(sweep, { problem, cache }, m * n * k);
        assert.equal(state.misses, missesOf(countLines(nest, problem, cache)));
        assert.ok(state.products.every(count => count === k));
      }),
      runs(100),
    );
  });

  it('stops after each run of the innermost loop', () => {
    const problem = { m: 2, n: 3, k: 4, dtype: 'f32' } as const;
    assert.deepEqual(sweepOf(presetOf('ijk'), problem).ends, [4, 8, 12, 16, 20, 24]);
    assert.deepEqual(sweepOf(presetOf('kij'), problem).ends, [3, 6, 9, 12, 15, 18, 21, 24]);
  });
});
