/**
 * The program that is printed beside a kernel gives it the tensor maps that its comment asks for.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import { hostProgram } from '../../../src/host/cuda/hostProgram';
import { findNvcc } from '../../../src/host/toolchain';
import { itWhole } from '../../helpers/depth';
import { declaredFor, warpGroups } from '../../helpers/warpGroupSpecs';
import { hostileFolder } from '../support';

describe('the program of a kernel with tensor maps', () => {
  it('declares split terms with their type, count and layout', () => {
    const spec = warpGroups(
      { m: 256, n: 128, k: 100, batch: 2, a: { layout: 'col' } },
      { split: 'tf32x3' },
    );
    const program = hostProgram(declaredFor(spec));
    const terms = (operand: string, rows: number, transposed: boolean): string =>
      `repackedCopy(kProblem.${operand}, 128, ${rows * 128}, {Type::tf32, /*terms*/ 2, /*transposed*/ ${transposed}})`;
    assert.ok(program.includes(terms('a', 256, true)), program);
    assert.ok(program.includes(terms('b', 128, true)), program);
  });

  const annotation = {
    problem: { m: 256, n: 128, k: 100, a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' } },
    entry: 'gemm',
    grid: [4],
    block: [128],
    dynamicSharedBytes: 65536,
    args: ['tensorMapA', 'tensorMapB', 'c', 'm', 'n', 'k'],
    tensorMaps: {
      a: { box: [64, 64], swizzleBytes: 128, workspaceOffset: 0, ld: 104 },
      b: { box: [64, 64], swizzleBytes: 128 },
    },
    before: [{ entry: 'pad', grid: [1], block: [32], args: ['a', 'workspace'] }],
    workspaceBytes: 256 * 104 * 2,
  };
  const text = `#include <cuda.h>
#include <cuda_bf16.h>
// @gemm ${JSON.stringify(annotation)}
__global__ void pad(const __nv_bfloat16* a, __nv_bfloat16* __restrict__ workspace) { workspace[0] = a[0]; }
__global__ void gemm(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, __nv_bfloat16* c,
                     int m, int n, int k) { if (m + n + k == 0) c[0] = __nv_bfloat16(float(mapA.opaque[0] + mapB.opaque[1])); }
`;

  const annotated = (): string => {
    const read = readKernelFile(text, 'gemm.cu');
    assert.ok(read.ok, JSON.stringify(read));
    return hostProgram(read.runnable, 'gemm.cu');
  };

  it('encodes them for each copy of the matrices', () => {
    const program = annotated();
    assert.match(
      program,
      /tensorMapA1\("A of gemm", repackedCopy\(kProblem\.a, 104, 0, \{Type::bf16, \/\*terms\*\/ 1, \/\*transposed\*\/ false\}\), \{64, 64, /,
    );
    assert.match(
      program,
      />>>\(tensorMapA1\.at\(set\.a, set\.workspace\), tensorMapB1\.at\(set\.b, /,
    );
  });

  itWhole('compiles without a warning (needs nvcc)', async function () {
    this.timeout(120_000);
    const found = await findNvcc();
    if (!found.ok) return this.skip();
    const { path: folder, remove } = hostileFolder();
    try {
      const plain = path.dirname(folder);
      writeFileSync(path.join(plain, 'gemm.cu'), text);
      writeFileSync(path.join(plain, 'gemm.main.cu'), annotated());
      const flags = ['-O0', '-std=c++17', '-arch=sm_90', '-Xcompiler', '-Wall,-Wextra'];
      const { stdout, stderr } = await promisify(execFile)(
        found.nvcc.path,
        [...flags, 'gemm.main.cu', '-o', 'gemm'],
        { cwd: plain },
      );
      assert.equal(stdout + stderr, '');
    } finally {
      remove();
    }
  });
});
