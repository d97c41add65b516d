// naive GEMM, f32: C = A * B
//
// Each thread computes one element of C from global memory; threadIdx.x walks rows, so a warp touches
// A and C a leading dimension apart: uncoalesced.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 32, N a multiple of 32: accesses along them are not guarded.
//
// Launch for 4096 x 4096 x 4096: grid 128 x 128, block 32 x 32, no shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c 01-naive.cu
// Call: gemm_naive<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"device":"h200","targets":["cuda"],"grid":["ceil(m / 32)","ceil(n / 32)"],"block":[32,32],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=cfceaf64aabdb754c956218454d2cbf51c6e02e08f35fca891ae15eade8a8d0e

constexpr int BM = 32;         // rows of C a block computes, one a thread
constexpr int BN = 32;         // columns of C a block computes, one a thread
constexpr int THREADS = 1024;  // threads a block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_naive(int M, int N, int K,
           const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
           float* __restrict__ C, int ldc) {
  const int row = blockIdx.x * BM + threadIdx.x;
  const int col = blockIdx.y * BN + threadIdx.y;

  float acc = 0.0f;
  for (int k = 0; k < K; ++k) {
    acc += A[row * lda + k] * B[k * ldb + col];
  }
  C[row * ldc + col] = acc;
}
