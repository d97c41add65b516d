/** What nvcc makes of the loop that multiplies is what the loop IR says, for every algorithm. */
import assert from 'node:assert/strict';
import { inspect } from '../../../src/core/profile/listing/inspect';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { ALGORITHMS, type Algorithm, type GemmSpec } from '../../../src/core/spec/schema';
import { ptxOf } from '../../../src/host/ptx';
import { findNvcc } from '../../../src/host/toolchain';

const nvcc = await findNvcc();
const suffix = nvcc.ok ? '' : ' (skipped: no nvcc)';

function rowsOf(algorithm: Algorithm, dtype: 'f32' | 's8' = 'f32') {
  const matrix = { dtype, layout: 'row' } as const;
  const c = { dtype: dtype === 's8' ? ('s32' as const) : dtype, layout: 'row' as const };
  const m = algorithm === 'gemv' ? 4 : 512;
  const problem = { m, n: 512, k: 512, a: matrix, b: matrix, c };
  return compiledRows({ version: 1, problem, schedule: { algorithm } }, 'sm_90');
}

async function compiledRows(spec: GemmSpec, arch: string) {
  assert.ok(nvcc.ok);
  const planned = plan(resolve(spec), 'cuda');
  assert.ok(planned.ok, JSON.stringify(planned));
  const kernel = emit(planned.plan);
  const made = await ptxOf(kernel.source, { nvcc: nvcc.nvcc, arch });
  assert.ok(made.ok, JSON.stringify(made));
  const { kernels } = inspect({
    source: kernel.source,
    listing: made.text,
    language: 'ptx',
    runnable: kernel,
    compiler: `nvcc ${nvcc.nvcc.build}`,
    arch,
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

  const cube = { m: 1024, n: 1024, k: 1024 };
  const onTensorCores: Readonly<Record<string, GemmSpec>> = {
    'bf16 with fragments ahead': {
      problem: { m: 4096, n: 4096, k: 4096, a: { dtype: 'bf16' }, b: { layout: 'col' } },
      schedule: { algorithm: 'mma' },
    },
    'f16 past the edge': {
      problem: { m: 1000, n: 1000, k: 1000, a: { dtype: 'f16' } },
      schedule: {
        algorithm: 'mma',
        block: { m: 128, n: 64, k: 32 },
        warp: { m: 64, n: 32 },
        stages: 4,
        fragments: 1,
      },
    },
    'tf32 word by word': {
      problem: { ...cube, a: { dtype: 'tf32' } },
      schedule: { algorithm: 'mma' },
    },
    s8: {
      problem: { ...cube, a: { dtype: 's8' }, b: { layout: 'col' } },
      schedule: { algorithm: 'mma' },
    },
    'f16 through registers': {
      problem: { ...cube, a: { dtype: 'f16' } },
      device: 't4',
      schedule: { algorithm: 'mma' },
    },
  };
  for (const [name, spec] of Object.entries(onTensorCores)) {
    it(`of mma, ${name}, has the products, and moves the bytes, that the IR says${suffix}`, async function () {
      if (!nvcc.ok) return this.skip();
      this.timeout(120_000);
      const arch = spec.device === 't4' ? 'sm_75' : 'sm_90';
      const { rows, unrolled } = await compiledRows(spec, arch);
      assert.equal(unrolled, 1);
      const kinds = rows.map(({ kind }) => kind);
      assert.ok(kinds.includes('mma') && kinds.includes('shared-load'), kinds.join());
      assert.ok(kinds.includes(arch === 'sm_75' ? 'global-load' : 'async-copy'), kinds.join());
      for (const row of rows.filter(({ kind }) => kind !== 'barrier' && kind !== 'shared-store')) {
        assert.deepEqual([row.compiled, row.compiledBytes], [row.model, row.modelBytes], row.kind);
        assert.equal(row.why, '');
      }
      assert.ok(rows.every(one => one.compiledBytes === one.modelBytes));
    });
  }

  it(`of 8-bit integers multiplies four at a time, which is told${suffix}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(120_000);
    const { rows } = await rowsOf('warp-tile', 's8');
    const fma = rows.find(({ kind }) => kind === 'fma');
    assert.deepEqual([fma?.compiled, fma?.model], [256, 1024]);
    assert.match(fma?.why ?? '', /Each packed instruction/);
  });
});
