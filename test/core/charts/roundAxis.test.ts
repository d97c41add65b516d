/** Round numbers along an axis. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fittedRange, roundStep, roundTicks } from '../../../src/core/charts/roundAxis';

const values = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 20,
});

describe('round numbers along an axis', () => {
  it('use steps of 1, 2 or 5 and at most the given count', () => {
    assert.deepEqual([roundStep(100, 4), roundStep(8, 4), roundStep(6144, 4)], [50, 2, 2000]);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), span => {
        const step = roundStep(span, 4);
        assert.ok(span / step <= 4 + 1e-9 && span / step > 1.5, `${span}: ${step}`);
      }),
    );
  });

  it('are ascending ticks inside the range', () => {
    assert.deepEqual(roundTicks(2048, 8192, 4), [4000, 6000, 8000]);
    assert.deepEqual(roundTicks(5, 5, 4), [5]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 1e6 }),
        (from, span) => {
          const ticks = roundTicks(from, from + span, 4);
          assert.ok(ticks.length >= 1 && ticks.length <= 5);
          assert.ok(ticks.every(tick => tick >= from - 1e-6 && tick <= from + span + 1e-6));
        },
      ),
    );
  });

  it('leave at most 6 % of the range unused beyond the values, never below 0', () => {
    fc.assert(
      fc.property(values, all => {
        const [from, to] = fittedRange(all);
        const [least, largest] = [Math.min(...all), Math.max(...all)];
        const span = Math.max(largest - least, 0.1 * largest);
        assert.ok(from >= 0 && to > from);
        assert.ok(least >= from && largest <= to);
        assert.ok(to - from <= 1.12 * span + 1e-9, `${from} to ${to}`);
      }),
    );
    assert.deepEqual(fittedRange([0]), [0, 1]);
  });
});
