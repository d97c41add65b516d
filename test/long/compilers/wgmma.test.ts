/**
 * What nvcc says of emitted kernels of `wgmma`, the host's function included: nothing is spilled,
 * serialised or ignored.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findNvcc } from '../../../src/host/toolchain';
import { declaredFor, warpGroups, WARP_GROUP_SPECS } from '../../helpers/warpGroupSpecs';
import { sampled } from '../../helpers/depth';

const nvcc = await findNvcc();
const suffix = nvcc.ok ? '' : ' (skipped: no nvcc)';

const bf16 = { a: { dtype: 'bf16' }, b: { layout: 'col' } } as const;

/**
 * Beside the golden ones: copies of operands before, a batch that is not stored by TMA, and other
 * warp groups.
 */
const MORE = {
  relaid: warpGroups({ m: 500, n: 501, k: 333, ...bf16, b: { layout: 'row' } }),
  'relaid batch': warpGroups({
    m: 70,
    n: 71,
    k: 33,
    batch: 3,
    beta: 1,
    alpha: 0.5,
    a: { dtype: 'e5m2' },
    b: { layout: 'col' },
    c: { dtype: 'f16' },
  }),
  'one consumer': warpGroups(
    { m: 64, n: 4096, k: 4096, ...bf16 },
    { block: { m: 64, n: 256 }, consumers: 1, cluster: { m: 1, n: 2 } },
  ),
  'clusters of 2 x 2': warpGroups(
    { m: 1024, n: 1024, k: 1024, a: { dtype: 'f16', layout: 'col' }, b: { layout: 'row' } },
    { block: { m: 128, n: 160 }, cluster: { m: 2, n: 2 } },
  ),
  'three consumers of a cluster': warpGroups(
    { m: 1024, n: 1024, k: 1024, batch: 2, ...bf16, c: { dtype: 'f32' } },
    { block: { m: 192, n: 192 }, consumers: 3, cluster: { m: 1, n: 2 } },
  ),
  'pieces of tf32, rounded': warpGroups(
    { m: 500, n: 501, k: 333, b: { layout: 'col' } },
    { split: 'tf32x3', block: { m: 128, n: 160 }, cluster: { m: 2, n: 1 } },
  ),
  'both turned': warpGroups({
    m: 500,
    n: 501,
    k: 333,
    a: { dtype: 'tf32', layout: 'col' },
    b: { layout: 'row' },
  }),
  'bytes turned, shared by a cluster': warpGroups(
    { m: 1000, n: 1001, k: 333, a: { dtype: 'e5m2', ld: 335 }, b: { layout: 'row' } },
    { block: { m: 128, n: 104 }, cluster: { m: 1, n: 2 } },
  ),
  'pieces of tf32, turned': warpGroups(
    { m: 1024, n: 1024, k: 1024, batch: 2, a: { layout: 'col' } },
    { split: 'tf32x3' },
  ),
  'nine products of a batch': warpGroups(
    { m: 1024, n: 1024, k: 1024, batch: 2 },
    { split: 'bf16x9', block: { m: 128, n: 160 }, cluster: { m: 2, n: 1 } },
  ),
  'four parts of K': warpGroups(
    { m: 1024, n: 1024, k: 1024, a: { dtype: 'bf16' }, c: { dtype: 'f32' } },
    { block: { m: 128, n: 224 }, splitK: 4, launch: 'programmatic' },
  ),
  'half of its sums': warpGroups(
    { m: 1024, n: 1024, k: 1024, ...bf16 },
    { block: { m: 256, n: 192 }, stages: 3 },
  ),
};

describe('Compiled wgmma', () => {
  for (const [name, spec] of sampled(Object.entries({ ...WARP_GROUP_SPECS, ...MORE }))) {
    it(`has no spill and no warning: ${name}${suffix}`, async function () {
      if (!nvcc.ok) return this.skip();
      this.timeout(120_000);
      const folder = await mkdtemp(path.join(os.tmpdir(), 'gemm-wgmma-'));
      try {
        const source = path.join(folder, 'kernel.cu');
        await writeFile(source, declaredFor(spec).source);
        const flags = ['-c', '-O3', '-gencode=arch=compute_90a,code=sm_90a', '-Xptxas', '-v'];
        const object = path.join(folder, 'kernel.o');
        const { stdout, stderr } = await promisify(execFile)(nvcc.nvcc.path, [
          ...flags,
          '-o',
          object,
          source,
        ]);
        const said = stdout + stderr;
        assert.match(said, /ptxas info/);
        assert.doesNotMatch(said, /warning|C75\d\d/i, said);
        const spills = [...said.matchAll(/(\d+) bytes spill (?:stores|loads)/g)];
        assert.ok(spills.length > 0);
        for (const [, bytes] of spills) assert.equal(bytes, '0', said);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});
