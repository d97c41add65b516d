/**
 * What is read from the PTX of generated kernels is what their loop IR says: sectors and wavefronts
 * of the whole kernel.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { compareWithIr } from '../../../scripts/ptx/compare';
import { wholeTiles } from '../../../scripts/ptx/kernels';
import { kernelOf } from '../../../scripts/grid/properties';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { ALGORITHMS } from '../../../src/core/spec/schema';
import { compilePtx } from '../../../src/host/nvcc';
import { findNvcc } from '../../../src/host/toolchain';

const nvcc = await findNvcc();
const suffix = nvcc.ok ? '' : ' (skipped: no nvcc)';

async function compared(kernel: Kernel) {
  assert.ok(nvcc.ok);
  const made = await compilePtx(kernel.source, { nvcc: nvcc.nvcc, arch: 'sm_90' });
  assert.ok(made.ok, JSON.stringify(made));
  return compareWithIr(kernel, readFileSync(made.path, 'utf8'));
}

describe('Accesses read from PTX', () => {
  it(`are those of the loop IR, for every algorithm${suffix}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(240_000);
    const seen = new Set<string>();
    for (const algorithm of ALGORITHMS) {
      const problem = { m: algorithm === 'gemv' ? 4 : 256, n: 128, k: 64 };
      const kernel = kernelOf({ problem, schedule: { algorithm }, targets: ['cuda'] }, 'cuda');
      if (kernel === null) continue;
      seen.add(algorithm);
      const { differences, limits } = await compared(kernel);
      assert.deepEqual([differences, limits], [[], []], kernel.specKey);
    }
    assert.ok(seen.size >= 8, [...seen].join());
  });

  it(`of random schedules differ only where the compiler says why${suffix}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(240_000);
    let count = 0;
    for (const { seed, kernel } of wholeTiles(0)) {
      if (count++ === 4) break;
      const { differences } = await compared(kernel);
      const unexplained = differences.filter(({ why }) => why === '');
      assert.deepEqual(unexplained, [], `seed ${seed}, ${kernel.specKey}`);
    }
  });
});
