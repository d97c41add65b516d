/** The webgpu backend through Dawn: real kernels on whatever adapter this machine has. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Runnable } from '../../src/core/kernel/kernel';
import type { Backend } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import { emit } from '../../src/core/kernel/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { dawnBackend, validateWgsl } from '../../src/host/dawn/backend';
import { sampled } from '../helpers/depth';
import * as fixtures from './fixtures';

const options = { worker: path.resolve('dist/dawnWorker.js'), where: 'cli' };
const { problemOf, runnableOf } = fixtures;

/** Children of this process that run the worker, where the system lists them as files. */
const workersLeft = (): readonly string[] => {
  const tasks = '/proc/self/task';
  if (!existsSync(tasks)) return [];
  const children = readdirSync(tasks).flatMap(task =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const commands = children.map(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  return commands.filter(command => command.includes(options.worker));
};

const quiet = () => ({ abort: new AbortController().signal, progress: () => undefined });

describe('Dawn', function () {
  this.timeout(30_000);
  let backend: Backend;
  let missing: string | undefined;

  before(async function () {
    backend = dawnBackend(options);
    if (!existsSync(options.worker)) missing = 'dist/dawnWorker.js is not built';
    const answer = await backend.probe();
    if (!answer.available) missing ??= `no adapter: ${answer.why} ${answer.next}`;
  });

  const needsAdapter = (title: string, test: () => Promise<void>) =>
    it(title, async function () {
      if (missing !== undefined) {
        this.test!.title += ` (skipped: ${missing})`;
        this.skip();
      }
      await test();
    });

  const run = (runnable: Runnable, mode: 'verify' | 'time'): Promise<Measurement> =>
    backend.run({ runnable, mode, seed: 7 }, quiet());

  needsAdapter(
    'verifies and times a correct kernel, beside the ceilings of its adapter',
    async () => {
      const begin = performance.now();
      const measurement = await run(runnableOf(fixtures.CORRECT, problemOf(96, 80, 72)), 'time');
      assert.equal(measurement.outcome, 'correct', measurement.message);
      assert.equal(measurement.verification.samples, 96 * 80);
      assert.equal(measurement.verification.mismatches, 0);
      const { timing, ceilings } = measurement;
      assert.ok(timing !== undefined && timing.samples >= 3);
      assert.ok(timing.gflops > 0 && timing.errorPercent <= 5);
      assert.ok(ceilings?.gflops !== undefined && ceilings.bandwidthGBps !== undefined);
      assert.ok(timing.gflops < ceilings.gflops, 'a kernel stands under its own roof');
      assert.notEqual(measurement.device.adapter, 'none');
      assert.ok(performance.now() - begin < 8000);
    },
  );

  needsAdapter(
    'measures the ceilings once an adapter, within seconds also where others work',
    async () => {
      const fresh = dawnBackend(options);
      const stages: { stage: string; at: number }[] = [];
      const context = {
        ...quiet(),
        progress: ({ stage }: { stage: string }) => stages.push({ stage, at: performance.now() }),
      };
      const request = {
        runnable: runnableOf(fixtures.CORRECT, problemOf(32, 32, 32)),
        mode: 'time',
        seed: 1,
      } as const;
      const first = await fresh.run(request, context);
      const took =
        performance.now() - stages.findLast(({ stage }) => stage.includes('ceilings'))!.at;
      assert.ok(took < 8000, `${took} ms`);
      stages.length = 0;
      const second = await fresh.run(request, context);
      assert.deepEqual(second.ceilings, first.ceilings);
      assert.ok(!stages.some(({ stage }) => stage.includes('ceilings')));
    },
  );

  needsAdapter('passes alpha, beta and leading dimensions, in f32 and s32', async () => {
    const padded = problemOf(33, 21, 17, { alpha: 0.5, beta: -0.25 });
    const wide = { ...padded, a: { ...padded.a, ld: 19 }, c: { ...padded.c, ld: 30 } };
    const float = await run(runnableOf(fixtures.ACCUMULATING, wide), 'verify');
    assert.equal(float.outcome, 'correct', float.message);
    assert.equal(float.timing, undefined);
    const integers = problemOf(40, 24, 32, { dtype: 's32', alpha: 3, beta: -2 });
    const whole = await run(runnableOf(fixtures.CORRECT_INTEGER, integers), 'verify');
    assert.equal(whole.outcome, 'correct', whole.message);
    assert.equal(whole.verification.maxError, 0);
  });

  needsAdapter('leaves out bounds checks where it is told to, and says so', async () => {
    const request = {
      runnable: runnableOf(fixtures.PAST_ITS_END, problemOf(16, 16, 16)),
      ...({ mode: 'verify', seed: 7 } as const),
    };
    const checked = await backend.run(request, quiet());
    assert.equal(checked.outcome, 'correct', checked.message);
    assert.equal(checked.device.robustness, 'on');
    const unchecked = await dawnBackend({ ...options, robustness: 'off' }).run(request, quiet());
    assert.equal(unchecked.outcome, 'incorrect');
    assert.equal(unchecked.device.robustness, 'off');
    assert.match(unchecked.device.name, /, bounds checks off$/);
    assert.notEqual(unchecked.kernelKey, checked.kernelKey);
  });

  needsAdapter('hands what a quad loads around, at every edge', async () => {
    const schedule: GemmSpec['schedule'] = {
      algorithm: 'register-tile',
      sharing: 'quad',
      vector: 4,
      block: { m: 16, n: 32, k: 8 },
      thread: { m: 4, n: 4 },
    };
    for (const b of [{ layout: 'row' }, { layout: 'col' }] as const) {
      for (const problem of [
        { m: 37, n: 45, k: 29, b, alpha: 2, beta: -1 },
        { m: 16, n: 64, k: 36, b, batch: 2, c: { layout: 'col' } },
      ] as const) {
        const planned = plan(resolve({ problem, schedule }), 'wgsl');
        assert.ok(planned.ok, JSON.stringify(planned));
        const { outcome, message } = await run(emit(planned.plan), 'verify');
        // Adapters need not have subgroups.
        if (outcome === 'constraint') assert.match(message ?? '', /enables subgroups/);
        else assert.equal(outcome, 'correct', message);
      }
    }
  });

  needsAdapter('adds the partial results of gemv, at every edge', async () => {
    const schedule: GemmSpec['schedule'] = {
      algorithm: 'gemv',
      vector: 4,
      block: { m: 3, n: 8, k: 128 },
      thread: { m: 3, n: 2, k: 8 },
    };
    for (const b of [{ layout: 'row' }, { layout: 'col' }] as const) {
      for (const problem of [
        { m: 1, n: 45, k: 301, b, alpha: 2, beta: -1 },
        { m: 3, n: 64, k: 260, b, batch: 2, c: { layout: 'col' } },
        { m: 4, n: 24, k: 512, a: { layout: 'col' }, b },
      ] as const) {
        const planned = plan(resolve({ problem, schedule }), 'wgsl');
        assert.ok(planned.ok, JSON.stringify(planned));
        const { outcome, message } = await run(emit(planned.plan), 'verify');
        assert.equal(outcome, 'correct', message);
      }
    }
  });

  needsAdapter('never times a wrong result', async () => {
    const measurement = await run(runnableOf(fixtures.WRONG, problemOf(64, 64, 64)), 'time');
    assert.equal(measurement.outcome, 'incorrect');
    assert.equal(measurement.timing, undefined);
    assert.match(measurement.message ?? '', /409\d of 4096 elements/);
  });

  needsAdapter('says what the compiler says, and where', async () => {
    const measurement = await run(runnableOf(fixtures.BROKEN, problemOf(16, 16, 16)), 'time');
    assert.equal(measurement.outcome, 'compile-error');
    assert.match(measurement.message ?? '', /^10:20 unresolved value 'missing'/);
  });

  needsAdapter('ends an endless kernel within 6 s, with nothing left running', async () => {
    const begin = performance.now();
    const measurement = await run(runnableOf(fixtures.ENDLESS, problemOf(64, 64, 64)), 'time');
    assert.equal(measurement.outcome, 'timeout');
    assert.ok(performance.now() - begin < 6000);
    assert.deepEqual(workersLeft(), []);
  });

  needsAdapter('is cancelled at once, with nothing left running', async () => {
    const controller = new AbortController();
    const runnable = runnableOf(fixtures.ENDLESS, problemOf(64, 64, 64));
    const pending = backend.run(
      { runnable, mode: 'time', seed: 1 },
      {
        abort: controller.signal,
        progress: ({ stage }) => {
          if (stage === 'Running') controller.abort();
        },
      },
    );
    const begin = performance.now();
    assert.equal((await pending).outcome, 'cancelled');
    assert.ok(performance.now() - begin < 3000);
    assert.deepEqual(workersLeft(), []);
  });

  for (const algorithm of sampled([
    'naive',
    'coalesced',
    'shared-tile',
    'thread-tile-2d',
    'vectorized',
    'warp-tile',
    'pipelined',
  ] as const)) {
    needsAdapter(`runs what the emitter writes: ${algorithm}`, async () => {
      const problem = { m: 70, n: 50, k: 37 };
      const planned = plan(resolve({ problem, schedule: { algorithm } }), 'wgsl');
      assert.ok(planned.ok, JSON.stringify(planned));
      const measurement = await run(emit(planned.plan), 'verify');
      assert.equal(measurement.outcome, 'correct', measurement.message);
    });
  }

  needsAdapter('cuts what is long into parts that are right, whatever its layouts', async () => {
    const impatient = dawnBackend({ ...options, submitMs: 1 });
    const [row, col] = [{ layout: 'row' }, { layout: 'col' }] as const;
    const size = { m: 200, n: 330, k: 61 };
    const block = { m: 16, n: 16, k: 4 };
    const vectors = { block, thread: { m: 2, n: 4 }, raster: { group: 4 } };
    const cases = [
      [
        { ...size, a: col, b: row, c: col, batch: 3 },
        { algorithm: 'vectorized', ...vectors },
      ],
      [{ ...size, a: row, b: col, c: row, alpha: 2, beta: -0.5 }, { algorithm: 'naive' }],
      [size, { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 4 }, splitK: 3 }],
    ] as const;
    for (const [problem, schedule] of cases) {
      const planned = plan(resolve({ problem, schedule }), 'wgsl');
      assert.ok(planned.ok, JSON.stringify(planned));
      const fractions = new Set<number>();
      const measurement = await impatient.run(
        { runnable: emit(planned.plan), mode: 'verify', seed: 7 },
        {
          ...quiet(),
          progress: ({ fraction }) => {
            if (fraction !== undefined) fractions.add(fraction);
          },
        },
      );
      assert.equal(measurement.outcome, 'correct', `${schedule.algorithm}: ${measurement.message}`);
      assert.ok(fractions.size >= 2, `${schedule.algorithm} went in ${fractions.size + 1} parts`);
    }
  });

  needsAdapter('runs a batch, and sees a product that is missing', async () => {
    const problem = {
      m: 40,
      n: 36,
      k: 24,
      batch: 3,
      a: { batchStride: 0 },
      c: { batchStride: 1444 },
    };
    const block = { m: 8, n: 8, k: 4 };
    const schedule = { algorithm: 'shared-tile', block } as const;
    const planned = plan(resolve({ problem, schedule }), 'wgsl');
    assert.ok(planned.ok, JSON.stringify(planned));
    const kernel = emit(planned.plan);
    const whole = await run(kernel, 'verify');
    assert.equal(whole.outcome, 'correct', whole.message);
    assert.equal(whole.verification.samples, 3 * 40 * 36);
    const short = await run({ ...kernel, grid: { ...kernel.grid, z: 2 } }, 'verify');
    assert.equal(short.outcome, 'incorrect');
    assert.equal(short.verification.mismatches, 40 * 36);
  });

  needsAdapter('runs the launches of split-K in order, and sees one that is missing', async () => {
    const problem = { m: 33, n: 36, k: 90, batch: 2, alpha: 2, beta: 1 };
    const block = { m: 8, n: 8, k: 4 };
    const schedule = { algorithm: 'shared-tile', block, splitK: 3 } as const;
    const planned = plan(resolve({ problem, schedule }), 'wgsl');
    assert.ok(planned.ok, JSON.stringify(planned));
    const kernel = emit(planned.plan);
    const whole = await run(kernel, 'verify');
    assert.equal(whole.outcome, 'correct', whole.message);
    const { after, ...alone } = kernel;
    assert.equal(after?.length, 1);
    assert.equal((await run(alone, 'verify')).outcome, 'incorrect');
  });

  it('says what is missing when the worker is not there', async () => {
    const answer = await dawnBackend({ ...options, worker: path.resolve('no/such.js') }).probe();
    assert.ok(!answer.available);
    assert.match(answer.why, /ended without a result/);
  });

  it('validates many WGSL texts without a driver', async function () {
    if (!existsSync(options.worker)) this.skip();
    const source = (size: string) => `@compute @workgroup_size(${size}) fn main() {}`;
    const large = { invocations: 1024, workgroupStorageBytes: 49_152 };
    const validated = await validateWgsl(options, [
      { source: fixtures.CORRECT },
      { source: fixtures.BROKEN },
      { source: source('32, 32') },
      { source: source('32, 32'), limits: large },
    ]);
    assert.ok(validated.ok, JSON.stringify(validated));
    const [correct, broken, tooLarge, allowed] = validated.messages;
    assert.deepEqual(correct, []);
    assert.deepEqual(broken, [{ line: 10, column: 20, message: "unresolved value 'missing'" }]);
    assert.match(tooLarge?.[0]?.message ?? '', /1024/);
    assert.deepEqual(allowed, []);
  });
});
