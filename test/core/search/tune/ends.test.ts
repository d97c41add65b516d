/**
 * How a tuning run ends: lost GPUs, cancellation, timeout, full disk, no legal schedule; and how it
 * resumes.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { transientStore, type MeasurementStore } from '../../../../src/core/search/tune/bench';
import { fakeBench } from './fakeBench';
import { play, spaceOf, timeOf } from './playing';
import { runs } from '../../../helpers/depth';

describe('the end of a tuning run', () => {
  it('continues without a lost GPU, and measures all finalists on another', async () => {
    let used = 0;
    const bench = fakeBench({
      timeOf: ({ specKey }, effort, gpu) =>
        gpu === 0 && effort === 'full' && used++ > 1 ? 'unavailable' : timeOf(specKey),
      gpus: ['one', 'two'],
    });
    const summary = await play(bench, { schedules: 24 });
    assert.equal(summary.ended, 'done');
    assert.equal(summary.winner?.gpu, 'two');
    assert.ok([...summary.ties, ...summary.others].every(({ gpu }) => gpu === 'two'));
    assert.match(summary.notes.join(), /one is lost: it is unavailable/);
  });

  it('ends with the results so far if no GPU responds', async () => {
    let used = 0;
    const bench = fakeBench({
      timeOf: ({ specKey }) => (used++ > 10 ? 'unavailable' : timeOf(specKey)),
    });
    const summary = await play(bench, { schedules: 24 });
    assert.equal(summary.ended, 'lost');
    assert.equal(summary.winner?.effort, 'quick');
    assert.equal(summary.measuredCount, 11);
  });

  it('can be cancelled at any time, with the results so far', async () => {
    for (const at of [0, 1, 5, 30, 70]) {
      const controller = new AbortController();
      let count = 0;
      const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
      const summary = await play(
        bench,
        { schedules: 40 },
        {
          abort: controller.signal,
          say: event => {
            if (event.type === 'measured' && count++ === at) controller.abort();
          },
        },
      );
      if (at > 45) continue;
      assert.equal(summary.ended, 'cancelled');
      assert.ok(summary.winner !== null);
      assert.ok(bench.asked.length <= at + 4, String(bench.asked.length));
    }
    const aborted = AbortSignal.abort();
    const none = await play(fakeBench({ timeOf: () => 1 }), {}, { abort: aborted });
    assert.deepEqual([none.ended, none.winner, none.measuredCount], ['cancelled', null, 0]);
  });

  it('ends in time', async () => {
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    let clock = 0;
    const now = (): number => clock + 100 * bench.asked.length;
    const summary = await play(
      bench,
      { exhaustive: true, milliseconds: 4000 },
      { now: () => (clock += 0.01) && now() },
    );
    assert.ok(now() < 4500, String(now()));
    assert.ok(summary.measuredCount < 40);
    assert.equal(summary.winner?.effort, 'full');
  });

  it('reports why a space has no legal member', async () => {
    const bench = fakeBench({ timeOf: () => 1 });
    const space = spaceOf({ algorithm: ['pipelined'], 'block.m': [7, 9, 11], stages: [2, 3] });
    const summary = await play(bench, { space });
    assert.deepEqual([summary.ended, summary.winner, summary.space.legal], ['nothing', null, 0]);
    assert.match(summary.notes.join('\n'), /No schedule of this space is legal for cuda/);
    assert.match(summary.notes.join('\n'), /6 of 6 checked schedules violate /);
  });

  it('stops measuring if a measurement cannot be stored', async () => {
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    let room = 5;
    const memory: MeasurementStore = {
      ...transientStore(),
      keep: () => (room-- > 0 ? Promise.resolve() : Promise.reject(new Error('the disk is full'))),
    };
    await assert.rejects(play(bench, {}, {}, memory), /the disk is full/);
    assert.ok(bench.asked.length <= 8, String(bench.asked.length));
  });
});

describe('a resumed tuning run', function () {
  this.timeout(60_000);

  it('repeats nothing, loses nothing and has the same result', async () => {
    const time = { timeOf: ({ specKey }: { specKey: string }) => timeOf(specKey), noise: 0.05 };
    const whole = await play(fakeBench(time), { schedules: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }), async stops => {
        const memory = transientStore();
        const bench = fakeBench(time);
        for (const stop of stops) {
          const controller = new AbortController();
          let count = 0;
          await play(
            bench,
            { schedules: 30 },
            {
              abort: controller.signal,
              say: event => {
                if (event.type === 'measured' && !event.kept && count++ === stop) {
                  controller.abort();
                }
              },
            },
            memory,
          );
        }
        const last = await play(bench, { schedules: 30 }, {}, memory);
        assert.equal(last.winner?.specKey, whole.winner?.specKey);
        assert.deepEqual(last.ties, whole.ties);
        assert.equal(last.measuredCount, whole.measuredCount);
      }),
      { ...runs(15, 4) },
    );
  });
});
