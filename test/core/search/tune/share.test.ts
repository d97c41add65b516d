/** The division of a search among tasks, which exchange only their journals. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Measurement } from '../../../../src/core/measure/measurement';
import {
  transientStore,
  type Found,
  type MeasurementStore,
} from '../../../../src/core/search/tune/bench';
import {
  compareWith,
  measureShare,
  openSchedules,
  shareOf,
  type Reference,
} from '../../../../src/core/search/tune/share';
import { tune } from '../../../../src/core/search/tune/tune';
import { runs } from '../../../helpers/depth';
import { fakeBench, fakeContext, type FakeBench } from './fakeBench';
import { input, timeOf } from './playing';

const bench = (factor = 1): FakeBench =>
  fakeBench({ timeOf: ({ specKey }) => factor * timeOf(specKey) });

/** Measures the waves of a search in `tasks` tasks that see only the waves before. */
async function inTasks(
  tasks: number,
  { waves, skipped = () => false }: { waves: number; skipped?: (task: number) => boolean },
) {
  const store = transientStore();
  const known = new Map<string, Measurement>();
  const machine = bench();
  for (let wave = 1; wave <= waves; wave++) {
    const { open } = await openSchedules(input({ schedules: 40 }), known, fakeContext());
    for (let task = 0; task < tasks; task++) {
      if (skipped(task)) continue;
      const share = shareOf(open, { task, tasks });
      await measureShare(share, machine, store, {
        abort: new AbortController().signal,
        isLate: () => false,
        onMeasurement: one => known.set(one.specKey, one),
      });
    }
  }
  return { store, machine };
}

const final = (machine: FakeBench, store: MeasurementStore) =>
  tune(input({ schedules: 40 }), machine, store, fakeContext());

describe('a search that tasks share', function () {
  this.timeout(120_000);

  it('gives each entry of a list to one task', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 50 }), (list, tasks) => {
        const entries = list.map((value, index) => ({ value, index }));
        const shares = Array.from({ length: tasks }, (_, task) =>
          shareOf(entries, { task, tasks }),
        );
        const all = shares.flat().sort((one, other) => one.index - other.index);
        assert.deepEqual(all, entries);
        const sizes = shares.map(({ length }) => length);
        assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1);
      }),
      runs(1000),
    );
  });

  it('has the winner, ties and others of a search on one machine', async () => {
    const alone = await final(bench(), transientStore());
    for (const [tasks, waves] of [
      [1, 1],
      [3, 2],
      [8, 2],
      [64, 1],
    ] as const) {
      const { store, machine } = await inTasks(tasks, { waves });
      const shared = await final(machine, store);
      assert.deepEqual(
        [shared.winner, shared.ties, shared.others, shared.measuredCount],
        [alone.winner, alone.ties, alone.others, alone.measuredCount],
      );
      const asked = machine.asked.map(({ specKey, effort }) => `${specKey} ${effort}`);
      assert.equal(new Set(asked).size, asked.length, 'a measurement was repeated');
    }
  });

  it('measures in the final task what lost tasks have not', async () => {
    const alone = await final(bench(), transientStore());
    const { store, machine } = await inTasks(4, { waves: 1, skipped: task => task !== 2 });
    const shared = await final(machine, store);
    assert.deepEqual([shared.winner, shared.ties], [alone.winner, alone.ties]);
  });

  it('lists the schedules of a lost task again in the next wave, then neighbors', async () => {
    const first = await openSchedules(input({ schedules: 40 }), new Map(), fakeContext());
    assert.equal(first.known, 0);
    const known = new Map<string, Measurement>();
    const [lost, ...others] = first.open;
    await measureShare(others, bench(), transientStore(), {
      abort: new AbortController().signal,
      isLate: () => false,
      onMeasurement: one => known.set(one.specKey, one),
    });
    const next = await openSchedules(input({ schedules: 40 }), known, fakeContext());
    assert.equal(next.open[0]?.candidate.specKey, lost?.candidate.specKey);
    assert.ok(next.open.slice(1).every(({ candidate }) => candidate.from === 'neighbour'));
    assert.equal(next.open.length + next.known, 40);
  });

  it('stops at a time limit, when cancelled, and when the GPU is lost', async () => {
    const { open } = await openSchedules(input({ schedules: 8 }), new Map(), fakeContext());
    const idle = { abort: new AbortController().signal, isLate: () => false };
    const late = { ...idle, isLate: () => true };
    const cancelled = { ...idle, abort: AbortSignal.abort() };
    const gone = fakeBench({ timeOf: () => 'unavailable' });
    assert.deepEqual(await measureShare(open, bench(), transientStore(), late), {
      ended: 'out-of-time',
    });
    assert.deepEqual(await measureShare(open, bench(), transientStore(), cancelled), {
      ended: 'cancelled',
    });
    assert.ok('lost' in (await measureShare(open, gone, transientStore(), idle)));
  });

  describe('on several GPUs', () => {
    const compare = async (factor: number) => {
      const { open } = await openSchedules(input({ schedules: 8 }), new Map(), fakeContext());
      const [contender] = open;
      assert.ok(contender !== undefined);
      const there = transientStore();
      const idle = { abort: new AbortController().signal, isLate: () => false };
      const seen: Found[] = [];
      const onMeasurement = (measurement: Measurement): void => {
        seen.push({ measurement, gpu: 1 });
      };
      await measureShare([contender], bench(factor), there, { ...idle, onMeasurement });
      const references = seen.map((found): Reference => ({ contender, found }));
      return await compareWith(references, bench(), transientStore(), idle);
    };

    it('adds their difference for the same kernel to the errors', async () => {
      const { percent, apart } = await compare(1.05);
      assert.ok(Math.abs(percent - 5) < 0.1, String(percent));
      assert.deepEqual(apart, []);
    });

    it('sets a GPU apart that is more than 10 % faster or slower', async () => {
      for (const factor of [0.89, 1.12]) {
        const { percent, apart } = await compare(factor);
        assert.deepEqual([percent, apart], [0, [1]]);
      }
      for (const factor of [0.92, 1.09]) assert.deepEqual((await compare(factor)).apart, []);
    });
  });
});
