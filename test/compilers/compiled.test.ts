/** What nvcc makes of the loop that multiplies is what the loop IR says, for every algorithm. */
import assert from 'node:assert/strict';
import { inspect } from '../../src/core/compiled/inspect';
import { emit } from '../../src/core/emit/emit';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/spec/resolve';
import { ALGORITHMS, type Algorithm } from '../../src/core/spec/schema';
import { ptxOf } from '../../src/host/ptx';
import { findNvcc } from '../../src/host/toolchain';

const nvcc = await findNvcc();
const suffix = nvcc.ok ? '' : ' (skipped: no nvcc)';

async function rowsOf(algorithm: Algorithm, dtype: 'f32' | 's8' = 'f32') {
  assert.ok(nvcc.ok);
  const matrix = { dtype, layout: 'row' } as const;
  const c = { dtype: dtype === 's8' ? ('s32' as const) : dtype, layout: 'row' as const };
  const problem = { m: 512, n: 512, k: 512, a: matrix, b: matrix, c };
  const planned = plan(resolve({ version: 1, problem, schedule: { algorithm } }), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const kernel = emit(planned.plan);
  const made = await ptxOf(kernel.source, { nvcc: nvcc.nvcc, arch: 'sm_90' });
  assert.ok(made.ok, JSON.stringify(made));
  const { kernels } = inspect({
    ...{ source: kernel.source, listing: made.text, language: 'ptx', runnable: kernel },
    ...{ compiler: `nvcc ${nvcc.nvcc.build}`, arch: 'sm_90' },
  });
  const own = kernels.find(({ entry }) => entry === kernel.entry);
  assert.ok(own?.comparison, JSON.stringify(own));
  return own.comparison;
}

describe('The compiled loop', () => {
  const compiled = ALGORITHMS.filter(algorithm => !['mma', 'wgmma'].includes(algorithm));
  for (const algorithm of compiled) {
    it(`of ${algorithm} has the multiply-adds, and moves the bytes, that the IR says${suffix}`, async function () {
      if (!nvcc.ok) return this.skip();
      this.timeout(120_000);
      const { rows, unrolled } = await rowsOf(algorithm);
      // Where the compiler keeps a loop over the tile's depth, that is the innermost.
      const inIt = rows.filter(({ compiled: count }) => unrolled >= 1 || count > 0);
      for (const row of inIt.filter(({ kind }) => kind !== 'barrier')) {
        assert.equal(row.compiledBytes, row.modelBytes, JSON.stringify(row));
        assert.equal(row.compiled, row.model, JSON.stringify(row));
        assert.equal(row.why, '', JSON.stringify(row));
      }
      assert.ok(rows.every(({ compiled: count, model, why }) => count === model || why !== ''));
    });
  }

  it(`of 8-bit integers multiplies four at a time, which is told${suffix}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(120_000);
    const { rows } = await rowsOf('warp-tile', 's8');
    const fma = rows.find(({ kind }) => kind === 'fma');
    assert.deepEqual([fma?.compiled, fma?.model], [256, 1024]);
    assert.match(fma?.why ?? '', /Packed/);
  });
});
