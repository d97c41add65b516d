/** Comparison with libraries: figures, and products that never count. No time is asserted. */
import assert from 'node:assert/strict';
import { closestOf, fastest, figuresOf, beside } from '../../scripts/besideLibraries/figures';
import type { Answer } from '../../scripts/besideLibraries/job';
import type { Runs } from '../../scripts/besideLibraries/record';
import { runRounds, turned, type Entrant } from '../src/besideLibraries/rounds';
import {
  lazyBatch,
  productsFor,
  timeByWall,
  wrongResult,
  type Multiplier,
} from '../src/besideLibraries/wall';
import type { Timing } from '../../src/core/measure/measurement';
import { NOT_VERIFIED } from '../../src/core/measure/measurement';
import { resolve } from '../../src/core/defaults/resolve';
import { fillMatrix } from '../../src/core/verify/inputs';
import { verifyResult } from '../../src/core/verify/verify';

const timing = (medianMs: number): Timing => ({
  timer: 'timestamp-query',
  quantumNs: 1,
  warmUp: 1,
  samples: 3,
  medianMs,
  iqrMs: 0,
  minMs: medianMs,
  gflops: 1,
  errorPercent: 0,
  cache: 'warm',
  inputs: 'uniform',
});

/** Rounds of `[wall ms of its batches, timestamp ms]`. */
const runs = (
  entrant: string,
  rounds: readonly (readonly [readonly number[], number?])[],
  size = 1000,
): Runs => ({
  entrant,
  size,
  rounds: rounds.map(([timesMs, ms], round) => ({
    round,
    times: {
      others: 0,
      wall: { products: 3, timesMs: [...timesMs] },
      ...(ms === undefined ? {} : { timestamp: timing(ms) }),
      verification: NOT_VERIFIED,
    },
  })),
});

describe('library comparison: figures', () => {
  const ours = runs('ours', [
    [[1, 2, 9], 1],
    [[2], 1],
    [[50], 1],
  ]);
  const surfgrad = runs('surfgrad', [
    [[4], 3],
    [[8], 4],
    [[6], 5],
  ]);

  it('are medians over rounds of medians over batches, per timer', () => {
    assert.deepEqual(figuresOf(ours), [
      { entrant: 'ours', timer: 'wall', medianMs: 2, gflops: 1000 },
      { entrant: 'ours', timer: 'timestamp', medianMs: 1, gflops: 2000 },
    ]);
    assert.deepEqual(figuresOf(runs('tfjs', [])), []);
  });

  it('compare like with like: only timers that both have', () => {
    assert.deepEqual(beside(ours, surfgrad), [
      { library: 'surfgrad', timer: 'wall', ratio: 3, rounds: [2, 4, 0.12] },
      { library: 'surfgrad', timer: 'timestamp', ratio: 4, rounds: [3, 4, 5] },
    ]);
    const wallOnly = beside(ours, runs('tfjs', [[[20]], [[20]]]));
    assert.deepEqual(wallOnly, [{ library: 'tfjs', timer: 'wall', ratio: 10, rounds: [10, 10] }]);
  });

  it('pair rounds by their number if one of them failed', () => {
    const [first, , third] = surfgrad.rounds;
    assert.ok(first !== undefined && third !== undefined);
    const [wall] = beside(ours, { ...surfgrad, rounds: [first, third] });
    assert.deepEqual(wall, { library: 'surfgrad', timer: 'wall', ratio: 2.5, rounds: [2, 0.12] });
  });

  it('compare our fastest kernel with the closest library, per size', () => {
    const slow = runs('ours: slow.gemm.json', [[[7], 1]]);
    assert.equal(fastest([slow, ours])?.entrant, 'ours');
    assert.equal(fastest([runs('ours', [])]), undefined);
    const tfjs = runs('tfjs', [[[5]]]);
    const elsewhere = runs('tfjs', [[[0.1]]], 500);
    assert.deepEqual(closestOf([slow, ours, tfjs, surfgrad, elsewhere]), [
      { size: 1000, ours: 'ours', library: 'tfjs', timer: 'wall', ratio: 2.5, rounds: [2.5] },
    ]);
  });

  it('rotate the starting entrant', () => {
    const all = ['a', 'b', 'c'];
    const orders = [0, 1, 2, 3].map(round => turned(all, round).join(''));
    assert.deepEqual(orders, ['abc', 'bca', 'cab', 'abc']);
  });
});

