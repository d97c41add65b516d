/**
 * Intervals of medians and of ratios: their ranks beside the binomial distribution, their coverage
 * by simulation.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  differs,
  effectiveSamples,
  isUncertain,
  lowerRank,
  medianInterval,
  rateOf,
  ratioOf,
  speedUp,
} from '../../../src/core/measure/intervals';
import { timingOf } from '../../../src/core/measure/statistics';
import { resolve } from '../../../src/core/defaults/resolve';
import { sampleOf } from '../../helpers/depth';

/** mulberry32: the same draws for the same seed, in [0, 1). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const { problem } = resolve({ problem: { m: 64, n: 64, k: 64 } });

const timed = (batchTimesMs: readonly number[], quantumNs = 0) =>
  timingOf({
    timer: 'wall-clock',
    quantumNs,
    warmUp: 1,
    batch: 1,
    problem,
    batchTimesMs,
    cache: 'warm',
    inputs: 'x',
  });

/** Draws of a distribution, and its median. */
interface Distribution {
  readonly draw: (random: () => number) => number;
  readonly median: number;
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  uniform: { draw: random => 1 + random(), median: 1.5 },
  exponential: { draw: random => 1 - Math.log(1 - random()), median: 1 + Math.LN2 },
  'log-normal': { draw: random => Math.exp(normal(random)), median: 1 },
  Cauchy: { draw: random => 100 + Math.tan(Math.PI * (random() - 0.5)), median: 100 },
  'two modes': {
    draw: random => (random() < 0.6 ? 10 + random() : 20 + random()),
    median: 10 + 0.5 / 0.6,
  },
};

const TRIALS = sampleOf(4000, 1000);

function coverage(covers: (random: () => number) => boolean | null, seed: number): number {
  const random = randomOf(seed);
  let [covered, known] = [0, 0];
  for (let i = 0; i < TRIALS; i++) {
    const found = covers(random);
    if (found === null) continue;
    known++;
    if (found) covered++;
  }
  assert.ok(known > TRIALS / 2, `${known} of ${TRIALS} have an interval`);
  return covered / known;
}

describe('the 95 % interval of a median', () => {
  it('has the ranks of the published tables, and none below 6 samples', () => {
    assert.deepEqual([1, 5, 6, 8, 9, 11, 12, 15, 20, 30, 50, 100].map(lowerRank), [
      null,
      null,
      1,
      1,
      2,
      2,
      3,
      4,
      6,
      10,
      18,
      40,
    ]);
    assert.equal(medianInterval([1, 5, 2, 4, 3]), null);
    assert.deepEqual(medianInterval([1, 6, 2, 5, 3, 4]), [1, 6]);
  });

  for (const [name, { draw, median }] of Object.entries(DISTRIBUTIONS)) {
    it(`covers the median of draws of a distribution in 93 to 99 % of cases: ${name}`, () => {
      for (const count of [9, 12, 20, 30, 100]) {
        const share = coverage(random => {
          const interval = medianInterval(Array.from({ length: count }, () => draw(random)));
          return interval && interval[0] <= median && median <= interval[1];
        }, count);
        assert.ok(share > 0.93 && share < 0.99, `${count} samples: ${share}`);
      }
    }).timeout(60_000);
  }

  it('covers it where samples are correlated in time, since they count as fewer', () => {
    const share = coverage(random => {
      let state = normal(random);
      const samples = Array.from({ length: 60 }, () => {
        state = 0.6 * state + 0.8 * normal(random);
        return state;
      });
      const interval = medianInterval(samples);
      return interval && interval[0] <= 0 && 0 <= interval[1];
    }, 5);
    assert.ok(share > 0.91 && share < 0.995, String(share));
    const alternating = Array.from({ length: 20 }, (_, i) => (i % 2) + i / 1000);
    assert.equal(effectiveSamples(alternating), 20);
    const drifting = Array.from({ length: 20 }, (_, i) => i);
    assert.ok(effectiveSamples(drifting) < 6);
    assert.equal(medianInterval(drifting), null);
  }).timeout(60_000);

  it('holds the median, grows with the spread, and is the samples themselves where all are equal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 100, noNaN: true }), { minLength: 6, maxLength: 40 }),
        samples => {
          const { intervalMs, medianMs } = timed(samples);
          if (intervalMs === undefined) return;
          assert.ok(intervalMs[0] <= medianMs && medianMs <= intervalMs[1]);
          assert.ok(intervalMs[0] >= Math.min(...samples) - 1e-12);
        },
      ),
    );
    assert.deepEqual(medianInterval([2, 2, 2, 2, 2, 2, 2]), [2, 2]);
  });

  it('is kept with a timing, is wider by the error of the timer, and is left out below 6 samples', () => {
    const samples = [1, 1.1, 0.9, 1.2, 1.05, 0.95];
    assert.deepEqual(timed(samples).intervalMs, [0.9, 1.2]);
    const coarse = timed(samples, 1e5);
    const error = (coarse.medianMs * coarse.errorPercent) / 100;
    assert.deepEqual(coarse.intervalMs, [0.9 - error, 1.2 + error]);
    assert.equal('intervalMs' in timed(samples.slice(1)), false);
  });
});

