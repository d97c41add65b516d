// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. Consecutive threads compute
// consecutive columns of C, so consecutive lanes access consecutive elements of B and C
// (coalesced). All lanes in the same row of C read the same element of A (broadcast).
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 8 == 0, N % 32 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 32, M / 8), block (256), no shared memory.
// For 1024 x 1024 x 1024: grid 32 x 128.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_coalesced<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 8;         // rows of C per thread block, one per thread
constexpr int BN = 32;        // columns of C per thread block, one per thread
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_coalesced(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  const int row = blockIdx.y * BM + threadIdx.x / BN;
  const int col = blockIdx.x * BN + threadIdx.x % BN;

  float acc = 0.0f;
  for (int k = 0; k < K; ++k) {
    acc += A[row * lda + k] * B[k * ldb + col];
  }
  C[row * ldc + col] = acc;
}

// Spec key: gemm-f32-coalesced-remap-1024x1024x1024-rrr-8x32
// @gemm {"entry":"gemm_coalesced","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":8,"n":32},"variant":"remap"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 8)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=07386a1c90cafbd7d31623369357afd55751162f34520089c988f486056a4101
