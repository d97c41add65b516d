/** Runs as the Runs view gets them, of a spec with square tiles. */
import assert from 'node:assert/strict';
import { resolve } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import type { Measurement, Timing } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { specKey } from '../../../src/core/plan/specKey';
import { sourceHashOf } from '../../../src/core/text/hash';

export const timing = (gflops: number, iqrShare = 0.01): Timing => ({
  timer: 'cuda-events',
  quantumNs: 500,
  warmUp: 3,
  samples: 20,
  batch: 10,
  medianMs: 2,
  iqrMs: 2 * iqrShare,
  minMs: 1.9,
  gflops,
  errorPercent: 0.4,
  cache: 'warm',
  inputs: 'uniform [-1, 1)',
});

export function measured(block: number, rest: Partial<Measurement> = {}, size = 1024): Measurement {
  const resolved = resolve({
    problem: { m: size, n: size, k: size },
    schedule: { algorithm: 'shared-tile', block: { m: block, n: block, k: block } },
  });
  const planned = plan(resolved, 'cuda');
  assert.ok(planned.ok);
  return {
    specKey: specKey(resolved),
    kernelKey: 'k',
    resolved,
    backend: 'cuda',
    sourceHash: sourceHashOf(emit(planned.plan)),
    outcome: 'correct',
    device: {
      name: 'NVIDIA H200',
      adapter: 'compute capability 9.0',
      driver: '570',
      where: 'extension host',
    },
    verification: { reference: 'f64', maxError: 1e-6, bound: 1e-5, mismatches: 0, samples: 4096 },
    timing: timing(6000),
    ...rest,
  };
}
export function failed(block: number, rest: Partial<Measurement> = {}): Measurement {
  const run = measured(block, { outcome: 'incorrect', ...rest });
  delete run.timing;
  return run;
}
export const kept = (...runs: readonly Measurement[]) => runs.map(measurement => ({ measurement }));
