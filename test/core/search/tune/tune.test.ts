/** The search as a whole on fake benches: honest and hostile ones, and timers of all kinds. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Outcome } from '../../../../src/core/measure/measurement';
import type { ResolvedSchedule } from '../../../../src/core/spec/resolved';
import { transientStore } from '../../../../src/core/search/tune/bench';
import { MAX_ENUMERATED } from '../../../../src/core/search/tune/space';
import { after, NOT_STARTED } from '../../../../src/core/search/tune/state';
import { tune } from '../../../../src/core/search/tune/tune';
import { fakeBench, fakeContext, hashed } from './fakeBench';
import { input, play, spaceOf, timeOf } from './playing';
import { IS_WHOLE, runs } from '../../../helpers/depth';

describe('tune', function () {
  this.timeout(240_000);

  it('measures the whole space where it is told to, and finds its best', async () => {
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    const summary = await play(bench, { exhaustive: true });
    const quick = bench.asked.filter(({ effort }) => effort === 'quick');
    assert.equal(quick.length, summary.space.legal);
    assert.equal(summary.measuredShare, 1);
    const best = Math.min(...quick.map(({ specKey }) => timeOf(specKey)));
    assert.ok(Math.abs((summary.winner?.medianMs ?? 0) - best) < 1e-5);
    assert.equal(summary.winner?.effort, 'full');
    assert.equal(summary.ended, 'done');
  });

  it('plans no more than there is', async () => {
    const context = fakeContext();
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    const space = spaceOf({ algorithm: ['pipelined'], stages: [2, 3] });
    await tune(input({ space }), bench, transientStore(), context);
    const counted = context.events.find(event => event.type === 'counted');
    assert.equal(counted?.budget.schedules, 2);
  });

  it('measures no more than its budget, and each schedule once an effort', async () => {
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    const summary = await play(bench, { schedules: 20 });
    assert.equal(summary.measuredCount, 20);
    const keys = bench.asked.map(({ specKey, effort }) => `${specKey} ${effort}`);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(new Set(bench.asked.map(({ specKey }) => specKey)).size, 20);
  });

  it('measures no more than its budget also where schedules are given beforehand', async () => {
    const all = [...spaceOf({ algorithm: ['pipelined'], stages: [2, 3, 4, 5] }).walk()];
    for (const given of [1, 2, 4]) {
      for (const schedules of [1, 3, 4]) {
        const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
        const summary = await play(bench, { schedules, seeds: all.slice(0, given) });
        assert.equal(summary.measuredCount, schedules, `${given} given`);
      }
    }
  });

  it('finds the best of a space with a valley by neighbours', async () => {
    const valley = ({ stages = 0, block, padding, minBlocksPerSm }: ResolvedSchedule): number =>
      1 +
      Math.abs(stages - 4) * 0.1 +
      (block?.k === 16 ? 0 : 0.2) +
      (padding?.a === 4 ? 0 : 0.15) +
      (minBlocksPerSm === 2 ? 0 : 0.1) +
      (block?.m === 64 ? 0 : 0.1) +
      (block?.n === 128 ? 0 : 0.1);
    const bench = fakeBench({ timeOf: kernel => valley(kernel.spec.schedule) });
    const summary = await play(bench, { schedules: 40 });
    assert.ok((summary.winner?.medianMs ?? 2) < 1.01, JSON.stringify(summary.winner));
    assert.ok(summary.measuredCount <= 40);
  });

  it('takes the same steps again', async () => {
    const events = async () => {
      const context = fakeContext();
      const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey), noise: 0.1 });
      await tune(input({ schedules: 24 }), bench, transientStore(), context);
      return context.events.filter(({ type }) => type !== 'clock');
    };
    assert.deepEqual(await events(), await events());
  });

  it('never ranks within the error of a timer of 65,536 ns, and says so', async () => {
    // 2 % apart at most, and batches of 2 ms or so are read in steps of 3 %.
    const close = (specKey: string): number => 2 * (1 + 0.02 * hashed(specKey));
    const bench = fakeBench({
      timeOf: ({ specKey }) => close(specKey),
      quantumNs: 65_536,
      batchMs: { quick: 2, longer: 2, full: 2 },
    });
    const context = fakeContext();
    const summary = await tune(input({ schedules: 12 }), bench, transientStore(), context);
    assert.equal(summary.winner, null);
    assert.equal(summary.ties.length, 12);
    assert.deepEqual(summary.others, []);
    assert.ok(!context.events.some(({ type }) => type === 'dropped'));
    assert.match(summary.notes.join(), /Not ranked: the timer’s error is [\d.]+ %, and 12/);
  });

  it('shows what longer batches leave tied', async () => {
    const close = (specKey: string): number => 2 * (1 + 0.02 * hashed(specKey));
    const bench = fakeBench({ timeOf: ({ specKey }) => close(specKey), quantumNs: 65_536 });
    const summary = await play(bench, { schedules: 12 });
    const best = Math.min(...bench.asked.map(({ specKey }) => close(specKey)));
    assert.ok(summary.winner !== null && summary.winner.errorPercent < 0.5);
    assert.ok(summary.ties.some(({ specKey }) => close(specKey) === best));
    assert.ok(summary.others.every(({ specKey }) => close(specKey) > best));
    if (summary.ties.length > 1) assert.match(summary.notes.join(), /schedules are tied/);
  });

  it('keeps whoever may be the best, whatever the timer and the noise', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          quantumNs: fc.constantFrom(1, 1000, 65_536, 1_000_000),
          noise: fc.constantFrom(0, 0.01, 0.1),
          spread: fc.constantFrom(0.001, 0.05, 1),
          seed: fc.string({ maxLength: 4 }),
        }),
        async ({ quantumNs, noise, spread, seed }) => {
          const time = (specKey: string): number => 0.5 * (1 + spread * hashed(seed + specKey));
          const bench = fakeBench({ timeOf: ({ specKey }) => time(specKey), quantumNs, noise });
          const summary = await play(bench, { schedules: 16 });
          const tried = new Set(bench.asked.map(({ specKey }) => specKey));
          const best = Math.min(...[...tried].map(time));
          const first = summary.ties.map(({ specKey }) => time(specKey));
          // The batches' noise is symmetric and at most half of its range; the error covers it and
          // the quantum.
          assert.ok(Math.min(...first) <= best * (1 + noise), `${Math.min(...first)} ${best}`);
        },
      ),
      { ...runs(25, 6) },
    );
  });

  it('goes on after whatever kernels and compilers do, and says what', async () => {
    const fates: readonly Outcome[] = ['incorrect', 'launch-error', 'timeout', 'constraint'];
    const bench = fakeBench({
      timeOf: ({ specKey }) =>
        hashed(specKey) < 0.4
          ? (fates[Math.floor(hashed(specKey) * 10)] ?? 'incorrect')
          : timeOf(specKey),
      compiled: ({ specKey }) => (hashed(specKey) > 0.8 ? 'compile-error' : undefined),
    });
    const context = fakeContext();
    const summary = await tune(input({ schedules: 40 }), bench, transientStore(), context);
    assert.equal(summary.measuredCount, 40);
    assert.ok(summary.failures.length > 8);
    assert.ok(summary.failures.some(({ outcome }) => outcome === 'compile-error'));
    assert.ok(summary.failures.every(({ why }) => why.startsWith('it is ')));
    assert.ok(summary.winner !== null && summary.winner.medianMs >= 1.4);
    const state = after(NOT_STARTED, ...context.events);
    assert.equal(state.best, summary.winner.specKey);
    const failed = [...state.candidates.values()].filter(({ status }) => status === 'failed');
    assert.equal(failed.length, summary.failures.length);
  });

  it('drops what turns out wrong in the last round, and goes on with those that are left', async () => {
    const bench = fakeBench({
      timeOf: ({ specKey }, effort) =>
        effort === 'full' && timeOf(specKey) < 1.2 ? 'incorrect' : timeOf(specKey),
    });
    const summary = await play(bench, { exhaustive: true });
    // All of the first finalists, and of those after them.
    assert.ok(summary.winner !== null && summary.winner.medianMs >= 1.2);
    assert.equal(summary.winner.effort, 'full');
    assert.equal(summary.ended, 'done');
    assert.ok(summary.failures.length > 0);
  });

  it('measures with several GPUs, and the finalists with one', async () => {
    const gpus = ['one', 'two', 'three'];
    const bench = fakeBench({
      timeOf: ({ specKey }, _, gpu) => timeOf(specKey) * (1 + 0.02 * gpu),
      gpus,
    });
    const summary = await play(bench, { schedules: 30 });
    const quick = bench.asked.filter(({ effort }) => effort === 'quick');
    assert.equal(new Set(quick.map(({ gpu }) => gpu)).size, 3);
    const full = bench.asked.filter(({ effort }) => effort === 'full');
    assert.deepEqual([...new Set(full.map(({ gpu }) => gpu))], [0]);
    assert.match(summary.notes.join(), /The GPUs differ by 4 % for the same kernel/);
    assert.equal(summary.winner?.gpu, 'one');
  });

  it('tries seeds first, also those that the space lacks', async () => {
    const bench = fakeBench({ timeOf: () => 1 });
    const seed: ResolvedSchedule = {
      algorithm: 'vectorized',
      block: { m: 64, n: 64, k: 8 },
      thread: { m: 4, n: 4 },
      vector: 4,
    };
    await play(bench, { seeds: [seed], schedules: 8 });
    assert.match(bench.asked[0]?.specKey ?? '', /vectorized/);
  });

  it('tries what the time model does not know after what it ranks', async () => {
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    const space = spaceOf({ algorithm: ['shared-tile', 'naive', 'vectorized'] });
    const summary = await play(bench, { space });
    assert.equal(summary.space.legal, 3);
    assert.match(bench.asked[0]?.specKey ?? '', /vectorized/);
    assert.equal(summary.measuredCount, 3);
  });

  const million = async (): Promise<void> => {
    const to = (count: number, step: number): readonly number[] =>
      Array.from({ length: count }, (_, index) => (index + 1) * step);
    const space = spaceOf({
      algorithm: ['pipelined'],
      'block.m': to(25, 16),
      'block.n': to(25, 16),
      'block.k': to(10, 8),
      stages: [2, 3, 4, 5],
      minBlocksPerSm: to(8, 1),
      splitK: [null, 2, 3, 4, 5],
    });
    assert.equal(space.size, 1_000_000);
    const bench = fakeBench({ timeOf: ({ specKey }) => timeOf(specKey) });
    const summary = await play(bench, { space, schedules: 10 });
    assert.equal(summary.space.members, 1_000_000);
    assert.equal(summary.space.walked, MAX_ENUMERATED);
    assert.ok(summary.space.legal > 1000, String(summary.space.legal));
    assert.ok(summary.winner !== null);
  };
  if (IS_WHOLE) it('walks a million members', million);
});