describe('a speed-up', () => {
  it('has an interval that covers the ratio of two medians in 93 to 99 % of cases', () => {
    for (const { draw, median } of [DISTRIBUTIONS['exponential'], DISTRIBUTIONS['uniform']].flatMap(
      one => one ?? [],
    )) {
      for (const [one, other] of [
        [12, 12],
        [30, 30],
        [30, 9],
      ] as const) {
        const share = coverage(random => {
          const run = (count: number, factor: number) =>
            timed(Array.from({ length: count }, () => factor * draw(random)));
          const { interval } = speedUp(run(one, 1), run(other, 3));
          return interval === undefined ? null : interval[0] <= 3 && 3 <= interval[1];
        }, one + other);
        assert.ok(share > 0.93 && share <= 0.99, `${median}: ${one}, ${other} samples: ${share}`);
      }
    }
  }).timeout(60_000);

  it('is the ratio of the rates, and its inverse where the runs change places', () => {
    const [one, other] = [timed([1, 2, 3, 4, 5, 6, 7]), timed([4, 9, 5, 8, 6, 7, 5.5])];
    const [there, back] = [speedUp(one, other), speedUp(other, one)];
    assert.ok(Math.abs(there.value - one.gflops / other.gflops) < 1e-12);
    assert.ok(there.interval !== undefined && back.interval !== undefined);
    assert.ok(Math.abs(there.interval[0] * back.interval[1] - 1) < 1e-12);
    assert.ok(Math.abs(there.interval[1] * back.interval[0] - 1) < 1e-12);
  });

  it('is unknown to be one where a run has no interval, and one only where the interval excludes 1', () => {
    const old = { medianMs: 2 };
    const sure = { medianMs: 1, intervalMs: [0.9, 1.1] } as const;
    assert.deepEqual(speedUp(sure, old), { value: 2 });
    assert.equal(differs(speedUp(sure, old)), undefined);
    assert.equal(differs(speedUp(sure, { medianMs: 2, intervalMs: [1.9, 2.1] })), true);
    assert.equal(differs(speedUp(sure, { medianMs: 1.05, intervalMs: [0.95, 1.2] })), false);
    assert.equal(
      differs(ratioOf({ value: 1, interval: [0, 2] }, { value: 1, interval: [1, 1] })),
      undefined,
    );
  });
});

describe('a rate', () => {
  it('has the interval of its time, and is uncertain above 5 % of half width', () => {
    const run = { gflops: 10, medianMs: 1 };
    assert.deepEqual(rateOf({ ...run, intervalMs: [0.5, 2] }), { value: 10, interval: [5, 20] });
    const of = (half: number) => ({ value: 100, interval: [100 - half, 100 + half] }) as const;
    assert.deepEqual(
      [4.9, 5, 5.1].map(half => isUncertain(of(half))),
      [false, false, true],
    );
    assert.equal(isUncertain(rateOf(run)), false);
  });
});
