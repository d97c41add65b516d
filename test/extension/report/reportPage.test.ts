/** The report as a page: pictures, numbers, and no markup from names. */
import assert from 'node:assert/strict';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { toSpec } from '../../../src/core/spec/toSpec';
import { sourceHashOf } from '../../../src/core/text/hash';
import { reportOf } from '../../../src/extension/report/reportOf';
import { reportHtml } from '../../../src/core/charts/reportPage';
import { factsOf } from '../../../src/extension/runs/runText';
import { timed } from '../../helpers/measurements';

const resolved = resolve({
  problem: { m: 1024, n: 1024, k: 1024 },
  schedule: { algorithm: 'thread-tile-2d' },
});
const planned = plan(resolved, 'cuda');
assert.ok(planned.ok);
const kernel = emit(planned.plan);

const htmlOf = (runs: readonly Measurement[]): string => {
  const report = reportOf(
    { spec: toSpec(resolved) },
    { runs: () => runs, factsOf: () => undefined },
  );
  assert.ok(typeof report !== 'string');
  const roofline = rooflineChart(report.analysis.roofline, { width: 760, height: 460 });
  const { measurement } = report;
  const facts = measurement === null ? [] : factsOf(measurement, []);
  return reportHtml({ report, facts, runnable: kernel, roofline });
};
const { specKey } = kernel;
const base = timed({ gflops: 20_000, resolved, specKey, sourceHash: sourceHashOf(kernel) });
const run = (library: string): Measurement => ({
  ...base,
  ...(base.timing === undefined
    ? {}
    : { timing: { ...base.timing, intervalMs: [0.9, 1.1] as [number, number] } }),
  baseline: {
    name: library,
    medianMs: 0.5,
    gflops: 40_000,
    ratio: 0.5,
    intervalMs: [0.49, 0.51],
  },
});

describe('report page', () => {
  it('has the measured rate with its interval beside the library, and all pictures', () => {
    const html = htmlOf([run('cuBLAS')]);
    assert.match(html, /<h1>1024 x 1024 x 1024 f32: thread-tile-2d [^<]*<\/h1>/);
    assert.match(html, /<th scope="row">rate<\/th><td>20 TFLOP\/s \(18\.2 to 22\.2\)<\/td>/);
    for (const title of ['Measured', 'Roofline', 'Predicted', 'Occupancy', 'Bank conflicts'])
      assert.ok(html.includes(`<h2>${title}</h2>`), title);
    assert.ok((html.match(/<svg /g) ?? []).length >= 4, 'pictures');
    assert.match(html, />40 \(39\.2 to 40\.8\), 2x \(1\.\d+ to 2\.\d+\)</);
  });

  it('has no measured section without a run', () => {
    assert.ok(!htmlOf([]).includes('<h2>Measured</h2>'));
  });

  it('loads nothing and takes no markup from names', () => {
    const html = htmlOf([run('<script src="https://example.org/x.js"></script>')]);
    assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
    assert.doesNotMatch(html, /<script|<img|<link|javascript:/i);
    assert.ok(html.includes('&lt;script'));
  });
});
