/** Who stays and who wins: never against the errors. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isFaster } from '../../../../src/core/search/tune/compare';
import type { TuneTime } from '../../../../src/core/search/tune/events';
import { COARSE_PERCENT, halve, standing } from '../../../../src/core/search/tune/halving';

const time = fc.record({
  medianMs: fc.double({ min: 0.01, max: 10, noNaN: true }),
  errorPercent: fc.double({ min: 0, max: 20, noNaN: true }),
  timerPercent: fc.double({ min: 0, max: 5, noNaN: true }),
});
const entries = fc.array(
  time.map(given => ({
    time: { ...given, tflops: 1 / given.medianMs, gpu: 'one' } satisfies TuneTime,
  })),
  { maxLength: 40 },
);

describe('halving', () => {
  it('drops only what is slower than all that it was to keep, beyond the errors of both', () => {
    fc.assert(
      fc.property(entries, fc.nat(10), (given, most) => {
        const { kept, dropped } = halve(given, most);
        assert.equal(kept.length + dropped.length, given.length);
        const fastest = given.toSorted((a, b) => a.time.medianMs - b.time.medianMs);
        for (const first of fastest.slice(0, Math.max(1, most))) {
          assert.ok(kept.includes(first));
          for (const gone of dropped) assert.ok(isFaster(first.time, gone.time));
        }
      }),
    );
  });

  it('never drops the one that is truly fastest, if errors are what they say', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 1, max: 2, noNaN: true }),
            fc.double({ min: -1, max: 1, noNaN: true }),
          ),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        fc.double({ min: 0, max: 10, noNaN: true }),
        (truths, errorPercent) => {
          const given = truths.map(([truth, luck]) => ({
            truth,
            // What is measured is off by up to the error, which is a share of what is measured.
            time: {
              medianMs: truth / (1 + (luck * errorPercent) / 100),
              errorPercent,
              timerPercent: 0,
              tflops: 0,
              gpu: 'one',
            },
          }));
          const best = Math.min(...truths.map(([truth]) => truth));
          const { kept } = halve(given, 1);
          assert.ok(kept.some(({ truth }) => truth === best));
          const { ties } = standing(given);
          assert.ok(ties.some(({ truth }) => truth === best));
        },
      ),
    );
  });
});

describe('who won', () => {
  it('is tied with all that cannot be told from it, and others are slower for sure', () => {
    fc.assert(
      fc.property(entries, given => {
        const { winner, ties, others } = standing(given);
        assert.equal(ties.length + others.length, given.length);
        const [first] = given.toSorted((a, b) => a.time.medianMs - b.time.medianMs);
        if (first === undefined) return;
        for (const other of others) assert.ok(isFaster(first.time, other.time));
        for (const tie of ties) assert.ok(!isFaster(first.time, tie.time));
        const coarse = ties.some(tie => tie.time.timerPercent > COARSE_PERCENT);
        assert.equal(winner === null, ties.length > 1 && coarse);
        if (winner !== null) assert.equal(ties[0], winner);
      }),
    );
  });
});
