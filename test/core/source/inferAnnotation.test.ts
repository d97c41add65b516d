/** Inference of an annotation from a complete CUDA file: launch, extents, grid and layouts. */
import assert from 'node:assert/strict';
import { inferAnnotation } from '../../../src/core/source/inferAnnotation';
import { launchIn } from '../../../src/core/source/launchGuess';

const naive = `
__global__ void matmul(const float *A, const float *B, float *C, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  float acc = 0;
  for (int k = 0; k < N; ++k) acc += A[row * N + k] * B[k * N + col];
  C[row * N + col] = acc;
}

int main() {
  int N = 1024;
  dim3 block(16, 16);
  dim3 grid((N + 15) / 16, (N + 15) / 16);
  matmul<<<grid, block>>>(a, b, c, N);
}
`;

describe('the inferred annotation', () => {
  it('has the extents, block and grid of the launch', () => {
    const inferred = inferAnnotation(naive, 'matmul', 'cuda');
    assert.deepEqual(inferred?.sizes, { m: 1024, n: 1024, k: 1024 });
    assert.deepEqual(inferred.block, [16, 16]);
    assert.deepEqual(inferred.grid, ['ceil(m / block.x)', 'ceil(n / block.y)']);
    assert.deepEqual(inferred.args, ['a', 'b', 'c', 'n']);
    assert.equal(inferred.dtype, 'f32');
    assert.deepEqual(inferred.layouts, ['row', 'row', 'row']);
  });

  it('follows macros, literals and the order of the grid', () => {
    const text = `
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
__global__ void gemm(int M, int N, int K, const half* A, const half* B, half* C) {
  int x = threadIdx.x;
  C[x * N] = A[x * M] * B[x * K];
}
void run() { gemm<<<dim3(CEIL_DIV(256, 32), CEIL_DIV(512, 64)), 128>>>(512, 256, 64, a, b, c); }
`;
    const inferred = inferAnnotation(text, 'gemm', 'cuda');
    assert.deepEqual(inferred?.sizes, { m: 512, n: 256, k: 64 });
    assert.deepEqual(inferred.block, [128]);
    assert.deepEqual(inferred.grid, ['8', '8'], 'no expression yields it');
    assert.deepEqual(inferred.layouts, ['col', 'col', 'row']);
    assert.equal(inferred.dtype, 'f16');
  });

  it('leaves open what the source does not determine', () => {
    const [kernel = ''] = naive.split('int main');
    const inferred = inferAnnotation(kernel, 'matmul', 'cuda');
    assert.deepEqual(inferred?.sizes, {});
    assert.equal(inferred.block, undefined);
    const three = kernel.replace('int N)', 'int M, int N, int K)');
    const known = inferAnnotation(`const int N = 64;\n${three}`, 'matmul', 'cuda');
    assert.deepEqual(known?.sizes, { n: 64 }, 'M and K are arguments');
  });

  it('ignores launches in comments and values that change at run time', () => {
    assert.equal(launchIn('// matmul<<<1, 2>>>(a);', 'matmul'), undefined);
    const launch = launchIn('matmul<<<blocks, atoi(argv[1])>>>(a, size);', 'matmul');
    assert.deepEqual(launch, { grid: undefined, block: undefined, values: [undefined, undefined] });
  });
});
