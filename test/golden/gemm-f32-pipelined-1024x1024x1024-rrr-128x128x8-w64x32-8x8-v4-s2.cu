// pipelined GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining with 2 stages: asynchronous copies (cp.async) of 8-deep tiles fill shared
//   memory ahead of the FMAs.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc. They require 16-byte aligned B and C
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 128, M / 128), block (256), 16,384 B of shared memory.
// For 1024 x 1024 x 1024: grid 8 x 8.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C per thread block
constexpr int BN = 128;       // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int WM = 64;        // rows of C per warp
constexpr int WN = 32;        // columns of C per warp
constexpr int TM = 8;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int VEC = 4;        // elements per vectorized access
constexpr int LANES_M = 8;    // lanes per warp along M
constexpr int LANES_N = 4;    // lanes per warp along N
constexpr int LOADS_A = 4;    // elements that a thread loads per A tile
constexpr int LOADS_B = 1;    // vectors of 4 elements that a thread loads per B tile
constexpr int STAGES = 2;     // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int THREADS = 256;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_pipelined(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[STAGES][BK][BM];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  const int tiles = K / BK;

  // Prologue: load the first tile.
  #pragma unroll
  for (int i = 0; i < LOADS_A; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e / BK;
    const int c = e % BK;
    __pipeline_memcpy_async(&As[0][c][r],
                            &A[(blockRow + r) * lda + c], sizeof(float));
  }
  #pragma unroll
  for (int i = 0; i < LOADS_B; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e / (BN / VEC);
    const int c = e % (BN / VEC) * VEC;
    __pipeline_memcpy_async(&Bs[0][r][c],
                            &B[r * ldb + blockCol + c], sizeof(float4));
  }
  __pipeline_commit();

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + 1;
    const int into = next % STAGES;
    // Wait for the copies of tile t (no cp.async group left in flight). The barrier makes them
    // visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(0);
    __syncthreads();
    // Prefetch the next tile into the other stage (double buffering).
    if (next < tiles) {
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / BK;
        const int c = e % BK;
        __pipeline_memcpy_async(&As[into][c][r],
                                &A[(blockRow + r) * lda + k0 + c], sizeof(float));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[(k0 + r) * ldb + blockCol + c], sizeof(float4));
      }
    }
    __pipeline_commit();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[m], &As[stage][k][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[n], &Bs[stage][k][threadCol + n * LANES_N]);
      }
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m] * b[n];
        }
      }
    }
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Row m of the thread belongs to group m / 4 of 4 adjacent rows.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m / VEC * VEC * LANES_M + m % VEC;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n * LANES_N;
      copy4(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f32-pipelined-1024x1024x1024-rrr-128x128x8-w64x32-8x8-v4-s2
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c511b14d887880e87109a9311d80275e5ef323bd29e7655afc6144070959b635
