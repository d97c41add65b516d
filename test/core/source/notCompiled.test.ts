/** Kernels missing in the compiler's output are named, with a remedy. */
import assert from 'node:assert/strict';
import { notCompiled } from '../../../src/core/source/notCompiled';

const TEMPLATE = `
// Tiles of shared memory.
template <const int BM, int BN = 64, typename T, bool EDGE>
__global__ void __launch_bounds__(256) sgemm(int M, int N, const T *__restrict__ A, const T B[], T *C) {
  C[0] = A[0];
}
__global__ void plain(float *a) { a[0] = 1; }
#ifdef NEVER
__global__ void hidden(float *a) { a[0] = 1; }
#endif
`;

describe("A kernel missing in the compiler's output", () => {
  it('is an uninstantiated template: an instantiation is suggested', () => {
    const [template, hidden, ...rest] = notCompiled(TEMPLATE, ['plain']);
    assert.deepEqual([template?.entry, template?.line], ['sgemm', 3]);
    assert.equal(
      template?.why,
      'Template sgemm<const int BM, int BN = 64, typename T, bool EDGE> is never instantiated, so there is nothing to compile. Fix: add an explicit instantiation below it, such as template __global__ void sgemm<128, 64, float, true>(int, int, const float *, const float *, float *);',
    );
    assert.equal(hidden?.entry, 'hidden');
    assert.match(hidden.why, /preprocessor condition/);
    assert.deepEqual(rest, []);
  });

  it('does not exist if all were compiled, or without kernels', () => {
    assert.deepEqual(notCompiled(TEMPLATE, ['plain', 'sgemm', 'hidden']), []);
    assert.deepEqual(notCompiled('int x;', []), []);
  });
});
