// pipelined GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 256 tile of C: 32 x 128 per warp and 8 x 16 accumulators per
// thread.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 16-deep tiles fill shared
//   memory ahead of the FMAs. Fragments are double-buffered in registers.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 256 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc. They require 16-byte aligned B and C
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 256, M / 128), block (256), 75,264 B of dynamic shared memory.
// For 4096 x 4096 x 4096: grid 16 x 32.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, 75264);
// Call: gemm_pipelined<<<grid, block, 75264>>>(M, N, K, alpha, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;               // rows of C per thread block
constexpr int BN = 256;               // columns of C per thread block
constexpr int BK = 16;                // K extent of the shared-memory tiles
constexpr int WM = 32;                // rows of C per warp
constexpr int WN = 128;               // columns of C per warp
constexpr int TM = 8;                 // rows of C per thread
constexpr int TN = 16;                // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_M = 4;            // lanes per warp along M
constexpr int LANES_N = 8;            // lanes per warp along N
constexpr int LOADS_A = 8;            // elements that a thread loads per A tile
constexpr int LOADS_B = 4;            // vectors of 4 elements that a thread loads per B tile
constexpr int STEP_LOADS_A = 2;       // A loads issued per k
constexpr int STAGES = 3;             // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int PAD_A = 4;              // row padding of As in elements (avoids bank conflicts)
constexpr int PAD_B = 4;              // row padding of Bs in elements (avoids bank conflicts)
constexpr int THREADS = 256;          // threads per block
constexpr int MIN_BLOCKS_PER_SM = 1;  // minimum resident blocks per SM (limits registers per thread)

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
gemm_pipelined(int M, int N, int K, float alpha,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<float(*)[BK][BM + PAD_A]>(shared);
  auto Bs = reinterpret_cast<float(*)[BK][BN + PAD_B]>(shared + STAGES * BK * (BM + PAD_A) * sizeof(float));

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 16) and 4 groups of 4 columns (stride 32).
  // Lanes are arranged in 2 x 2 quads: pairs of lanes read the same address, so a wavefront of
  // shared memory serves twice as many lanes.
  const int threadRow = warp / (BN / WN) * WM + (lane / 2 % 2 + lane / (2 * LANES_N) * 2) * VEC;
  const int threadCol = warp % (BN / WN) * WN + (lane % 2 + lane / 4 % (LANES_N / 2) * 2) * VEC;
  // Tile coordinates of this thread's first copy.
  const int rowA = threadIdx.x / BK;
  const int kA = threadIdx.x % BK;
  const int kB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];

  const int tiles = K / BK;

  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (past the
  // end of K, recopy the last tile).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      __pipeline_memcpy_async(&As[t][kA][rowA + i * (THREADS / BK)],
                              &A[(blockRow + rowA + i * (THREADS / BK)) * lda + k0 + kA], sizeof(float));
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      __pipeline_memcpy_async(&Bs[t][kB + i * (THREADS / (BN / VEC))][colB],
                              &B[(k0 + kB + i * (THREADS / (BN / VEC))) * ldb + blockCol + colB], sizeof(float4));
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
    const int k0 = later * BK;
    // Fragments are double-buffered by the parity of k: 128 FMAs per k overlap with the 8 + 16
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
                                  &A[(blockRow + rowA + (k * STEP_LOADS_A + i) * (THREADS / BK)) * lda + k0 + kA], sizeof(float));
        }
      }
      if (k < LOADS_B) {
        __pipeline_memcpy_async(&Bs[into][kB + k * (THREADS / (BN / VEC))][colB],
                                &B[(k0 + kB + k * (THREADS / (BN / VEC))) * ldb + blockCol + colB], sizeof(float4));
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
      alignas(16) float out[VEC];
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        out[j] = alpha * acc[m][n + j];
      }
      copy4(&C[r * ldc + c], out);
    }
  }
}

// Spec key: gemm-f32-pipelined-4096x4096x4096-rrr-128x256x16-w32x128-8x16-e371d627
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":256,"k":16},"warp":{"m":32,"n":128},"thread":{"m":8,"n":16},"vector":4,"stages":3,"fragments":2,"traversal":"col","padding":{"a":4,"b":4},"minBlocksPerSm":1},"device":"h200","targets":["cuda"],"grid":["ceil(n / 256)","ceil(m / 128)"],"block":[256],"args":["m","n","k","alpha","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":75264}
// @gemm-generated v1 sha256=335f7608ac681b1167381b6c81fe916fe2905a2b3130eb487c1025000cf6576b
