/** Steps of the ring buffer: every wait passes for the right phase, and no stage is overwritten. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  passes,
  RING_MISTAKES,
  ringSteps,
  runRing,
  type RingStep,
} from '../../../src/core/trace/ring';

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

describe('mistakes in the use of the ring buffer', () => {
  const many = fc.record({
    stages: fc.integer({ min: 2, max: 8 }),
    iterations: fc.integer({ min: 20, max: 40 }),
    bytes: fc.constant(32_768),
    releases: fc.integer({ min: 1, max: 6 }),
  });

  it('block the producer after one round without the release', () => {
    fc.assert(
      fc.property(many, of => {
        const { steps, end } = runRing(of, 'no-release');
        assert.ok(end.kind === 'deadlock');
        assert.deepEqual(end.producer, {
          barrier: 'empty',
          stage: 0,
          iteration: of.stages,
          parity: 0,
        });
        assert.equal(end.consumer.iteration, of.stages);
        assert.equal(actionsOf(steps, 'multiply').length, of.stages);
      }),
    );
  });

  it('block the first wait of a producer that waits for the current phase', () => {
    fc.assert(
      fc.property(many, of => {
        const { steps, end } = runRing(of, 'producer-parity');
        assert.deepEqual(steps, []);
        assert.ok(end.kind === 'deadlock');
        assert.equal(end.producer?.iteration, 0);
      }),
    );
  });

  it('let consumers that wait for the previous phase read before the bytes have arrived', () => {
    fc.assert(
      fc.property(many, of => {
        const { steps, end } = runRing(of, 'consumer-parity');
        assert.deepEqual(end, { kind: 'early-read', stage: 0, iteration: 0 });
        assert.deepEqual(actionsOf(steps, 'arrive'), []);
      }),
    );
  });

  it('end a ring of one stage in a deadlock, because it is released one k-iteration later', () => {
    const { end } = runRing({ stages: 1, iterations: 4, bytes: 1, releases: 1 }, null);
    assert.ok(end.kind === 'deadlock');
    assert.equal(end.consumer.iteration, 1);
  });

  it('have no effect on a tile with a single k-iteration, except for wrong parities', () => {
    const of = { stages: 2, iterations: 1, bytes: 1, releases: 1 };
    assert.deepEqual(
      RING_MISTAKES.map(mistake => runRing(of, mistake).end.kind),
      ['complete', 'deadlock', 'early-read'],
    );
  });
});
