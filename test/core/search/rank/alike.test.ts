/**
 * Near duplicates of a ranking: the same tiles at the same time are one entry, whatever else
 * differs.
 */
import assert from 'node:assert/strict';
import { grouped } from '../../../../src/core/search/rank/nearDuplicates';
import { rank, type Ranked } from '../../../../src/core/search/rank/rank';
import { schedulesOf } from '../../../../src/core/search/rank/space';
import { resolve } from '../../../../src/core/defaults/resolve';

const of = (milliseconds: number, m: number, over: Partial<Ranked['schedule']> = {}): Ranked => ({
  milliseconds,
  tflops: 1 / milliseconds,
  blocksPerSm: 2,
  schedule: { algorithm: 'pipelined', block: { m, n: 128, k: 16 }, ...over },
});

describe('near duplicates of a ranking', () => {
  it('are one where tiles are the same and times within 3 % of the fastest', () => {
    const best = [of(1, 64), of(1.0005, 128), of(1.029, 64, { stages: 3 }), of(1.031, 64)];
    const groups = grouped(best, 8);
    assert.deepEqual(
      groups.map(({ milliseconds, alike }) => [milliseconds, alike.map(one => one.milliseconds)]),
      [
        [1, [1.029]],
        [1.0005, []],
        [1.031, []],
      ],
    );
    assert.equal(grouped(best, 2).length, 2);
    assert.deepEqual(grouped([], 4), []);
  });

  it('leave what differs by more than a small field, of a real ranking', () => {
    const spec = resolve({ problem: { m: 1024, n: 1024, k: 1024 } });
    const some = [...schedulesOf(spec.problem)].filter((_, index) => index % 97 === 0);
    const ranking = rank(spec, 96, some);
    assert.ok('best' in ranking);
    const groups = grouped(ranking.best, 96);
    const all = groups.reduce((sum, { alike }) => sum + 1 + alike.length, 0);
    assert.equal(all, 96, 'none is lost');
    const times = groups.map(({ milliseconds }) => milliseconds);
    assert.deepEqual(
      times.toSorted((a, b) => a - b),
      times,
    );
  }).timeout(60_000);
});
