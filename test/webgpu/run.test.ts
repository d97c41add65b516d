/** The WebGPU runner on a device that misbehaves. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { probeWebgpu } from '../../src/webgpu/probe';
import { runOnWebgpu } from '../../src/webgpu/run';
import { fakeGpu, type FakeOptions } from './fakeGpu';
import { CORRECT, problemOf, runnableOf } from './fixtures';
import { runs } from '../helpers/depth';

const runnable = runnableOf(CORRECT, problemOf(16, 16, 16));
const rounded = (quantumNs: number) => (ns: number) => Math.floor(ns / quantumNs) * quantumNs;

const start = (fake: ReturnType<typeof fakeGpu>, changes = {}, abort = new AbortController()) =>
  runOnWebgpu(
    fake.env,
    { runnable: { ...runnable, ...changes }, mode: 'time', seed: 3 },
    { abort: abort.signal, progress: () => undefined },
  );

async function run(options: FakeOptions, changes = {}) {
  const fake = fakeGpu(options);
  return { ...fake, measurement: await start(fake, changes) };
}

describe('WebGPU runner', () => {
  it('times with an error under 1 % where timestamps are rounded to 65,536 ns', async () => {
    const { measurement, log } = await run({ launchMs: 0.02, stamp: rounded(65_536) });
    assert.equal(measurement.outcome, 'correct', measurement.message);
    const timing = measurement.timing!;
    assert.equal(timing.timer, 'timestamp-query');
    assert.equal(timing.quantumNs, 65_536);
    assert.ok(timing.batch! * 0.02 >= (100 * 65_536) / 1e6);
    assert.ok(timing.errorPercent < 1);
    assert.ok(Math.abs(timing.medianMs - 0.02) <= (0.02 * timing.errorPercent) / 100);
    assert.ok(timing.samples >= 10);
    assert.ok(log.destroyed && log.buffers.every(({ destroyed }) => destroyed));
  });

  it('keeps its error under 1 % for any timer and launch that can be resolved', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.005, max: 90, noNaN: true }),
        fc.integer({ min: 1, max: 900_000 }),
        async (launchMs, quantumNs) => {
          const { measurement } = await run({ launchMs, stamp: rounded(quantumNs) });
          const { timing } = measurement;
          // A batch that cannot be doubled takes 100 ms at least; timestamps that never moved are
          // not used.
          if (timing?.timer !== 'timestamp-query') return;
          assert.ok(timing.errorPercent < 1, JSON.stringify(timing));
          const off = Math.abs(timing.medianMs - launchMs) / launchMs;
          assert.ok(100 * off <= timing.errorPercent, `${off} ${JSON.stringify(timing)}`);
        },
      ),
      { ...runs(40) },
    );
  });

  it('restarts with longer batches when launches become faster', async () => {
    let submits = 0;
    const launchMs = (): number => (submits < 25 ? 0.2 : 0.05);
    const { measurement } = await run({
      launchMs,
      stamp: rounded(65_536),
      onSubmit: submit => (submits = submit),
    });
    const { errorPercent, medianMs } = measurement.timing!;
    assert.ok(errorPercent < 1, `${errorPercent}`);
    assert.ok(Math.abs(medianMs - 0.05) < 0.0005);
  });

  it('reports the error if no safe submit brings it under 1 %', async () => {
    const { measurement } = await run({ features: [], clock: ms => Math.floor(ms / 3) * 3 });
    const { timing } = measurement;
    assert.ok(timing!.errorPercent > 1 && timing!.errorPercent <= 5, `${timing!.errorPercent}`);
  });

  it('submits no more than about 200 ms at once, and fewer samples of a slow kernel', async () => {
    const coarse = await run({ launchMs: 30, stamp: rounded(10_000_000) });
    assert.ok(Math.max(...coarse.log.submits) <= 250);
    const slow = await run({ launchMs: 2000 });
    assert.equal(slow.measurement.outcome, 'correct');
    assert.equal(slow.measurement.timing!.batch, 1);
    assert.equal(slow.measurement.timing!.samples, 5);
    assert.equal(slow.measurement.timing!.intervalMs, undefined);
  });

  it('takes the six samples that an interval requires, unless they take longer than 10 s', async () => {
    const timed = async (launchMs: number) => (await run({ launchMs })).measurement.timing!;
    const [second, long] = [await timed(1000), await timed(4000)];
    assert.equal(second.samples, 6);
    assert.ok(second.intervalMs !== undefined);
    assert.deepEqual([long.samples, long.intervalMs], [3, undefined]);
  });

  it('measures the ceilings of its adapter once', async () => {
    const fake = fakeGpu();
    const first = await start(fake);
    assert.ok(first.ceilings!.gflops! > 0 && first.ceilings!.bandwidthGBps! > 0);
    const submits = fake.log.submits.length;
    const second = await start(fake);
    assert.deepEqual(second.ceilings, first.ceilings);
    assert.ok(fake.log.submits.length - submits < submits);
  });

  it('measures ceilings again after a run exceeds them', async () => {
    const fake = fakeGpu();
    const first = await start(fake);
    const { gflops = 0, bandwidthGBps = 0 } = first.ceilings!;
    const [key = ''] = fake.env.ceilings.keys();
    const low = first.timing!.gflops / 2;
    fake.env.ceilings.set(key, { ...first.ceilings!, gflops: low, bandwidthGBps: 1e6 });
    const second = await start(fake);
    assert.ok(second.ceilings!.gflops! > low && gflops > low);
    assert.equal(second.ceilings!.bandwidthGBps, 1e6, 'what it once reached, it can');
    assert.ok(bandwidthGBps < 1e6);
  });

  const broken: Record<string, FakeOptions> = {
    'are not there': { features: [] },
    'read 0': { stamp: () => 0 },
    'run backwards': { stamp: ns => 1e12 - ns },
    'jump back now and then': { stamp: (ns, i) => (i > 400 && i % 2 === 1 ? 0 : ns) },
    'stand still once the kernel runs': { stamp: (ns, i) => (i < 400 ? ns : 1e9) },
    'claim more than the host waited': { stamp: (ns, i) => (i < 400 ? ns : ns * 100) },
  };
  for (const [what, options] of Object.entries(broken)) {
    it(`falls back to the wall clock when timestamps ${what}`, async () => {
      const { measurement } = await run(options);
      assert.equal(measurement.outcome, 'correct', measurement.message);
      const timing = measurement.timing!;
      assert.equal(timing.timer, 'wall-clock');
      assert.ok(timing.batch! * timing.medianMs >= 50);
      assert.ok(timing.quantumNs > 0 && timing.errorPercent <= 5);
      assert.ok(Math.abs(timing.medianMs - 0.02) < 0.001);
    });
  }

  it('reports no rate when the timer is too coarse', async () => {
    const { measurement } = await run({ features: [], clock: ms => Math.floor(ms / 20) * 20 });
    assert.equal(measurement.outcome, 'correct');
    assert.equal(measurement.timing, undefined);
    assert.match(measurement.message!, /No rate: the timer \(wall-clock\)/);
    const still = await run({ features: [], clock: () => 5 });
    assert.equal(still.measurement.timing, undefined);
  });

  it('ends as launch-error when the device is lost, without retry; the next run works', async () => {
    let losing = true;
    const fake = fakeGpu({
      onSubmit: submit => {
        if (losing && submit >= 5) fake.lose('the driver was reset.');
      },
    });
    const first = await start(fake);
    assert.equal(first.outcome, 'launch-error');
    assert.match(first.message!, /was lost: the driver was reset. The run is not retried/);
    assert.equal(first.timing, undefined);
    assert.equal(first.verification.mismatches, 0);
    assert.equal(fake.log.devices, 1);
    assert.equal(fake.log.submits.length, 6);
    const second = await start(fake);
    assert.equal(second.outcome, 'launch-error');
    assert.match(second.message!, /lost again \(2 times in total\): the driver.* Reload it\./);
    losing = false;
    assert.equal((await start(fake)).outcome, 'correct');
    assert.deepEqual(fake.env.losses, { count: 2 });
  });

  /** What is wrong, what is said, and whether it can be made right by reloading. */
  const within: Record<string, readonly [FakeOptions, object, RegExp]> = {
    'a kernel never ends': [{ hangsAt: 1 }, {}, /within 4 s.* Reload it\./],
    'a batch never ends': [{ hangsAt: 6 }, {}, /within 4 s.* Reload it\./],
    'there is no adapter': [{ gpu: 'no adapter' }, {}, /no adapter.* Get a driver\./],
    'no adapter answers': [{ gpu: 'silent' }, {}, /did not respond.* Reload it\./],
    'no device answers': [{ gpu: 'no device' }, {}, /returned no device within 5 s.* Reload it\./],
    'memory is out': [
      { scopeError: { filter: 'out-of-memory', message: '' } },
      {},
      /out of memory/,
    ],
    'a buffer is too large': [{ limits: { maxBufferSize: 512 } }, {}, /1024 required.* 512/],
    'the WGSL is invalid': [
      { messages: [{ type: 'error', lineNum: 4, linePos: 9, message: 'expected ;' }] },
      {},
      /^4:9 expected ;$/,
    ],
  };
  for (const [what, [options, changes, said]] of Object.entries(within)) {
    it(`reports within 6 s that ${what}`, async () => {
      const { measurement, log } = await run(options, changes);
      assert.match(measurement.message!, said);
      assert.ok(log.waitedMs <= 5000, `waited ${log.waitedMs} ms`);
    });
  }

  for (const [what, hangsAt, features] of [
    ['the first launch', 1, ['timestamp-query']],
    ['a timed batch', 6, ['timestamp-query']],
    ['a wall-clock batch', 14, []],
  ] as const) {
    it(`ends as timeout when ${what} never settles`, async () => {
      const { measurement, log } = await run({ hangsAt, features });
      assert.equal(measurement.outcome, 'timeout');
      assert.match(measurement.message!, /4 s/);
      assert.equal(measurement.timing, undefined);
      await new Promise(resolve => setTimeout(resolve, 5));
      assert.ok(log.destroyed);
      assert.equal(log.devices, 1);
    });
  }

  it('never times while hidden', async () => {
    const fake = fakeGpu({
      onSubmit: submit => {
        if (submit === 4) fake.hide();
      },
    });
    const measurement = await start(fake);
    assert.equal(measurement.outcome, 'cancelled');
    assert.match(measurement.message!, /hidden/);
    assert.equal(measurement.timing, undefined);
    const again = await start(fake);
    assert.equal(again.outcome, 'cancelled');
    assert.equal(fake.log.devices, 1);
  });

  it('is cancelled before and during a run', async () => {
    const abort = new AbortController();
    const fake = fakeGpu({
      onSubmit: submit => {
        if (submit === 4) abort.abort();
      },
    });
    assert.equal((await start(fake, {}, abort)).outcome, 'cancelled');
    const submits = fake.log.submits.length;
    assert.equal((await start(fake, {}, abort)).outcome, 'cancelled');
    assert.equal(fake.log.submits.length, submits);
  });

  it('gives compile errors their line and column', async () => {
    const error = { type: 'error', lineNum: 4, linePos: 9, message: 'expected ;' };
    const warning = { ...error, type: 'warning', message: 'unused' };
    const { measurement, log } = await run({ messages: [warning, error] });
    assert.equal(measurement.outcome, 'compile-error');
    assert.equal(measurement.message, '4:9 expected ;');
    assert.equal(log.submits.length, 0);
  });

  it('finds elements that were never written, and does not time them', async () => {
    const { measurement } = await run({ kernel: 'writes nothing' });
    assert.equal(measurement.outcome, 'incorrect');
    assert.equal(measurement.verification.mismatches, 256);
    assert.equal(measurement.timing, undefined);
  });

  for (const [gpu, why] of [
    ['absent', /WebGPU is not available\. Get WebGPU./],
    ['no adapter', /has no adapter.* Get a driver./],
    ['rejects', /no driver today Get a driver./],
    ['silent', /did not respond.* Reload it/],
  ] as const) {
    it(`is unavailable with a reason when WebGPU is: ${gpu}`, async () => {
      const { measurement, env } = await run({ gpu });
      assert.equal(measurement.outcome, 'unavailable');
      assert.match(measurement.message!, why);
      const probed = await probeWebgpu(env);
      assert.ok(!probed.available && probed.next !== '');
    });
  }

  it('checks limits with their numbers before it creates anything', async () => {
    const tooSmall = await run({ limits: { maxStorageBufferBindingSize: 512 } });
    assert.equal(tooSmall.measurement.outcome, 'constraint');
    assert.match(tooSmall.measurement.message!, /Matrix A, bytes: 1024 required.* allows 512/);
    const wide = { block: { x: 32, y: 32, z: 1 }, grid: { x: 70_000, y: 1, z: 1 } };
    const tooWide = await run({}, wide);
    assert.match(tooWide.measurement.message!, /1024 required, but this adapter allows 256/);
    assert.match(tooWide.measurement.message!, /70000 required, but this adapter allows 65535/);
    const half = await run({}, { source: `enable f16;\n${CORRECT}` });
    assert.match(half.measurement.message!, /shader-f16/);
    const cuda = await run({}, { target: 'cuda' });
    assert.match(cuda.measurement.message!, /CUDA/);
    const double = problemOf(16, 16, 16);
    const doubles = { problem: { ...double, a: { ...double.a, dtype: 'f64' } } };
    assert.equal((await run({}, doubles)).measurement.outcome, 'constraint');
    for (const { log } of [tooSmall, tooWide, half, cuda]) assert.equal(log.devices, 0);
  });

  it('distinguishes out of memory from other errors', async () => {
    const memory = await run({ scopeError: { filter: 'out-of-memory', message: '4 GiB' } });
    assert.equal(memory.measurement.outcome, 'constraint');
    assert.match(memory.measurement.message!, /out of memory. 4 GiB/);
    const invalid = await run({ scopeError: { filter: 'validation', message: 'binding 3' } });
    assert.equal(invalid.measurement.outcome, 'launch-error');
    assert.match(invalid.measurement.message!, /binding 3/);
    assert.ok(invalid.log.destroyed);
  });
});
