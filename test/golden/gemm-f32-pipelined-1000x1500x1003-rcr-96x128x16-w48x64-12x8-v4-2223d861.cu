// pipelined GEMM, f32: C = A * B + C
//
// Each thread block computes a 96 x 128 tile of C: 48 x 64 per warp and 12 x 8 accumulators per
// thread.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 16-deep tiles fill shared
//   memory ahead of the FMAs. Fragments are double-buffered in registers.
// - A and B are transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
// - B is copied one element at a time, since the transposition scatters elements to different rows
//   of Bs.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for N and ldc. They require 16-byte aligned C (as
// cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 127) / 128, (M + 95) / 96), block (128), 44,544 B of shared memory.
// For 1000 x 1500 x 1003: grid 12 x 11.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 96;                // rows of C per thread block
constexpr int BN = 128;               // columns of C per thread block
constexpr int BK = 16;                // K extent of the shared-memory tiles
constexpr int WM = 48;                // rows of C per warp
constexpr int WN = 64;                // columns of C per warp
constexpr int TM = 12;                // rows of C per thread
constexpr int TN = 8;                 // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_M = 4;            // lanes per warp along M
constexpr int LANES_N = 8;            // lanes per warp along N
constexpr int LOADS_A = 12;           // elements that a thread loads per A tile
constexpr int LOADS_B = 16;           // elements that a thread loads per B tile
constexpr int STEP_LOADS_A = 3;       // A loads issued per k
constexpr int STEP_LOADS_B = 4;       // B loads issued per k
constexpr int STAGES = 3;             // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int PAD_A = 4;              // row padding of As in elements (avoids bank conflicts)
constexpr int PAD_B = 4;              // row padding of Bs in elements (avoids bank conflicts)
constexpr int THREADS = 128;          // threads per block
constexpr int MIN_BLOCKS_PER_SM = 3;  // minimum resident blocks per SM (limits registers per thread)

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
gemm_pipelined(int M, int N, int K, float alpha,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[STAGES][BK][BM + PAD_A];
  __shared__ __align__(16) float Bs[STAGES][BK][BN + PAD_B];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 3 groups of 4 rows (stride 16) and 2 groups of 4 columns (stride 32).
  // Lanes are arranged in 2 x 2 quads: pairs of lanes read the same address, so a wavefront of
  // shared memory serves twice as many lanes.
  const int threadRow = warp / (BN / WN) * WM + (lane / 2 % 2 + lane / (2 * LANES_N) * 2) * VEC;
  const int threadCol = warp % (BN / WN) * WN + (lane % 2 + lane / 4 % (LANES_N / 2) * 2) * VEC;
  // Tile coordinates of this thread's first copy.
  const int rowA = threadIdx.x / BK;
  const int kA = threadIdx.x % BK;
  const int colB = threadIdx.x / BK;
  const int kB = threadIdx.x % BK;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];

  const int tiles = (K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - K;

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (past the
  // end of K, recopy the last tile).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      if (skip <= k0 + kA) {
        __pipeline_memcpy_async(&As[t][kA][rowA + i * (THREADS / BK)],
                                &A[min(blockRow + rowA + i * (THREADS / BK), M - 1) * lda + k0 + kA - skip], sizeof(float));
      } else {
        As[t][kA][rowA + i * (THREADS / BK)] = 0.0f;
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      if (skip <= k0 + kB) {
        __pipeline_memcpy_async(&Bs[t][kB][colB + i * (THREADS / BK)],
                                &B[min(blockCol + colB + i * (THREADS / BK), N - 1) * ldb + k0 + kB - skip], sizeof(float));
      } else {
        Bs[t][kB][colB + i * (THREADS / BK)] = 0.0f;
      }
    }
    __pipeline_commit();
  }
  // Load the first fragments once the first tile has arrived (at most 1 newer cp.async group
  // left in flight).
  __pipeline_wait_prior(1);
  __syncthreads();
  #pragma unroll
  for (int m = 0; m < TM; m += VEC) {
    copy4(&a[0][m], &As[0][0][threadRow + m * LANES_M]);
  }
  #pragma unroll
  for (int n = 0; n < TN; n += VEC) {
    copy4(&b[0][n], &Bs[0][0][threadCol + n * LANES_N]);
  }

  for (int t = 0; t < tiles; ++t) {
    const int following = (t + 1) % STAGES;
    const int stage = t % STAGES;
    const int into = (t + STAGES - 1) % STAGES;
    // Prefetch the tile 2 iterations ahead into the stage that was freed last; past the end of K,
    // recopy the last tile.
    const int later = min(t + STAGES - 1, tiles - 1);
    const int k0 = later * BK - skip;
    // Fragments are double-buffered by the parity of k: 96 FMAs per k overlap with the 12 + 8
    // loads of the next k.
    #pragma unroll
    for (int k = 0; k < BK - 1; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[(k + 1) % 2][m], &As[stage][k + 1][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[(k + 1) % 2][n], &Bs[stage][k + 1][threadCol + n * LANES_N]);
      }
      if (k < LOADS_A / STEP_LOADS_A) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_A; ++i) {
          __pipeline_memcpy_async(&As[into][kA][rowA + (k * STEP_LOADS_A + i) * (THREADS / BK)],
                                  &A[min(blockRow + rowA + (k * STEP_LOADS_A + i) * (THREADS / BK), M - 1) * lda + k0 + kA], sizeof(float));
        }
      }
      if (k < LOADS_B / STEP_LOADS_B) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_B; ++i) {
          __pipeline_memcpy_async(&Bs[into][kB][colB + (k * STEP_LOADS_B + i) * (THREADS / BK)],
                                  &B[min(blockCol + colB + (k * STEP_LOADS_B + i) * (THREADS / BK), N - 1) * ldb + k0 + kB], sizeof(float));
        }
      }
      #pragma unroll
      for (int pair = 0; pair < TN; pair += 2) {
        #pragma unroll
        for (int i = 0; i < 2 * TM; ++i) {
          const int step = i / 2;
          const int m = step + pair / 2 % 2 * (TM - 1 - 2 * step);
          const int n = pair + (i + step) % 2;
          acc[m][n] += a[k % 2][m] * b[k % 2][n];
        }
      }
    }
    __pipeline_commit();
    // Wait for the next tile (at most 1 newer cp.async group left in flight). The barrier also
    // frees the stage that is refilled next.
    __pipeline_wait_prior(1);
    __syncthreads();
    #pragma unroll
    for (int m = 0; m < TM; m += VEC) {
      copy4(&a[0][m], &As[following][0][threadRow + m * LANES_M]);
    }
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      copy4(&b[0][n], &Bs[following][0][threadCol + n * LANES_N]);
    }
    #pragma unroll
    for (int pair = 0; pair < TN; pair += 2) {
      #pragma unroll
      for (int i = 0; i < 2 * TM; ++i) {
        const int step = i / 2;
        const int m = step + pair / 2 % 2 * (TM - 1 - 2 * step);
        const int n = pair + (i + step) % 2;
        acc[m][n] += a[1][m] * b[1][n];
      }
    }
  }
  // Drain: wait for the redundant copies at the end of K.
  __pipeline_wait_prior(0);

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
          alignas(16) float out[VEC];
          copy4(out, &C[r * ldc + c]);
          #pragma unroll
          for (int j = 0; j < VEC; ++j) {
            out[j] = alpha * acc[m][n + j] + out[j];
          }
          copy4(&C[r * ldc + c], out);
        }
      }
    }
  }
}

// Spec key: gemm-f32-pipelined-1000x1500x1003-rcr-96x128x16-w48x64-12x8-v4-2223d861
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":1000,"n":1500,"k":1003,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","beta":1},"schedule":{"algorithm":"pipelined","block":{"m":96,"n":128,"k":16},"warp":{"m":48,"n":64},"thread":{"m":12,"n":8},"vector":4,"stages":3,"fragments":2,"traversal":"col-pairs","padding":{"a":4,"b":4},"minBlocksPerSm":3},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 96)"],"block":[128],"args":["m","n","k","alpha","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=2d31ce8ed3a3c204a36db765e684b8da6e28dd158ce020a782dc51c33370aa02
