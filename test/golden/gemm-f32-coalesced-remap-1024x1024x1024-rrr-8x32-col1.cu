// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C from global memory; threadIdx.x walks columns, so a warp touches
// neighbouring elements of B and C: coalesced.
// blockIdx.x selects the row of tiles, so consecutive blocks share columns of B.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 8, N a multiple of 32: accesses along them are not guarded.
//
// Launch for 1024 x 1024 x 1024: grid 128 x 32, block 256, no shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-coalesced-remap-1024x1024x1024-rrr-8x32-col1.cu
// Call: gemm_coalesced<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":8,"n":32},"variant":"remap","raster":{"order":"col"}},"device":"h200","targets":["cuda"],"grid":["ceil(m / 8)","ceil(n / 32)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=3ba474df74072d157a92d3656a28e1282aaf2150ed61fd57adba8a6bc1d07fc8

constexpr int BM = 8;         // rows of C a block computes, one a thread
constexpr int BN = 32;        // columns of C a block computes, one a thread
constexpr int THREADS = 256;  // threads a block

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
