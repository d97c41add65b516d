/** A tune on the WebGPU runner, whose timestamps are rounded to 65,536 ns as browsers do. */
import assert from 'node:assert/strict';
import type { Kernel } from '../../src/core/kernel/kernel';
import { kernelKey } from '../../src/core/text/hash';
import { resolve } from '../../src/core/defaults/resolve';
import { transientStore, type Bench } from '../../src/core/search/tune/bench';
import { parseSpace } from '../../src/core/search/tune/spaceFile';
import { tune } from '../../src/core/search/tune/tune';
import { runOnWebgpu } from '../../src/webgpu/run';
import { fakeContext, hashed } from '../core/search/tune/fakeBench';
import { fakeGpu, type FakeOptions } from './fakeGpu';

const spec = resolve({ problem: { m: 32, n: 32, k: 32 }, targets: ['wgsl'] });
const place = { backend: 'webgpu', target: 'wgsl', device: 'h200', gpus: ['fake'] } as const;
const SPACE = { algorithm: ['naive', 'coalesced'], 'block.m': [8, 16], 'block.n': [8, 16] };

async function tuned(options: FakeOptions) {
  const { env } = fakeGpu(options);
  const bench: Bench<Kernel> = {
    gpus: ['fake'],
    compilers: 1,
    keyOf: ({ source }) => kernelKey({ source, architecture: 'fake', compiler: 'fake', flags: [] }),
    prepare: kernel => Promise.resolve({ ok: true, prepared: kernel }),
    measure: (_, runnable, { effort, abort }) =>
      runOnWebgpu(
        env,
        { runnable, mode: 'time', seed: 1, effort },
        { abort, progress: () => undefined },
      ),
  };
  const decoded = parseSpace(JSON.stringify(SPACE), { problem: spec.problem, schedule: {} });
  assert.ok(decoded.ok);
  const context = fakeContext({});
  const input = { spec, place, space: decoded.space, seeds: [], notes: [], exhaustive: true };
  return { summary: await tune(input, bench, transientStore(), context), events: context.events };
}

const stamp = (ns: number): number => Math.floor(ns / 65_536) * 65_536;
/** A time of its own for each text, up to `spread` above the fastest. */
const launchMs =
  (spread: number) =>
  (_: number, code: string): number =>
    0.3 * (1 + spread * hashed(code));

describe('tune on WebGPU', function () {
  this.timeout(30_000);

  it('ties what differs by less than the error of a timer of 65,536 ns, and says so', async () => {
    const { summary, events } = await tuned({ stamp, launchMs: launchMs(0.004) });
    assert.equal(summary.failures.length, 0, JSON.stringify(summary.failures));
    assert.equal(summary.ties.length, summary.space.legal);
    assert.deepEqual(summary.others, []);
    assert.ok(!events.some(({ type }) => type === 'dropped'));
    assert.match(
      summary.notes.join(),
      /\d schedules are tied: they differ by less than their timing errors/,
    );
    for (const { errorPercent, timerPercent } of summary.ties) {
      assert.ok(timerPercent > 0.3 && timerPercent < 1 && errorPercent >= timerPercent);
    }
  });

  it('ranks what differs by more', async () => {
    const { summary } = await tuned({ stamp, launchMs: launchMs(1) });
    const times = [...summary.ties, ...summary.others].map(({ medianMs }) => medianMs);
    assert.equal(summary.winner?.medianMs, Math.min(...times));
    assert.ok(summary.others.length > 0);
  });

  it('names no winner where the timer’s own error is above 1 %, and says that error', async () => {
    const clock = (ms: number): number => Math.floor(ms / 3) * 3;
    const { summary } = await tuned({ features: [], clock, launchMs: launchMs(0.01) });
    assert.equal(summary.winner, null);
    assert.equal(summary.ties.length, summary.space.legal);
    assert.match(
      summary.notes.join(),
      /Not ranked: the timer’s error is [\d.]+ %, and 8 schedules/,
    );
  });
});
