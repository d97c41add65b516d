/** Steps of the ring buffer: every wait passes for the right phase, and no stage is overwritten. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { passes, ringSteps, type RingStep } from '../../../src/core/trace/ring';

const options = fc.record({
  stages: fc.integer({ min: 2, max: 8 }),
  iterations: fc.integer({ min: 1, max: 40 }),
  bytes: fc.constant(32_768),
  releases: fc.integer({ min: 1, max: 6 }),
});

const actionsOf = (steps: readonly RingStep[], action: RingStep['action']): readonly number[] =>
  steps.filter(step => step.action === action).map(({ iteration }) => iteration);

describe('the steps of the ring buffer', () => {
  it('load, multiply and release every k-iteration once and in order', () => {
    fc.assert(
      fc.property(options, of => {
        const steps = ringSteps(of);
        const all = Array.from({ length: of.iterations }, (_, i) => i);
        for (const action of ['load', 'arrive', 'multiply', 'release'] as const)
          assert.deepEqual(actionsOf(steps, action), all);
      }),
    );
  });

  it('never load into a stage that is not free, and multiply only stages that are full', () => {
    fc.assert(
      fc.property(options, of => {
        const steps = ringSteps(of);
        steps.forEach(({ action, stage, iteration }, i) => {
          const before = steps[i - 1]?.stages;
          const status = before?.[stage]?.status ?? 'free';
          if (action === 'load') assert.equal(status, 'free');
          if (action === 'multiply') {
            assert.equal(status, 'full');
            assert.equal(before?.[stage]?.iteration, iteration);
          }
        });
      }),
    );
  });

  it('wait with the parity whose phase has just completed', () => {
    fc.assert(
      fc.property(options, of => {
        const steps = ringSteps(of);
        steps.forEach(({ action, stage, parity }, i) => {
          const before = steps[i - 1]?.stages;
          const known = before?.[stage];
          if (known !== undefined && parity !== null) {
            const barrier = action === 'waitEmpty' ? known.empty : known.full;
            assert.ok(passes(barrier, parity));
            assert.ok(!passes(barrier, parity === 0 ? 1 : 0));
          }
        });
      }),
    );
  });

  it('need two stages, because one wgmma group stays in flight', () => {
    assert.throws(
      () => ringSteps({ stages: 1, iterations: 2, bytes: 1, releases: 1 }),
      /two stages/,
    );
  });

  it('fill all stages before the first multiplication, and refill a stage once it is released', () => {
    const steps = ringSteps({ stages: 4, iterations: 8, bytes: 1, releases: 2 });
    const first = steps.findIndex(({ action }) => action === 'multiply');
    assert.deepEqual(actionsOf(steps.slice(0, first), 'load'), [0, 1, 2, 3]);
    const refill = steps.findIndex(({ action, iteration }) => action === 'load' && iteration === 4);
    assert.deepEqual(actionsOf(steps.slice(0, refill), 'release'), [0]);
  });
});
