/** Template kernels: proposed arguments, the instance to launch, and C that is always read. */
import assert from 'node:assert/strict';
import { annotationComment, inferredAnswers } from '../../../src/core/source/annotationDraft';
import { inferAnnotation, type InferredAnnotation } from '../../../src/core/source/inferAnnotation';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import { isInstanceOf } from '../../../src/core/source/templateGuess';

const tiled = (head: string, more = ''): string => `#define M 256
#define N 128
#define K 64
${head}
__global__ void tiled(int m, int n, int k, float alpha, const T *a, const T *b, float beta, T *c) {
  const int row = blockIdx.y, column = blockIdx.x;
  c[row * n + column] = alpha * a[row * k] * b[column] + beta * c[row * n + column];
}
${more}`;

const infer = (text: string, instance?: string): InferredAnnotation => {
  const found = inferAnnotation(text, 'tiled', 'cuda', instance);
  assert.ok(found !== undefined);
  return found;
};

describe('the proposed instance of a template', () => {
  it('has the arguments of the launch in the file', () => {
    const launch =
      'constexpr int TILE = 64;\nvoid run() { tiled<TILE, half><<<grid, 256>>>(1, 2, 3); }';
    const { instance, dtype } = infer(tiled('template <int BM, typename T>', launch));
    assert.equal(instance, 'tiled<64, half>');
    assert.equal(dtype, 'f32', 'only a type parameter without a launch is replaced');
  });

  it('has defaults, constants, types and usual values, in this order', () => {
    const text = tiled('template <typename T, int BM = 32, int SKEW, int BN, int WHAT>').replace(
      '#define M 256',
      '#define M 256\n#define SKEW 4',
    );
    const { template, instance, dtype } = infer(text);
    assert.deepEqual(
      template.map(({ value, from }) => [value, from]),
      [
        ['float', 'type'],
        ['32', 'default'],
        ['4', 'constant'],
        ['32', 'usual'],
        [undefined, undefined],
      ],
    );
    assert.deepEqual([instance, dtype], [undefined, 'f32']);
  });

  it('can be named by the user, and defines the tile of the grid and the block', () => {
    const text = tiled('template <typename T, int BM, int BN, int NUM_THREADS>');
    const { instance, grid, block, dtype } = infer(text, 'tiled<double, 48, 96, 192>');
    assert.equal(instance, 'tiled<double, 48, 96, 192>');
    assert.deepEqual([grid, block, dtype], [['ceil(n / 96)', 'ceil(m / 48)'], [192], 'f64']);
  });

  it('is written as the entry of an annotation that can be read', () => {
    const text = tiled('template <typename T, int BM = 32, int BN = 32, int NUM_THREADS = 256>');
    const answers = inferredAnswers(infer(text), 1);
    assert.ok(answers !== undefined);
    const comment = annotationComment(answers);
    const read = readKernelFile(text.replace('template', `${comment}\ntemplate`), 'k.cu');
    assert.ok(read.ok);
    assert.equal(read.runnable.entry, 'tiled<float, 32, 32, 256>');
    assert.deepEqual(read.runnable.grid, { x: 4, y: 8, z: 1 });
    assert.equal(read.runnable.problem.beta, 1, 'the kernel reads C for every beta');
  });

  it('is missing for an unknown argument, so that no annotation is proposed', () => {
    const answers = inferredAnswers(infer(tiled('template <typename T, int WHAT>')), 1);
    assert.equal(answers, undefined);
  });

  it('is an instance of its own kernel only', () => {
    for (const good of ['tiled<1>', 'tiled<64, ns::half>', 'tiled<-1, float>'])
      assert.ok(isInstanceOf(good, 'tiled'), good);
    for (const bad of ['tiled', 'other<1>', 'tiled<>', 'tiled<1', 'tiled<1>(); system("x")'])
      assert.ok(!isInstanceOf(bad, 'tiled'), bad);
  });
});

describe('a kernel that reads C', () => {
  const kernel = (store: string): string =>
    `__global__ void tiled(const float *a, const float *b, float *c, float beta, int n) { ${store} }`;

  it('needs a beta, unless it compares beta', () => {
    assert.equal(infer(kernel('c[n] = a[n] * b[n] + beta * c[n];')).readsC, true);
    assert.equal(infer(kernel('if (beta != 0) c[n] += beta * c[n];')).readsC, false);
    assert.equal(infer(kernel('c[n] = 0 == beta ? 1 : beta * c[n];')).readsC, false);
  });

  it('can have a type of its own for C', () => {
    const text =
      '__global__ void tiled(const half *a, const half *b, float *c, int m, int n, int k) {}';
    const { dtype, cDtype } = infer(text);
    assert.deepEqual([dtype, cDtype], ['f16', 'f32']);
  });
});

describe('the entry of an annotation', () => {
  const file = (entry: string): string =>
    `// @gemm {"entry":${JSON.stringify(entry)},"problem":{"m":8,"n":8,"k":8},"grid":[1],"block":[64],"args":["a","b","c"]}
template <int B> __global__ void gemm(const float *a, const float *b, float *c) {}`;

  it('can have namespaces and template arguments', () => {
    for (const entry of ['gemm', 'gemm<8>', 'ns::inner::gemm<8, float, -1>']) {
      const read = readKernelFile(file(entry), 'k.cu');
      assert.ok(read.ok, entry);
      assert.equal(read.runnable.entry, entry);
    }
  });

  it('names a kernel of the file', () => {
    const read = readKernelFile(file('other<8>'), 'k.cu');
    assert.ok(!read.ok && read.reason.includes('has no kernel other<8>'));
  });

  it('cannot contain other code', () => {
    for (const entry of ['gemm<8>, (system("x"))', 'gemm; int x', 'gemm<sizeof(int)>', '8gemm']) {
      const read = readKernelFile(file(entry), 'k.cu');
      assert.ok(!read.ok && read.reason.includes('Expected a kernel name'), entry);
    }
  });
});
