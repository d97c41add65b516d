/** The runner's program, compiled: no GPU is needed for that. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { runnerSource } from '../../../../src/host/cuda/sources';
import { findNvcc } from '../../../../src/host/toolchain';
import { hostileFolder } from '../../../host/support';

describe('the runner’s program', () => {
  it('compiles with nvcc without a warning, for Hopper and for older GPUs (needs nvcc)', async function () {
    this.timeout(240_000);
    const found = await findNvcc();
    if (!found.ok) return this.skip();
    const { path: folder, remove } = hostileFolder();
    try {
      const plainFolder = path.dirname(folder);
      const compiled = await Promise.all(
        ['sm_90a', 'sm_80'].map(async arch => {
          writeFileSync(path.join(plainFolder, `${arch}.cu`), runnerSource(arch));
          const flags = ['-O0', '-std=c++17', `-arch=${arch}`, '-Xcompiler', '-Wall,-Wextra'];
          const { stdout, stderr } = await promisify(execFile)(
            found.nvcc.path,
            [...flags, `${arch}.cu`, '-o', arch],
            { cwd: plainFolder },
          );
          return stdout + stderr;
        }),
      );
      assert.deepEqual(compiled, ['', '']);
    } finally {
      remove();
    }
  });
});
