/** Page states with an error: in the configuration, a run, the GPU, the file or the page itself. */
import type { Page } from 'playwright-core';
import type { Measurement } from '../../src/core/measure/measurement';
import { NOT_VERIFIED, type Outcome } from '../../src/core/measure/measurement';
import type { GemmSpec } from '../../src/core/spec/schema';
import { run, show, SPEC } from './samples';
import type { PageState } from './states';

const SAID: Readonly<Record<Exclude<Outcome, 'correct' | 'incorrect'>, string>> = {
  'compile-error': '12:5 unresolved identifier: acc',
  'launch-error': 'an illegal memory access was encountered (700)',
  constraint: 'The kernel requires 1,024 invocations per workgroup; this adapter has 256.',
  timeout:
    'No result after 60 s. Fix: increase gemm.runTimeoutSeconds, or check whether the kernel hangs.',
  cancelled: 'Cancelled.',
  unavailable: 'nvcc was not found.',
};

const ended = (outcome: keyof typeof SAID): Measurement =>
  run({ outcome, message: SAID[outcome], verification: NOT_VERIFIED });

const OUTCOMES = (Object.keys(SAID) as (keyof typeof SAID)[]).map(outcome => ({
  name: `run ended: ${outcome}`,
  messages: [show({ runs: [ended(outcome)] })],
}));

const savedWith = (backend: string) => ({
  view: { target: null, backend, machine: null },
  spec: null,
  name: '',
});

/**
 * Spec that is legal for CUDA, but exceeds WebGPU's default limit of 256 invocations per workgroup.
 */
const MANY_THREADS: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: {
    algorithm: 'thread-tile-2d',
    block: { m: 128, n: 128, k: 8 },
    thread: { m: 4, n: 4 },
  },
};

/**
 * Makes the next render fail once. Setup and click are one step, because otherwise a deferred
 * render could fail first.
 */
async function failToDraw(page: Page): Promise<void> {
  await page.evaluate(`{
    const kept = String.prototype.replaceAll;
    String.prototype.replaceAll = () => {
      String.prototype.replaceAll = kept;
      throw new Error('a view that could not be drawn');
    };
    document.getElementById('tab-wgsl').click();
  }`);
}

export const ERRORS: readonly PageState[] = [
  {
    name: 'draft error',
    messages: [show()],
    act: page => page.getByLabel('BM').first().fill('12.5'),
  },
  { name: 'legal for one target', messages: [show({ spec: MANY_THREADS, target: 'wgsl' })] },
  {
    name: 'stages exceed shared memory',
    messages: [
      show({
        spec: {
          problem: { m: 1000, n: 1000, k: 1000 },
          schedule: { algorithm: 'pipelined', block: { m: 256, n: 256, k: 64 }, stages: 6 },
        },
      }),
    ],
  },
  {
    name: 'unused field',
    messages: [
      show({
        spec: { ...SPEC, schedule: { algorithm: 'naive', stages: 3, cluster: { m: 2, n: 1 } } },
      }),
    ],
  },
  {
    name: 'unknown device',
    messages: [show(), show({ spec: { ...SPEC, device: 'abacus' } })],
  },
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
  ...OUTCOMES,
  {
    name: 'failed',
    messages: [show(), { type: 'failed', message: 'Nothing was run: nvcc was not found.' }],
  },
  {
    name: 'cancelling',
    messages: [
      show(),
      { type: 'progress', id: 'a', stage: 'timing', fraction: 0.4 },
      { type: 'cancel', id: 'a' },
    ],
  },
  { name: 'no adapter', messages: [show()], gpu: 'none' },
  { name: 'no adapter, browser', messages: [show({ canOpenInBrowser: true })], gpu: 'none' },
  { name: 'no WebGPU', messages: [show()], gpu: 'absent' },
  { name: 'requesting an adapter', messages: [show()], gpu: 'silent' },
  { name: 'failing adapter', messages: [show()], gpu: 'failing' },
  { name: 'no CUDA', messages: [show()], saved: savedWith('cuda') },
  {
    name: 'too large to simulate',
    messages: [show({ spec: { problem: { m: 1024, n: 1024, k: 1024 } } })],
    saved: savedWith('simulate'),
  },
  { name: 'unwritten', messages: [show({ unwritten: true })] },
  { name: 'unwritten, untrusted', messages: [show({ unwritten: true, trusted: false })] },
  { name: 'page error', messages: [show()], act: failToDraw },
];
