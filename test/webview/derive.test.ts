/** Selection of runs and compiler facts by the source of the shown kernel. */
import assert from 'node:assert/strict';
import { NOT_VERIFIED, type Measurement } from '../../src/core/measure/measurement';
import { hashText } from '../../src/core/text/hash';
import type { GemmSpec, Target } from '../../src/core/spec/schema';
import { derive, isKernel } from '../../webview/derive';
import { initialState } from '../../webview/state';
import { reduce } from '../../webview/store';

const spec: GemmSpec = { problem: { m: 256, n: 256, k: 256 }, device: 'h200' };
const view = (target: Target) =>
  ({ target, backend: 'webgpu', machine: null, code: 'one', form: 'hidden' }) as const;

function sourceOf(of: GemmSpec, target: Target): string {
  const kernel = derive({ ...initialState(view(target)), spec: of }).kernels[target];
  assert.ok(isKernel(kernel));
  return kernel.source;
}

const runOf = (source: string): Measurement => ({
  specKey: 'the same',
  kernelKey: 'x',
  sourceHash: hashText(source),
  resolved: null,
  backend: 'cuda',
  outcome: 'cancelled',
  verification: NOT_VERIFIED,
  device: { name: 'GPU', adapter: 'compute capability 9.0', driver: '1', where: 'cli' },
});

describe('explorer: data of the shown kernel', () => {
  const cuda = sourceOf(spec, 'cuda');
  const other = sourceOf({ ...spec, device: 'rtx-4090' }, 'cuda');

  it('includes only runs of its source', () => {
    assert.notEqual(cuda, other, 'the device is part of the text');
    const edited = runOf(`${cuda}// edited\n`);
    const runs = [runOf(cuda), edited, runOf(other), runOf(sourceOf(spec, 'wgsl'))];
    const old = { ...runOf(cuda) };
    delete old.sourceHash;
    const state = { ...initialState(view('cuda')), runs: [...runs, old], spec };
    assert.deepEqual(derive(state).runs, [runs[0]]);
    assert.deepEqual(derive({ ...state, view: view('wgsl') }).runs, [runs[3]]);
  });

  it('includes compiler facts of its source and the architecture of its device', () => {
    const facts = (source: string, arch: string) =>
      ({
        type: 'compiled',
        sourceHash: hashText(source),
        entry: 'gemm',
        arch,
        registers: 77,
        sharedBytes: 0,
        spillStores: 0,
        spillLoads: 0,
        compiler: 'nvcc',
      }) as const;
    const kernel = derive({ ...initialState(view('cuda')), spec }).kernels.cuda;
    assert.ok(isKernel(kernel));
    const registers = (source: string, arch: string) => {
      const message = { ...facts(source, arch), entry: kernel.entry };
      const state = reduce(initialState(view('cuda')), { type: 'received', message });
      const { shown } = derive({ ...state, spec });
      return shown.ok ? shown.analysis.occupancy?.registers.from : undefined;
    };
    assert.equal(registers(cuda, 'sm_90'), 'compiler');
    assert.equal(registers(cuda, 'sm_89'), 'derived');
    assert.equal(registers(other, 'sm_90'), 'derived');
  });

  it('switches to the language of the backend that runs', () => {
    const shown = reduce(initialState(view('cuda')), {
      type: 'run',
      backend: 'webgpu',
      mode: 'time',
    } as const);
    assert.equal(shown.view.target, 'wgsl');
  });
});
