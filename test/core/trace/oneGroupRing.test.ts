/** Steps of the ring buffer of a kernel without warp specialization. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ONE_GROUP_MISTAKES, runOneGroupRing } from '../../../src/core/trace/oneGroupRing';
import { passes, type RingAction } from '../../../src/core/trace/ring';

const options = fc.record({
  stages: fc.integer({ min: 2, max: 8 }),
  iterations: fc.integer({ min: 1, max: 40 }),
  bytes: fc.constant(32_768),
  inFlight: fc.constantFrom(0, 1),
});

describe('the ring buffer without warp specialization', () => {
  it('loads, multiplies and releases every k-iteration once and in order', () => {
    fc.assert(
      fc.property(options, of => {
        const { steps, end } = runOneGroupRing(of, null);
        assert.equal(end.kind, 'complete');
        const all = Array.from({ length: of.iterations }, (_, i) => i);
        for (const wanted of ['load', 'arrive', 'waitFull', 'multiply', 'release'] as const) {
          const found = steps.filter(({ action }) => action === wanted);
          assert.deepEqual(
            found.map(({ iteration }) => iteration),
            all,
          );
        }
      }),
    );
  });

  it('loads only into free stages, multiplies only full stages, and waits for the right phase', () => {
    fc.assert(
      fc.property(options, of => {
        const { steps } = runOneGroupRing(of, null);
        const expected: Partial<Record<RingAction, string>> = {
          load: 'free',
          arrive: 'loading',
          multiply: 'full',
          release: 'in use',
        };
        steps.forEach(({ action, stage, parity }, i) => {
          const before = steps[i - 1]?.stages[stage];
          assert.equal(before?.status ?? 'free', expected[action] ?? 'full');
          if (before !== undefined && parity !== null) {
            assert.ok(passes(before.full, parity));
            assert.ok(!passes(before.full, parity === 0 ? 1 : 0));
          }
        });
      }),
    );
  });

  it('ends in the effect of each mistake', () => {
    const long = options.map(of => ({ ...of, iterations: of.stages + of.iterations }));
    fc.assert(
      fc.property(long, fc.constantFrom(...ONE_GROUP_MISTAKES), (of, mistake) => {
        const { end } = runOneGroupRing(of, mistake);
        const wait = { barrier: 'full', stage: 0, iteration: of.stages, parity: 1 } as const;
        assert.deepEqual(
          end,
          {
            'no-refill': { kind: 'deadlock', wait },
            'early-refill': { kind: 'overwrite', stage: 0, iteration: 0 },
            parity: { kind: 'early-read', stage: 0, iteration: 0 },
          }[mistake],
        );
      }),
    );
  });
});
