// pipelined GEMM, f32: C = alpha * A * B + C
//
// Each thread block computes a 128 x 96 tile of C: 64 x 48 per warp and 8 x 12 accumulators per
// thread.
// - Software pipelining with 4 stages: asynchronous copies (cp.async) of 8-deep tiles fill shared
//   memory ahead of the FMAs. Fragments are double-buffered in registers.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - A is loaded one element at a time, since lda = 333 is not a multiple of 2.
// - B is loaded one element at a time, since ldb = 471 is not a multiple of 2.
// - C is stored through shared memory, so that the stores of a warp are coalesced, since ldc = 471
//   is not a multiple of 2.
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it or wrap around, and stores are bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 95) / 96, (M + 127) / 128), block (128), 35,840 B of shared memory.
// For 333 x 471 x 85: grid 5 x 3.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;               // rows of C per thread block
constexpr int BN = 96;                // columns of C per thread block
constexpr int BK = 8;                 // K extent of the shared-memory tiles
constexpr int WM = 64;                // rows of C per warp
constexpr int WN = 48;                // columns of C per warp
constexpr int TM = 8;                 // rows of C per thread
constexpr int TN = 12;                // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_M = 8;            // lanes per warp along M
constexpr int LANES_N = 4;            // lanes per warp along N
constexpr int LOADS_A = 8;            // elements that a thread loads per A tile
constexpr int LOADS_B = 6;            // elements that a thread loads per B tile
constexpr int STEP_LOADS_A = 2;       // A loads issued per k
constexpr int STEP_LOADS_B = 2;       // B loads issued per k
constexpr int STAGES = 4;             // pipeline stages (pairs of A and B tiles in shared memory)
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
  __shared__ __align__(16) float Cs[THREADS / 32 * LANES_M][WN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 3 groups of 4 columns (stride 16).
  // Lanes are arranged in 2 x 2 quads: pairs of lanes read the same address, so a wavefront of
  // shared memory serves twice as many lanes.
  const int threadRow = warp / (BN / WN) * WM + (lane / 2 % 2 + lane / (2 * LANES_N) * 2) * VEC;
  const int threadCol = warp % (BN / WN) * WN + (lane % 2 + lane / 4 % (LANES_N / 2) * 2) * VEC;
  // Tile coordinates of this thread's first copy.
  const int kA = threadIdx.x / BM;
  const int rowA = threadIdx.x % BM;
  // Copies past the edge of a matrix wrap around, since asynchronous copies of one element by
  // many lanes are serialized.
  const int globalRowA = blockRow + rowA < M ? blockRow + rowA : min(blockRow + rowA - M, M - 1);

  float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];

  const int tiles = (K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - K;

  // Rows and columns past the edge are clamped or wrapped around; their results are not stored.
  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (past the
  // end of K, recopy the last tile).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      if (skip <= k0 + kA + i * (THREADS / BM)) {
        __pipeline_memcpy_async(&As[t][kA + i * (THREADS / BM)][rowA],
                                &A[(k0 + kA + i * (THREADS / BM) - skip) * lda + globalRowA], sizeof(float));
      } else {
        As[t][kA + i * (THREADS / BM)][rowA] = 0.0f;
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / BN;
      const int c = e % BN;
      const int globalCol = blockCol + c < N ? blockCol + c : min(blockCol + c - N, N - 1);
      if (skip <= k0 + r) {
        __pipeline_memcpy_async(&Bs[t][r][c],
                                &B[(k0 + r - skip) * ldb + globalCol], sizeof(float));
      } else {
        Bs[t][r][c] = 0.0f;
      }
    }
    __pipeline_commit();
  }
  // Load the first fragments once the first tile has arrived (at most 2 newer cp.async groups
  // left in flight).
  __pipeline_wait_prior(2);
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
    // Prefetch the tile 3 iterations ahead into the stage that was freed last; past the end of K,
    // recopy the last tile.
    const int later = min(t + STAGES - 1, tiles - 1);
    const int k0 = later * BK - skip;
    // Fragments are double-buffered by the parity of k: 96 FMAs per k overlap with the 8 + 12
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
          __pipeline_memcpy_async(&As[into][kA + (k * STEP_LOADS_A + i) * (THREADS / BM)][rowA],
                                  &A[(k0 + kA + (k * STEP_LOADS_A + i) * (THREADS / BM)) * lda + globalRowA], sizeof(float));
        }
      }
      if (k < LOADS_B / STEP_LOADS_B) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_B; ++i) {
          const int eB = (k * STEP_LOADS_B + i) * THREADS + threadIdx.x;
          const int rB = eB / BN;
          const int cB = eB % BN;
          const int globalColB = blockCol + cB < N ? blockCol + cB : min(blockCol + cB - N, N - 1);
          __pipeline_memcpy_async(&Bs[into][rB][cB],
                                  &B[(k0 + rB) * ldb + globalColB], sizeof(float));
        }
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        #pragma unroll
        for (int i = 0; i < TM; ++i) {
          const int m = i + n % 2 * (TM - 1 - 2 * i);
          acc[m][n] += a[k % 2][m] * b[k % 2][n];
        }
      }
    }
    __pipeline_commit();
    // Wait for the next tile (at most 2 newer cp.async groups left in flight). The barrier also
    // frees the stage that is refilled next.
    __pipeline_wait_prior(2);
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
    for (int n = 0; n < TN; ++n) {
      #pragma unroll
      for (int i = 0; i < TM; ++i) {
        const int m = i + n % 2 * (TM - 1 - 2 * i);
        acc[m][n] += a[1][m] * b[1][n];
      }
    }
  }
  // Drain: wait for the redundant copies at the end of K.
  __pipeline_wait_prior(0);

  // Epilogue: write the accumulators to C through shared memory, one row per thread at a time,
  // so that consecutive lanes store consecutive columns.
  const int warpRow = blockRow + warp / (BN / WN) * WM;
  const int warpCol = blockCol + warp % (BN / WN) * WN;
  const int line = warp * LANES_M + threadRow % WM / VEC;
  const int firstInLine = threadCol % WN;
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      alignas(16) float out[VEC];
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        out[j] = alpha * acc[m][n + j];
      }
      copy4(&Cs[line][firstInLine + n * LANES_N], out);
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < TN; ++i) {
      const int e = i * 32 + lane;
      const int row = warpRow + e / WN * VEC + m / VEC * VEC * LANES_M + m % VEC;
      const int col = warpCol + e % WN;
      if (row < M && col < N) {
        C[row * ldc + col] = Cs[warp * LANES_M + e / WN][e % WN] + C[row * ldc + col];
      }
    }
    __syncthreads();
  }
}

// Spec key: gemm-f32-pipelined-333x471x85-crr-128x96x8-w64x48-8x12-v4-s4-bf272906
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":333,"n":471,"k":85,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":1},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":96,"k":8},"warp":{"m":64,"n":48},"thread":{"m":8,"n":12},"vector":4,"stages":4,"fragments":2,"traversal":"col","padding":{"a":4,"b":4},"minBlocksPerSm":3},"device":"h200","targets":["cuda"],"grid":["ceil(n / 96)","ceil(m / 128)"],"block":[128],"args":["m","n","k","alpha","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=114be3e72c06bbab7ea90f81dd40756bbc4f8582518988137f944ffb38d9b7fd
