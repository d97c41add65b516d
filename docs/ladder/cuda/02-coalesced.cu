// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. threadIdx.x selects the
// column of C, so consecutive lanes access consecutive elements of B and C (coalesced). All lanes
// in the same row of C read the same element of A (broadcast).
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 32 == 0, N % 32 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 32, M / 32), block (32, 32), no shared memory.
// For 4096 x 4096 x 4096: grid 128 x 128.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_coalesced<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 32;         // rows of C per thread block, one per thread
constexpr int BN = 32;         // columns of C per thread block, one per thread
constexpr int THREADS = 1024;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_coalesced(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;

  float acc = 0.0f;
  for (int k = 0; k < K; ++k) {
    acc += A[row * lda + k] * B[k * ldb + col];
  }
  C[row * ldc + col] = acc;
}

// Spec key: gemm-f32-coalesced-swap-4096x4096x4096-rrr-32x32
// @gemm {"entry":"gemm_coalesced","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":32,"n":32},"variant":"swap"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[32,32],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=9f372f67fc84c31683bdfb5c0927f3050b77df0bfb014080e740a086694a6548
