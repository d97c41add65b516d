/** The states the page can be in, once: tests of accessibility go through them, and so do pictures. */
import type { Page } from 'playwright-core';
import { sourceHashOf } from '../../src/core/emit/sourceHash';
import { emit } from '../../src/core/emit/emit';
import { plan } from '../../src/core/plan/planner';
import type { Measurement } from '../../src/core/measure/measurement';
import { resolve, specKey } from '../../src/core/spec/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { ToWebview } from '../../src/protocol';
import type { Gpu } from './explorerPage';

export type Show = Extract<ToWebview, { type: 'show' }>;

export const SPEC: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'thread-tile-2d' },
};

export const show = (over: Partial<Show> = {}): Show => ({
  type: 'show',
  spec: SPEC,
  name: 'first.gemm.json',
  trusted: true,
  backends: [{ id: 'cuda', available: false, note: 'nvcc was not found.' }],
  runs: [],
  ...over,
});

export const ILLEGAL = show({
  spec: {
    problem: { m: 256, n: 256, k: 256, a: { ld: 100 } },
    schedule: { algorithm: 'shared-tile', block: { m: 64, n: 64, k: 16 } },
  },
});

/** A run of `SPEC` on its CUDA kernel. */
export function run(over: Partial<Measurement> = {}): Measurement {
  const resolved = resolve(SPEC);
  const planned = plan(resolved, 'cuda');
  if (!planned.ok) throw new Error('SPEC is legal for CUDA.');
  return {
    specKey: specKey(resolved),
    kernelKey: 'nvcc 12.8 sm_90',
    sourceHash: sourceHashOf(emit(planned.plan)),
    resolved,
    backend: 'cuda',
    device: { name: 'NVIDIA H200', adapter: 'NVIDIA H200', driver: '570.86', where: 'cli' },
    outcome: 'correct',
    verification: {
      ...{ reference: 'f64, every element', maxError: 1.5e-5, bound: 4e-5 },
      ...{ mismatches: 0, samples: 65_536 },
    },
    ...over,
  };
}

export const timed = (medianMs: number): Measurement =>
  run({
    timing: {
      ...{ timer: 'cuda-events', quantumNs: 500, warmUp: 3, samples: 20, batch: 50 },
      ...{ medianMs, iqrMs: medianMs / 50, minMs: medianMs * 0.98, errorPercent: 0.05 },
      ...{ gflops: (2 * 256 ** 3) / medianMs / 1e6, cache: 'warm', inputs: 'uniform [-1, 1)' },
    },
    baseline: { name: 'cuBLAS', medianMs: 0.012, gflops: 2796, ratio: 0.6, errorPercent: 0.1 },
    ceilings: { gflops: 51_000, bandwidthGBps: 4100, how: 'micro-benchmarks' },
  });

export interface PageState {
  readonly name: string;
  readonly messages: readonly ToWebview[];
  readonly gpu?: Gpu;
  readonly act?: (page: Page) => Promise<void>;
}

const press = (name: string) => (page: Page) =>
  page.locator('vscode-button', { hasText: name }).first().click();

export const STATES: readonly PageState[] = [
  { name: 'waiting', messages: [] },
  { name: 'legal', messages: [show()] },
  { name: 'illegal', messages: [ILLEGAL] },
  {
    name: 'draft error',
    messages: [show()],
    act: page => page.getByLabel('BM').first().fill('12.5'),
  },
  {
    name: 'running',
    messages: [show(), { type: 'progress', id: 'a', stage: 'timing', fraction: 0.4 }],
  },
  { name: 'verified', messages: [show({ runs: [run()] })] },
  {
    name: 'wrong result',
    messages: [
      show({
        runs: [
          run({
            outcome: 'incorrect',
            message: '3 elements differ.',
            verification: { ...run().verification, maxError: null, mismatches: 3 },
          }),
        ],
      }),
    ],
  },
  {
    name: 'failed',
    messages: [show(), { type: 'failed', message: 'Nothing was run: nvcc is gone.' }],
  },
  { name: 'no adapter', messages: [show()], gpu: 'none' },
  { name: 'untrusted', messages: [show({ trusted: false })] },
  { name: 'unwritten', messages: [show({ unwritten: true })] },
  { name: 'edited kernel', messages: [show({ name: 'edited.cu', target: 'cuda' })] },
  { name: 'no published rules', messages: [show({ spec: { ...SPEC, device: 'apple-m4' } })] },
  {
    name: 'many runs',
    messages: [
      show({ runs: [...Array.from({ length: 40 }, (_, i) => timed(0.02 + i / 1000)), run()] }),
    ],
  },
  { name: 'two languages', messages: [show()], act: press('Side by side') },
  {
    name: 'comparison',
    messages: [show()],
    act: async page => {
      await press('Pin')(page);
      await page.getByLabel('BM').first().fill('64');
    },
  },
];
