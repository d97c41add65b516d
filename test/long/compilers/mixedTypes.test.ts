/**
 * A and B of different types: every pair that has a common sum compiles, in every algorithm that
 * takes it.
 */
import assert from 'node:assert/strict';
import { compileTogether } from '../../../scripts/grid/compile';
import { kernelOf } from '../../../scripts/grid/properties';
import { accumulatorsOf, DTYPES, outputsOf } from '../../../src/core/types/dtype';
import { ALGORITHMS, LAYOUTS, type GemmSpec } from '../../../src/core/spec/schema';
import { findNvcc } from '../../../src/host/toolchain';

const nvcc = await findNvcc();

const types = DTYPES.flatMap(a =>
  DTYPES.filter(b => b !== a).flatMap(b =>
    accumulatorsOf(a, b).flatMap(accumulator =>
      outputsOf(accumulator).map(c => ({ a, b, c, accumulator })),
    ),
  ),
);
const layouts = LAYOUTS.flatMap(a => LAYOUTS.map(b => ({ a, b })));

const specs = ALGORITHMS.flatMap(algorithm =>
  types.flatMap(({ a, b, c, accumulator }) =>
    layouts.map((layout): GemmSpec => {
      const operands = {
        a: { dtype: a, layout: layout.a },
        b: { dtype: b, layout: layout.b },
        c: { dtype: c },
      };
      const m = algorithm === 'gemv' ? 4 : 64;
      const problem = { m, n: 64, k: 64, ...operands, accumulator };
      return { problem, schedule: { algorithm } };
    }),
  ),
);

describe('A and B of different types', () => {
  it(`compile in every algorithm that takes them${nvcc.ok ? '' : ' (skipped: no nvcc)'}`, async function () {
    if (!nvcc.ok) return this.skip();
    this.timeout(120_000);
    const kernels = specs.map(spec => kernelOf(spec, 'cuda')).filter(kernel => kernel !== null);
    const taken = new Set(kernels.map(({ plan }) => plan.algorithm));
    // The tensor cores multiply elements of one type.
    assert.deepEqual([...taken, 'mma', 'wgmma'], ALGORITHMS);
    const units = kernels.map(kernel => ({ kernel, architectures: ['9.0'] as const }));
    const result = await compileTogether(nvcc.nvcc.path, units, 'language');
    assert.deepEqual(result, { ok: true, output: '' });
  });
});
