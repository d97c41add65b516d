/** What stands above a kernel and in a notification: real kernels, analysed. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import { doubtfulCeiling } from '../../../src/core/roofline/doubtfulCeiling';
import { emit, kernelKey } from '../../../src/core/kernel/emit';
import { hashText } from '../../../src/core/text/hash';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import {
  isRunOf,
  occupancyText,
  rooflineOfRun,
  rooflineShareText,
  runText,
} from '../../../src/extension/runs/lensText';
import { forEveryTarget, newestOfSpec } from '../../../src/extension/documents/specRuns';
import { reloadHelps, resultText, severityOf } from '../../../src/extension/runs/resultText';

const resolved = resolve({ problem: { m: 256, n: 256, k: 256 } });

function kernel(target: 'cuda' | 'wgsl') {
  const planned = plan(resolved, target);
  assert.ok(planned.ok);
  return emit(planned.plan);
}

const wgsl = kernel('wgsl');
const ADAPTER = 'vendor architecture device';

const run = (source: string, gflops: number): Measurement => ({
  specKey: wgsl.specKey,
  kernelKey: kernelKey({ source, architecture: ADAPTER, compiler: 'tint', flags: [] }),
  sourceHash: hashText(source),
  resolved,
  backend: 'webgpu',
  device: { name: 'Some GPU', adapter: ADAPTER, driver: '1', where: 'webview' },
  outcome: 'correct',
  verification: { reference: 'f64', maxError: 1e-6, bound: 1e-5, mismatches: 0, samples: 65536 },
  timing: {
    timer: 'timestamp-query',
    quantumNs: 1,
    warmUp: 1,
    samples: 3,
    cache: 'warm',
    medianMs: 1,
    iqrMs: 0.03,
    minMs: 1,
    gflops,
    errorPercent: 0.5,
    inputs: 'uniform [-1, 1)',
  },
  ceilings: { gflops: 1000, bandwidthGBps: 1000, how: 'here' },
});

describe('the CodeLens', () => {
  it('shows what limits the occupancy, if rules are known', () => {
    const text = occupancyText(analyze(kernel('cuda'), { device: 'h200' }));
    assert.match(text ?? '', /^occupancy \d+ % \((threads|registers|shared-memory|blocks)/);
    assert.equal(occupancyText(analyze(wgsl, { device: 'apple-m4' })), null);
  });

  it('shows the percent of the roofline of the machine that ran it', () => {
    const measured = run(wgsl.source, 610);
    const analysis = analyze(wgsl, { device: 'h200', measurements: [measured] });
    assert.equal(rooflineShareText(analysis, measured), '61 % of roofline');
    assert.equal(rooflineShareText(analysis, undefined), 'not measured');
  });

  it('marks a ceiling as uncertain if a run exceeds it', () => {
    const measured = run(wgsl.source, 1200);
    const analysis = analyze(wgsl, { device: 'h200', measurements: [measured] });
    assert.equal(rooflineShareText(analysis, measured), '120 % of roofline (uncertain ceiling)');
    const own = rooflineOfRun(analysis, measured);
    assert.ok(own);
    const doubt = doubtfulCeiling(own);
    assert.deepEqual([doubt?.ceiling.value, doubt?.point.tflops], [1, 1.2]);
    const within = run(wgsl.source, 1004);
    const close = analyze(wgsl, { device: 'h200', measurements: [within] });
    const [roofline] = close.machineRooflines;
    assert.ok(roofline);
    assert.equal(doubtfulCeiling(roofline), undefined, 'within the timer’s error of 0.5 %');
  });

  it('never shows results of the original for an edited kernel', () => {
    const measured = run(wgsl.source, 610);
    assert.ok(isRunOf(wgsl.source)(measured));
    assert.ok(!isRunOf(`${wgsl.source} `)(measured));
    const old = { ...measured };
    delete old.sourceHash;
    assert.ok(!isRunOf(wgsl.source)(old), 'a run of an older version names no text');
  });

  it('shows the rate with interval and machine in the tooltip', () => {
    const text = runText(run(wgsl.source, 610));
    assert.equal(text, '610 GFLOP/s (interval unknown) on Some GPU');
    assert.equal(runText(undefined), 'No timed run of this kernel source yet');
  });

  it('shows the rate of the other language, and marks stale rates', () => {
    const cuda = kernel('cuda');
    const analysis = analyze(cuda, { device: 'h200' });
    const ofSpec = newestOfSpec(forEveryTarget(resolved), [run(wgsl.source, 0.1)]);
    assert.equal(rooflineShareText(analysis, undefined, ofSpec), 'WebGPU 0.1 GFLOP/s');
    assert.match(runText(undefined, ofSpec), /^0\.1 GFLOP\/s .* on Some GPU$/);
    const old = newestOfSpec(forEveryTarget(resolved), [run(`${wgsl.source}// older`, 0.1)]);
    assert.equal(rooflineShareText(analysis, undefined, old), 'WebGPU 0.1 GFLOP/s (stale)');
    assert.match(runText(undefined, old), /; kernel source changed since$/);
    const verified = { ...run(wgsl.source, 0.1) };
    delete verified.timing;
    assert.equal(
      rooflineShareText(analysis, undefined, newestOfSpec(forEveryTarget(resolved), [verified])),
      'not measured',
    );
  });

  it("uses the roofline of the newest run's machine, not of an equally fast one", () => {
    const here = run(wgsl.source, 610);
    const elsewhere: Measurement = {
      ...here,
      device: { ...here.device, name: 'Other GPU' },
      ceilings: { gflops: 610, bandwidthGBps: 1000, how: 'there' },
    };
    const measurements = [elsewhere, here];
    const analysis = analyze(wgsl, { device: 'h200', measurements });
    assert.equal(rooflineShareText(analysis, here), '61 % of roofline');
    assert.equal(rooflineShareText(analysis, elsewhere), '100 % of roofline');
  });
});

describe('the result of a run', () => {
  it('shows a rate only with its interval', () => {
    const text = resultText(run(wgsl.source, 610));
    assert.match(text, /^Correct, 610 GFLOP\/s \(interval unknown\), 1 ms: /);
    assert.match(text, /on Some GPU, 65536 elements, largest error 1\.0e-6\./);
  });

  it('reports errors', () => {
    const wrong: Measurement = {
      ...run(wgsl.source, 1),
      outcome: 'incorrect',
      message: 'Element 3 is off.',
    };
    assert.match(resultText(wrong), /^Incorrect\. Element 3 is off\. \(thread-tile-2d-256\)$/);
    assert.equal(severityOf(wrong), 'error');
    assert.equal(severityOf({ ...wrong, outcome: 'cancelled' }), 'warning');
  });

  it('offers to reload the window only if its GPU may be blocked or lost', () => {
    const ran: Measurement = { ...run(wgsl.source, 1), backend: 'webgpu' };
    for (const outcome of ['timeout', 'launch-error', 'unavailable'] as const) {
      assert.ok(reloadHelps({ ...ran, outcome }), outcome);
      assert.ok(!reloadHelps({ ...ran, outcome, backend: 'cuda' }));
      assert.ok(!reloadHelps({ ...ran, outcome, device: { ...ran.device, where: 'browser' } }));
    }
    for (const outcome of ['correct', 'incorrect', 'compile-error', 'constraint'] as const) {
      assert.ok(!reloadHelps({ ...ran, outcome }), outcome);
    }
  });
});