describe('library comparison: valid products', () => {
  const patience = { warmUpMs: 10, batchMs: 40, batches: 2 };

  /** Multiplies in 2 ms of its own clock a product, and launches what `launches` says. */
  function fake(launches: (products: number) => number) {
    const state = { nowMs: 0, dispatches: 0 };
    const multiplier: Multiplier = {
      multiply: products => {
        state.nowMs += 2 * products;
        state.dispatches += launches(products);
        return Promise.resolve();
      },
      result: () => Promise.resolve(new Float32Array()),
    };
    return timeByWall(
      multiplier,
      patience,
      () => state.dispatches,
      () => state.nowMs,
    );
  }

  it('times products in batches with negligible read-back', async () => {
    assert.deepEqual(await fake(products => products), { products: 20, timesMs: [2, 2] });
    assert.equal(productsFor(250, 700), 3);
    assert.equal(productsFor(250, 0.01), 1000);
  });

  it('rejects a batch with deferred work', async () => {
    await assert.rejects(
      fake(() => 1),
      /20 GEMMs were requested, but only 1 kernels were launched/,
    );
    assert.equal(lazyBatch(3, 6), undefined);
  });

  it('rejects a product that is incorrect, stale or not compared', () => {
    const size = 48;
    const { problem } = resolve({ problem: { m: size, n: size, k: size } });
    const [a, b] = (['a', 'b'] as const).map(operand => fillMatrix(problem, operand, 1));
    const c = Float32Array.from({ length: size * size }, (_, i) => {
      let sum = 0;
      for (let k = 0; k < size; k++) {
        sum += (a?.[Math.floor(i / size) * size + k] ?? NaN) * (b?.[k * size + (i % size)] ?? NaN);
      }
      return sum;
    });
    const why = (product: Float32Array<ArrayBuffer>) =>
      wrongResult(verifyResult(problem, 1, product));
    assert.equal(why(c), undefined);
    assert.match(why(new Float32Array(c.length)) ?? '', /exceed their error bound/);
    assert.match(why(c.map((value, i) => (i === 77 ? value + 0.1 : value))) ?? '', /^1 of 2304/);
    assert.match(wrongResult(NOT_VERIFIED) ?? '', /^0 of 0/);
  });
});

describe('library comparison: rounds', () => {
  const times = (others: number): Answer => ({
    type: 'timed',
    times: { wall: { products: 3, timesMs: [1] }, verification: NOT_VERIFIED, others },
  });
  const asked = {
    entrants: ['ours', 'tfjs'].map((name): Entrant => ({
      name,
      at: () => ({ kind: 'tfjs', file: name }),
    })),
    sizes: [64],
    rounds: 2,
    patience: { warmUpMs: 1, batchMs: 1, batches: 1 },
    mostOthers: 0.1,
    repeats: 2,
    quiet: () => Promise.resolve(),
    say: () => undefined,
  };

  /** The last of what rounds find, each of which has one round more. */
  async function allOf(of: Parameters<typeof runRounds>[0]) {
    const found = [];
    for await (const one of runRounds(of)) found.push(one);
    assert.deepEqual(
      found.map(({ rounds }) => rounds),
      [1, 2],
    );
    const last = found.at(-1);
    assert.ok(last !== undefined);
    return last;
  }

  it('repeat disturbed runs up to a limit, and report it', async () => {
    const busy = [0.5, 0.05, 0.5, 0.5, 0.3, 0, 0];
    const { runs, disturbed, failed } = await allOf({
      ...asked,
      ask: () => Promise.resolve(times(busy.shift() ?? NaN)),
    });
    const shares = runs.map(({ rounds }) => rounds.map(one => one.times.others));
    assert.deepEqual(shares, [
      [0.05, 0],
      [0.3, 0],
    ]);
    assert.deepEqual(
      disturbed.map(({ entrant, others }) => [entrant, others]),
      [
        ['ours', 0.5],
        ['tfjs', 0.5],
        ['tfjs', 0.5],
      ],
    );
    assert.deepEqual(failed, []);
  });

  it('continue after a failure, which has no time', async () => {
    const { runs, failed } = await allOf({
      ...asked,
      ask: job =>
        Promise.resolve(
          job.type === 'products' && 'file' in job.entrant && job.entrant.file === 'tfjs'
            ? { type: 'failed', why: 'wrong' }
            : times(0),
        ),
    });
    assert.deepEqual(
      runs.map(({ rounds }) => rounds.length),
      [2, 0],
    );
    assert.deepEqual(
      failed.map(({ entrant, round, why }) => [entrant, round, why]),
      [
        ['tfjs', 0, 'wrong'],
        ['tfjs', 1, 'wrong'],
      ],
    );
  });
});
