// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. Consecutive threads compute
// consecutive columns of C, so consecutive lanes access consecutive elements of B and C
// (coalesced). All lanes in the same row of C read the same element of A (broadcast).
// - blockIdx.x selects the row of tiles, so consecutive thread blocks share columns of B.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 8 == 0, N % 32 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (M / 8, N / 32), block (256), no shared memory.
// For 1024 x 1024 x 1024: grid 128 x 32.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_coalesced<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 8;         // rows of C per thread block, one per thread
constexpr int BN = 32;        // columns of C per thread block, one per thread
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_coalesced(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  const int row = blockIdx.x * BM + threadIdx.x / BN;
  const int col = blockIdx.y * BN + threadIdx.x % BN;

  float acc = 0.0f;
  for (int k = 0; k < K; ++k) {
    acc += A[row * lda + k] * B[k * ldb + col];
  }
  C[row * ldc + col] = acc;
}

// Spec key: gemm-f32-coalesced-remap-1024x1024x1024-rrr-8x32-col1
// @gemm {"entry":"gemm_coalesced","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":8,"n":32},"variant":"remap","raster":{"order":"col"}},"device":"h200","targets":["cuda"],"grid":["ceil(m / 8)","ceil(n / 32)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=439d23af8e7eb01bf266d1ee592f35c02cec5777fa534bd266847c025b0935f4
