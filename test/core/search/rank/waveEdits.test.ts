/**
 * Edits that fill waves: legal, really better by the same prediction, and none where nothing is to
 * be won.
 */
import assert from 'node:assert/strict';
import { kernelOf } from '../../../../scripts/grid/properties';
import { specOf } from '../../../../scripts/grid/specs';
import { analyze } from '../../../../src/core/report/analyze';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { rank } from '../../../../src/core/search/rank/rank';
import { waveEdits } from '../../../../src/core/search/rank/waveEdits';
import { resolve } from '../../../../src/core/defaults/resolve';
import { applyOverrides, decodeSpec } from '../../../../src/core/spec/decode';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { sampleOf } from '../../../helpers/depth';

const device = deviceOf('h200');

function editsOf(spec: GemmSpec) {
  const kernel = kernelOf(spec, 'cuda');
  assert.ok(kernel !== null);
  const { waves } = analyze(kernel, { device: 'h200' });
  return { kernel, waves, edits: waveEdits(kernel.plan, device, waves) };
}

const pipelined = (m: number, n: number, k: number): GemmSpec => ({
  problem: { m, n, k },
  schedule: {
    algorithm: 'pipelined',
    block: { m: 128, n: 128, k: 16 },
    stages: 2,
    vector: 4,
    warp: { m: 64, n: 32 },
    thread: { m: 8, n: 8 },
  },
});

describe('edits that fill waves', () => {
  it('are none where SMs share blocks evenly: 33 x 32 tiles on 132 SMs', () => {
    assert.deepEqual(editsOf(pipelined(4224, 4096, 4096)).edits, []);
  });

  it('cut a product of 64 tiles for 132 SMs', () => {
    const { edits, waves } = editsOf(pipelined(1024, 1024, 4096));
    assert.ok((waves?.balance.value ?? 1) < 0.95);
    const [best] = edits;
    assert.ok(best !== undefined && best.gain > 0.1);
    assert.ok(best.waves.balance.value > (waves?.balance.value ?? 1));
  });

  it('are legal, and gain what ranking them beside the present schedule says', () => {
    let seen = 0;
    for (let seed = 1; seed <= sampleOf(150, 50); seed++) {
      const spec = { ...specOf(seed), device: 'h200' };
      if (kernelOf(spec, 'cuda') === null) continue;
      const { kernel, edits } = editsOf(spec);
      for (const { changes, gain } of edits) {
        const overridden = applyOverrides(
          kernel.spec,
          changes.map(({ path, to }) => `${path}=${to}`),
        );
        assert.ok(overridden.ok);
        const decoded = decodeSpec(overridden.value);
        assert.ok(decoded.ok, `seed ${seed}`);
        const after = resolve(decoded.spec);
        const ranking = rank(kernel.spec, 2, [kernel.spec.schedule, after.schedule]);
        assert.ok(!('why' in ranking) && ranking.best.length === 2, `seed ${seed}`);
        const [one, other] = ranking.best.map(({ tflops }) => tflops);
        assert.ok(Math.abs((one ?? 0) / (other ?? 1) - 1 - gain) < 1e-9, `seed ${seed}`);
        seen++;
      }
    }
    assert.ok(seen >= 3, `${seen} edits`);
  }).timeout(60_000);

  it('are none for kernels that the closed forms do not cover, for WGSL, and without a calibration', () => {
    const naive: GemmSpec = {
      problem: { m: 100, n: 100, k: 100 },
      schedule: { algorithm: 'naive' },
    };
    assert.deepEqual(editsOf(naive).edits, []);
    const wgsl = kernelOf(
      { problem: { m: 500, n: 500, k: 500 }, schedule: { algorithm: 'warp-tile' } },
      'wgsl',
    );
    assert.ok(wgsl !== null);
    const { waves } = analyze(wgsl, { device: 'h200' });
    assert.deepEqual(waveEdits(wgsl.plan, device, waves), []);
    assert.deepEqual(waveEdits(wgsl.plan, device, null), []);
  });
});
