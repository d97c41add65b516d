// pipelined GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 128 tile of C: 32 x 64 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining with 4 stages: asynchronous copies (cp.async) of 16-deep tiles fill shared
//   memory ahead of the FMAs.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it or wrap around, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for N, ldb and ldc. They require 16-byte aligned B and
// C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 127) / 128, (M + 63) / 64), block (128), 50,176 B of dynamic shared memory.
// For 1000 x 1000 x 1000: grid 8 x 16.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, 50176);
// Call: gemm_pipelined<<<grid, block, 50176>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 64;                // rows of C per thread block
constexpr int BN = 128;               // columns of C per thread block
constexpr int BK = 16;                // K extent of the shared-memory tiles
constexpr int WM = 32;                // rows of C per warp
constexpr int WN = 64;                // columns of C per warp
constexpr int TM = 8;                 // rows of C per thread
constexpr int TN = 8;                 // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_M = 4;            // lanes per warp along M
constexpr int LANES_N = 8;            // lanes per warp along N
constexpr int LOADS_A = 8;            // elements that a thread loads per A tile
constexpr int LOADS_B = 4;            // vectors of 4 elements that a thread loads per B tile
constexpr int STAGES = 4;             // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int PAD_A = 4;              // row padding of As in elements (avoids bank conflicts)
constexpr int THREADS = 128;          // threads per block
constexpr int MIN_BLOCKS_PER_SM = 4;  // minimum resident blocks per SM (limits registers per thread)

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
gemm_pipelined(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<float(*)[BK][BM + PAD_A]>(shared);
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(shared + STAGES * BK * (BM + PAD_A) * sizeof(float));

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 16) and 2 groups of 4 columns (stride 32).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  const int tiles = (K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - K;

  // Rows and columns past the edge are clamped or wrapped around; their results are not stored.
  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (empty past
  // the end of K).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) {
      const int k0 = t * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / BK;
        const int c = e % BK;
        if (skip <= k0 + c) {
          __pipeline_memcpy_async(&As[t][c][r],
                                  &A[min(blockRow + r, M - 1) * lda + k0 + c - skip], sizeof(float));
        } else {
          As[t][c][r] = 0.0f;
        }
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        const int globalCol = blockCol + c < N ? blockCol + c : min(blockCol + c - N, N - VEC);
        if (skip <= k0 + r) {
          __pipeline_memcpy_async(&Bs[t][r][c],
                                  &B[(k0 + r - skip) * ldb + globalCol], sizeof(float4));
        } else {
          #pragma unroll
          for (int j = 0; j < VEC; ++j) {
            Bs[t][r][c + j] = 0.0f;
          }
        }
      }
    }
    __pipeline_commit();
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + STAGES - 1;
    const int into = next % STAGES;
    // Wait for the copies of tile t (at most 2 newer cp.async groups left in flight). The barrier
    // makes them visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(2);
    __syncthreads();
    // Prefetch the tile 3 iterations ahead into the stage that was freed last.
    if (next < tiles) {
      const int k0 = next * BK - skip;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / BK;
        const int c = e % BK;
        __pipeline_memcpy_async(&As[into][c][r],
                                &A[min(blockRow + r, M - 1) * lda + k0 + c], sizeof(float));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        const int globalCol = blockCol + c < N ? blockCol + c : min(blockCol + c - N, N - VEC);
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[(k0 + r) * ldb + globalCol], sizeof(float4));
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
    if (r < M) {
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        const int c = col + n * LANES_N;
        if (c < N) {
          copy4(&C[r * ldc + c], &acc[m][n]);
        }
      }
    }
  }
}

// Spec key: gemm-f32-pipelined-1000x1000x1000-rrr-64x128x16-w32x64-8x8-v4-2abd7e38
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":64,"n":128,"k":16},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"stages":4,"padding":{"a":4},"minBlocksPerSm":4},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 64)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":50176}
// @gemm-generated v1 sha256=a2c1c31949d1d4503e3a0157975a111936ba205322a91fda505cf4481b3a7a19
