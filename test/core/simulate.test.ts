import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emit } from '../../src/core/emit/emit';
import { createSimulateBackend, simulateBackend } from '../../src/core/simulate/backend';
import { fmaF32 } from '../../src/core/simulate/arithmetic';
import { check } from '../../src/core/spec/check';
import { plan } from '../../src/core/plan/planner';
import { specs } from '../helpers/specs';
import { CONTEXT } from '../helpers/context';

describe('simulate', () => {
  it('finds every legal spec right, whatever the sizes, layouts and tiles', async function () {
    this.timeout(120_000);
    let legal = 0;
    await fc.assert(
      fc.asyncProperty(
        specs,
        fc.constantFrom('cuda' as const, 'wgsl' as const),
        async (spec, target) => {
          const { resolved } = check({ ...spec, targets: [target] });
          const planned = plan(resolved, target);
          if (!planned.ok) {
            assert.ok(
              planned.violations.every(({ rule, path, message }) => rule && path && message),
            );
            return;
          }
          legal++;
          const runnable = emit(planned.plan);
          const result = await simulateBackend.run({ runnable, mode: 'verify', seed: 7 }, CONTEXT);
          assert.equal(
            result.outcome,
            'correct',
            `${runnable.specKey}: ${result.message ?? JSON.stringify(result.verification)}`,
          );
        },
      ),
      { numRuns: 300, seed: 20261121 },
    );
    assert.ok(legal > 60, `only ${legal} of 300 drawn specs were legal`);
  });

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

  it('rounds a fused multiply-add once', () => {
    // 1 + 2^-24 * (1 + 2^-23): just above a tie, which two roundings would take down.
    const x = 2 ** -12 * (1 + 2 ** -23);
    assert.equal(fmaF32(Math.fround(x), 2 ** -12, 1), Math.fround(1 + 2 ** -23));
    assert.equal(fmaF32(3, 4, 5), 17);
    assert.equal(fmaF32(1e38, 10, 0), Infinity);
  });
});
