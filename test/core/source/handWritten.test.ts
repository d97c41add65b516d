/** Hand-written kernels: their @gemm comment, and the location of kernels in a text. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluate } from '../../../src/core/source/annotationSchema';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import { kernelSites } from '../../../src/core/source/kernelSites';

const s32 = { dtype: 's32' } as const;

describe('hand-written kernels', () => {
  const comment = (annotation: object) => `// @gemm ${JSON.stringify(annotation)}\n`;
  const body = '__global__ void matmul_smem(int *A, int *B, int *C, int M, int K, int N) {}\n';
  const seed4 = {
    problem: { m: 100, n: 60, k: 30, a: s32 },
    grid: ['ceil(m / block.x)', 'ceil(n / block.y)'],
    block: [16, 16],
    args: ['a', 'b', 'c', 'm', 'k', 'n'],
  };

  it('run according to their @gemm comment', () => {
    const read = readKernelFile(comment(seed4) + body, 'seed4.cu');
    assert.ok(read.ok, JSON.stringify(read));
    assert.equal(read.origin, 'hand-written');
    assert.deepEqual(read.runnable.grid, { x: 7, y: 4, z: 1 });
    assert.deepEqual(read.runnable.arguments, ['a', 'b', 'c', 'm', 'k', 'n']);
    assert.equal(read.runnable.entry, 'matmul_smem');
    assert.equal(read.runnable.spec, undefined);
  });

  it('report missing or invalid fields with their path', () => {
    const reason = (text: string, name = 'x.cu') => {
      const read = readKernelFile(text, name);
      return read.ok ? 'ok' : `${read.path}: ${read.reason}`;
    };
    assert.match(reason(body), /^@gemm: x.cu does not describe how to run matmul_smem/);
    assert.match(reason('int x;'), /has no __global__ function/);
    assert.match(reason('fn f() {}', 'x.wgsl'), /has no @compute function/);
    assert.match(reason(`// @gemm {"problem":\n${body}`), /^@gemm.*the @gemm comment is not JSON/);
    assert.match(reason(comment({ ...seed4, args: ['a', 'z'] }) + body), /^@gemm\.args/);
    assert.match(
      reason(comment({ ...seed4, grid: ['process.exit(1)'] }) + body),
      /grid entry "process.exit\(1\)"/,
    );
    assert.match(reason(comment({ ...seed4, problem: { m: 1 } }) + body), /^@gemm\.problem/);
    assert.match(reason(comment({ ...seed4, entry: 'other' }) + body), /no kernel other/);
  });

  it('evaluate grid expressions, and nothing else', () => {
    const names = { m: 100, n: 60, 'block.x': 16 };
    assert.equal(evaluate('ceil(m / block.x)', names), 7);
    assert.equal(evaluate('(m + 15) / 16', names), 115 / 16);
    assert.equal(evaluate('m * 2 - n + 1', names), 141);
    for (const text of [
      '',
      'm n',
      'm +',
      'constructor',
      '(m',
      'm)',
      '1e999',
      'toString()',
      'm[0]',
    ]) {
      assert.equal(evaluate(text, names), null, text);
    }
    fc.assert(
      fc.property(fc.string(), text => {
        evaluate(text, names);
      }),
    );
  });
});

describe('kernelSites', () => {
  it('finds kernels behind attributes, and none in comments or strings', () => {
    const cuda = [
      '// __global__ void no(int) {}',
      '/* __global__ void',
      ' neither() {} */',
      'const char* s = "__global__ void nor(int)";',
      'extern "C" __global__ void __launch_bounds__(min(256, (4)), 2)',
      'yes(float* a) {}',
      'template <int N> __global__ void also(int x) {}',
    ].join('\n');
    assert.deepEqual(kernelSites(cuda), [
      { entry: 'yes', line: 4, target: 'cuda' },
      { entry: 'also', line: 6, target: 'cuda' },
    ]);
    assert.deepEqual(
      kernelSites('@compute @workgroup_size(8)\nfn main() {}\n// @compute fn no() {}'),
      [{ entry: 'main', line: 0, target: 'wgsl' }],
    );
    fc.assert(
      fc.property(fc.string(), text => {
        kernelSites(`__global__ ${text} @compute ${text}`);
      }),
    );
  });
});
