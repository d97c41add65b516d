/** The Dawn backend on workers that hold their thread, or crash. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dawnBackend } from '../../src/host/dawn/backend';
import { CORRECT, problemOf, runnableOf } from './fixtures';

/** Answers a probe, and does `ends` instead of a run. */
const worker = (ends: string): string => `
const job = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const say = line => require('node:fs').writeSync(1, JSON.stringify(line) + '\\n');
const device = { name: 'fake', adapter: 'fake', driver: 'fake', where: 'test' };
if (job.type === 'probe') say({ type: 'availability', answer: { available: true, device } });
else { ${ends} }
`;

describe('Dawn backend', function () {
  this.timeout(30_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'gemm-dawn-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const runOn = (name: string, ends: string) => {
    const file = path.join(folder, `${name}.cjs`);
    writeFileSync(file, worker(ends));
    const backend = dawnBackend({ worker: file, where: 'test' });
    const runnable = runnableOf(CORRECT, problemOf(16, 16, 16));
    const context = { abort: new AbortController().signal, progress: () => undefined };
    return () => backend.run({ runnable, mode: 'verify', seed: 1 }, context);
  };

  it('abandons a driver that blocks the thread within 6 s', async () => {
    const run = runOn(
      'holds',
      "say({ type: 'progress', stage: 'Running', onGpu: true }); for (;;);",
    );
    const begin = performance.now();
    const measurement = await run();
    assert.equal(measurement.outcome, 'timeout');
    assert.match(measurement.message ?? '', /driver may hang. Check the GPU driver/);
    assert.ok(performance.now() - begin < 6000);
  });

  it('counts crashed processes and prints a remedy after the second', async () => {
    const run = runOn('crashes', 'process.abort();');
    const first = await run();
    assert.equal(first.outcome, 'launch-error');
    assert.match(first.message ?? '', /device was lost: The Dawn process ended.*SIGABRT/s);
    assert.ok(!first.message?.includes('Check the GPU driver'));
    const second = await run();
    assert.match(second.message ?? '', /lost again \(2 times in total\).*Check the GPU driver/s);
  });
});
