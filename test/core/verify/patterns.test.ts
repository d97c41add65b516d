/** Names of wrong results: right ones for seeded bugs, none for what no bug explains. */
import assert from 'node:assert/strict';
import { soundKernel } from '../../../scripts/bugs/seeds';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { NOT_VERIFIED } from '../../../src/core/measure/measurement';
import { ownersOf } from '../../../src/core/verify/owners';
import { patternsOf } from '../../../src/core/verify/patterns';
import { pcgHash } from '../../../src/core/verify/inputs';
import { mapMaker } from '../../../src/core/verify/wrongMap';
import { bitPicture, wrongText } from '../../../src/core/verify/wrongText';

describe('names of wrong results', () => {
  const tiles = { block: { m: 32, n: 64, k: 8 }, warp: { m: 16, n: 32 }, thread: { m: 4, n: 4 } };
  const kernelOf = (size: number): Kernel =>
    soundKernel(
      {
        problem: { m: size, n: size, k: 64 },
        schedule: { algorithm: 'warp-tile', ...tiles, vector: 4 },
      },
      'cuda',
    )!;
  const tile = { m: 32, n: 64 };

  /** A result that is wrong where `is` says, by what follows no rule. */
  function runWhere(kernel: Kernel, is: (row: number, column: number) => boolean, actual?: number) {
    const { problem } = kernel;
    const maker = mapMaker(problem, tile);
    for (let row = 0; row < problem.m; row++)
      for (let column = 0; column < problem.n; column++)
        if (is(row, column))
          maker.element({
            product: 0,
            row,
            column,
            expected: 1,
            old: null,
            actual: actual ?? pcgHash(row * 999 + column) / 2 ** 31,
          });
    const wrong = maker.map();
    assert.ok(wrong !== undefined);
    return {
      specKey: 'k',
      kernelKey: 'k',
      resolved: kernel.spec,
      backend: 'cuda' as const,
      device: { name: 'GPU', adapter: 'a', driver: '1', where: 'cli' },
      outcome: 'incorrect' as const,
      verification: { ...NOT_VERIFIED, wrong },
    };
  }
  const idsWhere = (...args: Parameters<typeof runWhere>) =>
    patternsOf(runWhere(...args)).map(({ id }) => id);

  it('are of warps, threads, edges, tiles and single elements where exactly these are wrong', () => {
    const whole = kernelOf(128);
    const owners = ownersOf(whole.plan);
    const at =
      (of: NonNullable<typeof owners.warp>, which: number) => (row: number, column: number) =>
        of(row % tile.m, column % tile.n) === which;
    assert.deepEqual(idsWhere(whole, at(owners.warp!, 2)), ['one-warp']);
    assert.deepEqual(idsWhere(whole, at(owners.thread!, 77)), ['one-thread']);
    assert.deepEqual(
      idsWhere(whole, (_, column) => column % 4 === 1),
      ['vector-element'],
    );
    assert.deepEqual(
      idsWhere(whole, (row, column) => row === 5 && column === 9),
      ['one-element'],
    );
    assert.deepEqual(
      idsWhere(kernelOf(140), row => row >= 128),
      ['edge-tiles'],
    );
    const secondTile = (row: number, column: number) => row < 32 && column >= 64;
    assert.deepEqual(idsWhere(whole, secondTile, NaN), ['tiles-unwritten']);
    assert.deepEqual(
      idsWhere(whole, () => true, NaN),
      ['nothing-written'],
    );
    assert.deepEqual(
      idsWhere(whole, row => row > 3, Infinity),
      ['not-finite'],
    );
  });

  it('are none where a part of a warp, a thread or an edge is right, and where all is wrong', () => {
    const whole = kernelOf(128);
    const { warp, thread } = ownersOf(whole.plan);
    const half = (row: number) => row % 2 === 0;
    assert.deepEqual(
      idsWhere(whole, (r, c) => warp!(r % 32, c % 64) === 1 && half(r)),
      [],
    );
    assert.deepEqual(
      idsWhere(whole, (r, c) => thread!(r % 32, c % 64) < 2),
      [],
    );
    assert.deepEqual(
      idsWhere(kernelOf(140), row => row >= 100),
      [],
    );
    assert.deepEqual(
      idsWhere(whole, () => true),
      [],
    );
  });

  it('make a picture of few characters, and words', () => {
    const text = wrongText(runWhere(kernelOf(140), row => row >= 128));
    assert.match(text, /1,680 wrong elements found in 3 of 15 tiles \(32 x 64 elements each\)\./);
    assert.match(text, /Only boundary tiles of C are wrong \(3 tiles\)\./);
    assert.match(
      text,
      /one character is 32 x 64 elements:\n {2}\.{3}\n {2}\.{3}\n {2}\.{3}\n {2}\.{3}\n {2}###/,
    );
    const { wrong } = runWhere(kernelOf(1024), row => row === 0).verification;
    const { lines } = bitPicture(wrong.within);
    assert.ok(lines.length <= 24 && lines.every(line => line.length <= 64));
  });
});
