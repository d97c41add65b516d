/** Builds messages with a workspace's earlier runs, as the extension sends them. */
import { hashText } from '../../../src/core/text/hash';
import { kernelKey, emit } from '../../../src/core/kernel/emit';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import type { ToWebview } from '../../../src/protocol';
import { newest } from '../../../scripts/page/samples';

const SIZES = [512, 1024, 2048, 4096];

const specOf = (run: number) => {
  const size = SIZES[run % SIZES.length] ?? 1024;
  return {
    problem: { m: size, n: size, k: size },
    schedule: {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    },
    device: 'h200',
    targets: ['cuda'],
  } as const satisfies GemmSpec;
};

export function showWithRuns(count: number): Extract<ToWebview, { type: 'show' }> {
  const { problem, schedule, device } = specOf(1);
  return {
    type: 'show' as const,
    ...newest(),
    spec: { problem, schedule, device },
    name: 'first.gemm.json',
    trusted: true,
    backends: [{ id: 'cuda', available: true, note: 'NVIDIA H200' }],
    runs: Array.from({ length: count }, (_, run) => measurementOf(run)),
  };
}

function measurementOf(run: number): Measurement {
  const spec = specOf(run);
  const resolved = resolve(spec);
  const planned = plan(resolved, 'cuda');
  if (!planned.ok) throw new Error('The kernel of a recorded run is illegal.');
  const { source, specKey } = emit(planned.plan);
  const medianMs = 1 + run / 1000;
  const gflops = (2 * spec.problem.m ** 3) / medianMs / 1e6;
  const how = { architecture: 'sm_90', compiler: '13.0', flags: [] };
  return {
    specKey,
    kernelKey: kernelKey({ source, ...how }),
    sourceHash: hashText(source),
    resolved,
    backend: 'cuda',
    outcome: 'correct',
    device: {
      name: 'NVIDIA H200',
      adapter: 'compute capability 9.0',
      driver: '580.159.04',
      where: 'extension host',
    },
    verification: {
      reference: 'the GEMM in fp64 on the GPU, every element',
      maxError: 1e-5,
      bound: 1e-4,
      mismatches: 0,
      samples: spec.problem.m ** 2,
    },
    timing: {
      timer: 'cuda-events',
      quantumNs: 32,
      warmUp: 3,
      samples: 20,
      batch: 4,
      medianMs,
      iqrMs: 0.001,
      minMs: medianMs,
      gflops,
      errorPercent: 0.01,
      cache: 'cold',
      inputs: 'uniform [-1, 1)',
      clocks: { smMHz: 1980 },
    },
    baseline: { name: 'cublasSgemm', medianMs, gflops, ratio: 1, errorPercent: 0.01 },
    resources: { registers: 98, sharedBytes: 8192, spillStores: 0, spillLoads: 0 },
    ceilings: { gflops: 65_190, bandwidthGBps: 4250, how: 'FMA chains; copy' },
  };
}
