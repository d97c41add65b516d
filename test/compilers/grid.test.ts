/** What is emitted is what compilers accept: nvcc without a warning, and Dawn's validation. The longer runs are scripts. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { compileTogether } from '../../scripts/grid/compile';
import { gridKernels } from '../../scripts/grid/specs';
import { findNvcc } from '../../src/host/toolchain';
import { dawnBackend, validateWgsl } from '../../src/host/dawn/backend';
import { CONTEXT } from '../helpers/context';

const nvcc = await findNvcc();
const options = { worker: path.resolve('dist', 'dawnWorker.js'), where: 'test' };
const backend = dawnBackend(options);
const dawn = await backend.probe();

const suffix = (found: boolean, why: string): string => (found ? '' : ` (skipped: ${why})`);

describe('emitted kernels', () => {
  it(`40 compile with nvcc for four architectures without a warning${suffix(nvcc.ok, 'no nvcc')}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(300_000);
    const kernels = gridKernels(40, ['cuda', 'wgsl']).map(([cuda]) => cuda!);
    const result = await compileTogether(nvcc.nvcc.path, kernels, ['75', '80', '90', '120']);
    assert.deepEqual(result, { ok: true, output: '' });
  });

  it("240 WGSL twins pass Dawn's validation", async function () {
    this.timeout(120_000);
    const kernels = gridKernels(240, ['cuda', 'wgsl']).map(([, wgsl]) => wgsl!);
    const found = await validateWgsl(
      options,
      kernels.map(({ source }) => ({ source })),
    );
    assert.ok(found.ok, JSON.stringify(found));
    assert.equal(found.messages.length, kernels.length);
    found.messages.forEach((messages, i) => {
      assert.deepEqual(messages, [], kernels[i]!.source);
    });
  });

  it(`24 WGSL twins are right on this machine's adapter${suffix(dawn.available, 'no WebGPU adapter')}`, async function () {
    if (!dawn.available) return this.skip();
    this.timeout(180_000);
    for (const [, runnable] of gridKernels(24, ['cuda', 'wgsl'])) {
      const result = await backend.run({ runnable: runnable!, mode: 'verify', seed: 3 }, CONTEXT);
      assert.equal(
        result.outcome,
        'correct',
        `${runnable!.specKey}: ${result.message ?? JSON.stringify(result.verification)}`,
      );
    }
  });
});
