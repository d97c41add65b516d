/** The judge on WebGPU: names known ways to cheat in WGSL, and accuses no honest kernel. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { emit } from '../../src/core/kernel/emit';
import type { Runnable } from '../../src/core/kernel/kernel';
import type { Measurement } from '../../src/core/measure/measurement';
import { plan } from '../../src/core/plan/planner';
import { readKernelFile } from '../../src/core/source/kernelFile';
import { resolve } from '../../src/core/defaults/resolve';
import { ALGORITHMS } from '../../src/core/spec/schema';
import { JUDGE_IDS } from '../../src/core/verify/judge/ids';
import { dawnBackend } from '../../src/host/dawn/backend';
import { CONTEXT } from '../helpers/context';
import { isEnough, sampled } from '../helpers/depth';

const FOLDER = path.resolve('test/fixtures/wgslCheats');
const options = { worker: path.resolve('dist/dawnWorker.js'), where: 'cli' };
const backend = dawnBackend(options);

interface Cheat {
  readonly name: string;
  readonly source: string;
  readonly finding: string;
  readonly mode: 'verify' | 'time';
}

const cheats = readdirSync(FOLDER).map((name): Cheat => {
  const source = readFileSync(path.join(FOLDER, name), 'utf8');
  const [, finding, mode] = /^\/\/ Finding: ([\w-]+) \((verify|time)\)\.$/m.exec(source) ?? [];
  assert.ok(finding !== undefined && mode !== undefined, `${name} declares no finding`);
  return { name, source, finding, mode: mode === 'time' ? 'time' : 'verify' };
});

function runnableOf(source: string, name: string): Runnable {
  const read = readKernelFile(source, name);
  assert.ok(read.ok, `${name}: ${JSON.stringify(read)}`);
  return read.runnable;
}

const run = (runnable: Runnable, mode: 'verify' | 'time'): Promise<Measurement> =>
  backend.run({ runnable, mode, seed: 5 }, CONTEXT);

describe('the judge on WebGPU', function () {
  this.timeout(120_000);
  before(async function () {
    const answer = await backend.probe();
    if (existsSync(options.worker) && answer.available) return;
    this.test!.parent!.title += ` (skipped: ${answer.available ? 'no worker' : answer.why})`;
    this.skip();
  });

  it('has at least 16 ways to cheat, with findings that the judge defines', () => {
    assert.ok(cheats.length >= 16, String(cheats.length));
    for (const { name, finding } of cheats)
      assert.ok(
        JUDGE_IDS.some(id => id === finding),
        name,
      );
  });

  for (const { name, source, finding, mode } of cheats) {
    it(`names the cheat of ${name}: ${finding}`, async () => {
      const measurement = await run(runnableOf(source, name), mode);
      const { outcome, message, findings, timing } = measurement;
      const found = findings?.find(({ id }) => id === finding);
      assert.ok(found, JSON.stringify([outcome, message, findings]));
      assert.equal(outcome, 'incorrect', message);
      assert.equal(timing, undefined);
      assert.match(found.message, /Fix: /);
    });
  }

  it('rejects no honest kernel of any algorithm, also if its file was edited', async () => {
    let judged = 0;
    for (const algorithm of sampled(ALGORITHMS)) {
      const resolved = resolve({
        problem: { m: 64, n: 64, k: 64, beta: 0.5 },
        schedule: { algorithm },
        targets: ['wgsl'],
      });
      const planned = plan(resolved, 'wgsl');
      if (!planned.ok) continue;
      const kernel = emit(planned.plan);
      const edited = runnableOf(`${kernel.source}// edited\n`, `${algorithm}.wgsl`);
      const measurement = await run(edited, 'verify');
      if (measurement.outcome === 'constraint') continue;
      judged++;
      assert.equal(measurement.outcome, 'correct', `${algorithm}: ${measurement.message ?? ''}`);
      assert.deepEqual(measurement.findings ?? [], [], algorithm);
    }
    assert.ok(isEnough(judged, 5), String(judged));
  });
});
