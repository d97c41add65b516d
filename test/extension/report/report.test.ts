/**
 * What a report is about: the newest run's kernel of a configuration, or the kernel that is
 * followed.
 */
import assert from 'node:assert/strict';
import { emit } from '../../../src/core/kernel/emit';
import { hashText } from '../../../src/core/text/hash';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { toSpec } from '../../../src/core/spec/toSpec';
import { reportOf, type ReportSubject } from '../../../src/extension/report/reportOf';

const resolved = resolve({ problem: { m: 256, n: 256, k: 256 } });
const spec = toSpec(resolved);
const OWN = `// @gemm {"problem":{"m":64,"n":64,"k":64},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["m","n","k","a","b","c"]}
__global__ void mine(int m, int n, int k, const float* a, const float* b, float* c) {}
`;

const run = (source: string, specKey: string): Measurement => ({
  specKey,
  kernelKey: 'k',
  sourceHash: hashText(source),
  resolved: null,
  backend: 'cuda',
  outcome: 'correct',
  device: { name: 'NVIDIA H200', adapter: 'compute capability 9.0', driver: '1', where: 'here' },
  verification: { reference: 'f64', maxError: 1e-6, bound: 1e-5, mismatches: 0, samples: 4096 },
});

const kernels = (['cuda', 'wgsl'] as const).map(target => {
  const planned = plan(resolved, target);
  assert.ok(planned.ok);
  return emit(planned.plan);
});
const own = readKernelFile(OWN, 'mine.cu');
assert.ok(own.ok);
const runs = [
  run(own.runnable.source, own.runnable.specKey),
  ...kernels.map(({ source, specKey }) => run(source, specKey)),
];

const report = (subject: ReportSubject) => {
  const made = reportOf(subject, { runs: () => runs, factsOf: () => undefined });
  assert.ok(typeof made !== 'string', 'there is something to report');
  return made;
};

describe('a report', () => {
  it('is about the configuration that is shown', () => {
    const { spec: reported, kernel, measurement, analysis } = report({ spec });
    assert.deepEqual(reported, spec);
    assert.equal(kernel.origin, 'generated');
    assert.equal(measurement?.sourceHash, kernel.sourceHash);
    assert.equal(analysis.traffic.dram.value, 4 * 3 * 256 * 256);
    assert.deepEqual(
      report({ spec }).levelRoofline?.levels.map(({ level }) => level),
      ['shared', 'l1', 'l2', 'dram'],
    );
  });

  it('is about the kernel that is followed, with no other kernel’s numbers', () => {
    const { runnable, origin } = own;
    const followed = { runnable, device: 'h200', own: { name: 'mine.cu', origin } };
    const { spec: reported, kernel, measurement, analysis } = report({ spec, followed });
    assert.equal(reported, null, 'no spec gives its text');
    assert.deepEqual(kernel, {
      name: 'mine.cu',
      entry: 'mine',
      origin: 'hand-written',
      problem: runnable.problem,
      sourceHash: hashText(runnable.source),
    });
    assert.equal(measurement?.sourceHash, hashText(runnable.source));
    assert.equal(analysis.traffic.dram.value, 4 * 3 * 64 * 64);
    assert.equal(report({ spec, followed }).levelRoofline, null);
  });
});
