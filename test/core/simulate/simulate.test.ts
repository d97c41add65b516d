import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import { createSimulateBackend, simulateBackend } from '../../../src/core/simulate/backend';
import { fmaF32 } from '../../../src/core/simulate/arithmetic';
import { check } from '../../../src/core/defaults/check';
import { plan } from '../../../src/core/plan/planner';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';

describe('simulate', () => {
  it('pauses within a block, and can be cancelled there', async () => {
    const problem = { m: 128, n: 128, k: 64 };
    const schedule = { algorithm: 'thread-tile-2d', block: { m: 128, n: 128, k: 8 } } as const;
    const planned = plan(check({ problem, schedule }).resolved, 'cuda');
    assert.ok(planned.ok);
    const runnable = emit(planned.plan);
    assert.deepEqual([runnable.grid.x, runnable.grid.y], [1, 1]);
    const cancelled = new AbortController();
    let time = 0;
    let pauses = 0;
    let last = Infinity;
    const pause = (): Promise<void> => {
      if (++pauses === last) cancelled.abort();
      return Promise.resolve();
    };
    // Every look at the clock finds a millisecond gone.
    const simulate = createSimulateBackend({ now: () => time++, pause });
    const request = { runnable, mode: 'verify', seed: 1 } as const;
    const whole = await simulate.run(request, CONTEXT);
    assert.equal(whole.outcome, 'correct');
    assert.ok(pauses > 50, `${pauses} pauses`);
    [pauses, last] = [0, 5];
    const broken = await simulate.run(request, { ...CONTEXT, abort: cancelled.signal });
    assert.equal(broken.outcome, 'cancelled');
    assert.equal(pauses, 5);
  });

  it('verifies split-K with double-buffered fragments and a partial K tile', async () => {
    for (const [k, splitK] of [
      [65, 2],
      [95, 3],
      [49, 4],
    ] as const) {
      const problem = { m: 100, n: 70, k, a: { layout: 'col' }, b: { layout: 'col' } } as const;
      const schedule = {
        algorithm: 'pipelined',
        block: { m: 64, n: 64, k: 16 },
        warp: { m: 32, n: 32 },
        thread: { m: 8, n: 4 },
        fragments: 2,
        splitK,
        splitKReduction: 'two-pass',
      } as const;
      const planned = plan(check({ problem, schedule }).resolved, 'cuda');
      assert.ok(planned.ok, JSON.stringify(planned));
      const request = { runnable: emit(planned.plan), mode: 'verify', seed: 1 } as const;
      const { outcome, message } = await simulateBackend.run(request, CONTEXT);
      assert.equal(outcome, 'correct', message);
    }
  });

  it('refuses what would take hours or all memory, and says which number to change', async () => {
    const message = async (problem: GemmSpec['problem'], schedule: GemmSpec['schedule'] = {}) => {
      const planned = plan(check({ problem, schedule }).resolved, 'cuda');
      assert.ok(planned.ok, JSON.stringify(planned));
      const request = { runnable: emit(planned.plan), mode: 'verify', seed: 1 } as const;
      const { outcome, message: said = '' } = await simulateBackend.run(request, CONTEXT);
      return `${outcome}: ${said}`;
    };
    const one = { m: 1, n: 1, k: 1 };
    assert.match(
      await message({ m: 257, n: 256, k: 256 }),
      /^constraint: 257 x 256 x 256 exceeds the limit/,
    );
    assert.match(await message({ ...one, k: 2 ** 24 }), /^constraint: 1 blocks .* 4294967296 /);
    const naive = { algorithm: 'naive', block: { m: 1, n: 1 } } as const;
    assert.match(await message({ ...one, batch: 65_535 }, naive), /^correct/);
    const ld = 2 ** 31 - 1;
    assert.match(await message({ ...one, m: 2, a: { ld } }), /^constraint: A spans 2147483648 el/);
    assert.match(await message({ ...one, a: { ld } }), /^correct/);
    const far = { ...one, batch: 65_535, b: { batchStride: ld } };
    assert.match(await message(far, naive), /^constraint: B spans 140/);
  });

  it('rounds a fused multiply-add once', () => {
    // 1 + 2^-24 * (1 + 2^-23): just above a tie, which two roundings would take down.
    const x = 2 ** -12 * (1 + 2 ** -23);
    assert.equal(fmaF32(Math.fround(x), 2 ** -12, 1), Math.fround(1 + 2 ** -23));
    assert.equal(fmaF32(3, 4, 5), 17);
    assert.equal(fmaF32(1e38, 10, 0), Infinity);
  });
});
