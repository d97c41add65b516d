// mma GEMM, tf32 to f32, f32 accumulation: C = A * B
//
// Each thread block computes a 128 x 64 tile of C, each warp a 64 x 64 warp tile. Warps multiply
// with mma.sync m16n8k8 on tensor cores.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 32-deep tiles of A and B
//   fill shared memory ahead of the MMAs. Fragments are double-buffered in registers.
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - mma.sync fragments: each 32-bit register holds one element. A lane holds rows lane/4 and lane/4
//   + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for K, lda, N, ldb and ldc. They require 16-byte
// aligned A, B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 8 instructions in ascending order of k.
//
// Launch: grid ((N + 63) / 64, (M + 127) / 128), block (64), 82,944 B of dynamic shared memory.
// For 1000 x 1000 x 1000: grid 16 x 8.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 82944);
// Call: gemm_mma<<<grid, block, 82944>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cstdint>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;          // rows of C per thread block
constexpr int BN = 64;           // columns of C per thread block
constexpr int BK = 32;           // K extent of the shared-memory tiles
constexpr int WM = 64;           // rows of C per warp
constexpr int WN = 64;           // columns of C per warp
constexpr int MMA_M = 16;        // rows of C and A per MMA
constexpr int MMA_N = 8;         // columns of C and B per MMA
constexpr int MMA_K = 8;         // K extent per MMA (matrix multiply-accumulate)
constexpr int VEC = 4;           // elements per vectorized access
constexpr int LOADS_A = 16;      // vectors of 4 elements that a thread loads per A tile
constexpr int LOADS_B = 8;       // vectors of 4 elements that a thread loads per B tile
constexpr int STAGES = 3;        // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int STEP_LOADS_A = 8;  // A loads issued per k-step
constexpr int STEP_LOADS_B = 4;  // B loads issued per k-step
constexpr int SWIZZLE_A = 8;     // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 4;     // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;         // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 8;   // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 4;   // rows of Bs that the thread block stores per pass
constexpr int RASTER = 8;        // tile rows per raster group (L2 reuse)
constexpr int THREADS = 64;      // threads per block

// Vectorized copy of 2 elements in one 8-byte access; both addresses must be 8-byte aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// Round to the nearest tf32; tensor cores would truncate an f32.
__device__ __forceinline__ uint32_t toTf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

// ldmatrix: loads four 8 x 8 matrices with 16-byte rows from shared memory.
// Lane i + 8 j supplies the address of row i of matrix j.
// Lane l receives word l % 4 of row l/4 of each matrix, rounded to tf32.
__device__ __forceinline__ void ldmatrix4(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
  #pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = toTf32(__uint_as_float(to[i]));
}

// mma.sync: acc += a * b on tensor cores, with a 16 x 8 and b 8 x 8.
// Each lane holds two adjacent columns of accumulator rows lane/4 and lane/4 + 8.
__device__ __forceinline__ void mma(float* acc, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K,
         const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
         float* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<float(*)[BM][BK]>(shared);
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(shared + STAGES * BM * BK * sizeof(float));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BM * BK * sizeof(float) + STAGES * BK * BN * sizeof(float));

  // Rasterization in groups of RASTER tile rows (L2 reuse); the last group may be smaller.
  const int tilesM = (M + BM - 1) / BM;
  const int tilesN = (N + BN - 1) / BN;
  const int linearTile = blockIdx.y * tilesN + blockIdx.x;
  const int firstTileRow = linearTile / (RASTER * tilesN) * RASTER;
  const int groupRows = min(tilesM - firstTileRow, RASTER);
  const int blockRow = (firstTileRow + linearTile % (RASTER * tilesN) % groupRows) * BM;
  const int blockCol = linearTile % (RASTER * tilesN) / groupRows * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN) * WM;
  const int warpCol = warp % (BN / WN) * WN;
  // Tile coordinates of this thread's first copy.
  const int rowA = threadIdx.x / (BK / VEC);
  const int kA = threadIdx.x % (BK / VEC) * VEC;
  const int kB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix. Operands
  // that ldmatrix cannot load are loaded element by element.
  const int laneRow = warpRow + lane / 8 % 2 * 8 + lane % 8;
  const int laneKA = lane / 16 * 4;
  const int swizzleA = lane % 8 % SWIZZLE_A * 4;
  const int laneCol = warpCol + lane / 4;
  const int laneKB = lane % 4;
  const int swizzleB = lane % 4 % SWIZZLE_B * 8;

  // Registers: 4 accumulators per MMA and lane, and double-buffered fragments of A and B.
  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[2][WM / MMA_M][4];
  uint32_t b[2][WN / MMA_N][2];

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
        __pipeline_memcpy_async(&As[t][rowA + i * PASS_ROWS_A][kA ^ (rowA % SWIZZLE_A * 4)],
                                &A[min(blockRow + rowA + i * PASS_ROWS_A, M - 1) * lda + k0 + kA - skip], sizeof(float4));
      } else {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
          As[t][rowA + i * PASS_ROWS_A][(kA ^ (rowA % SWIZZLE_A * 4)) + j] = 0.0f;
        }
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      if (skip <= k0 + kB + i * PASS_ROWS_B) {
        __pipeline_memcpy_async(&Bs[t][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                &B[(k0 + kB + i * PASS_ROWS_B - skip) * ldb + min(blockCol + colB, N - VEC)], sizeof(float4));
      } else {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
          Bs[t][kB + i * PASS_ROWS_B][(colB ^ (kB % SWIZZLE_B * 8)) + j] = 0.0f;
        }
      }
    }
    __pipeline_commit();
  }
  // Load the first fragments once the first tile has arrived (at most 1 newer cp.async group
  // left in flight).
  __pipeline_wait_prior(1);
  __syncthreads();
  #pragma unroll
  for (int m = 0; m < WM / MMA_M; ++m) {
    ldmatrix4(a[0][m], &As[0][laneRow + m * MMA_M][laneKA ^ swizzleA]);
  }
  #pragma unroll
  for (int n = 0; n < WN / MMA_N; ++n) {
    b[0][n][0] = toTf32(Bs[0][laneKB][(laneCol + n * MMA_N) ^ swizzleB]);
    b[0][n][1] = toTf32(Bs[0][laneKB + 4][(laneCol + n * MMA_N) ^ swizzleB]);
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int into = (t + STAGES - 1) % STAGES;
    // Prefetch the tile 2 iterations ahead into the stage that was freed last; past the end of K,
    // recopy the last tile.
    const int next = min(t + STAGES - 1, tiles - 1);
    const int k0 = next * BK - skip;
    // k-step of 8: 32 MMAs per warp. Fragments are double-buffered: the 4 + 8 fragments of the
    // next k-step are loaded meanwhile.
    // Each k-step issues some of the copies of the prefetched tile.
    #pragma unroll
    for (int k = 0; k < BK - MMA_K; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[(k + MMA_K) / MMA_K % 2][m], &As[stage][laneRow + m * MMA_M][(laneKA + k + MMA_K) ^ swizzleA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        b[(k + MMA_K) / MMA_K % 2][n][0] = toTf32(Bs[stage][laneKB + k + MMA_K][(laneCol + n * MMA_N) ^ swizzleB]);
        b[(k + MMA_K) / MMA_K % 2][n][1] = toTf32(Bs[stage][laneKB + k + MMA_K + 4][(laneCol + n * MMA_N) ^ swizzleB]);
      }
      if (k / MMA_K < LOADS_A / STEP_LOADS_A) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_A; ++i) {
          __pipeline_memcpy_async(&As[into][rowA + (k / MMA_K * STEP_LOADS_A + i) * PASS_ROWS_A][kA ^ (rowA % SWIZZLE_A * 4)],
                                  &A[min(blockRow + rowA + (k / MMA_K * STEP_LOADS_A + i) * PASS_ROWS_A, M - 1) * lda + k0 + kA], sizeof(float4));
        }
      }
      if (k / MMA_K < LOADS_B / STEP_LOADS_B) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_B; ++i) {
          __pipeline_memcpy_async(&Bs[into][kB + (k / MMA_K * STEP_LOADS_B + i) * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                  &B[(k0 + kB + (k / MMA_K * STEP_LOADS_B + i) * PASS_ROWS_B) * ldb + min(blockCol + colB, N - VEC)], sizeof(float4));
        }
      }
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        #pragma unroll
        for (int n = 0; n < WN / MMA_N; ++n) {
          mma(acc[m][n], a[k / MMA_K % 2][m], b[k / MMA_K % 2][n]);
        }
      }
    }
    __pipeline_commit();
    // Wait for the next tile (at most 1 newer cp.async group left in flight). The barrier also
    // frees the stage that is refilled next.
    __pipeline_wait_prior(1);
    __syncthreads();
    // Peeled last k-step: load the first fragments of the next tile, then multiply fragment buffer
    // 1.
    #pragma unroll
    for (int m = 0; m < WM / MMA_M; ++m) {
      ldmatrix4(a[0][m], &As[(t + 1) % STAGES][laneRow + m * MMA_M][laneKA ^ swizzleA]);
    }
    #pragma unroll
    for (int n = 0; n < WN / MMA_N; ++n) {
      b[0][n][0] = toTf32(Bs[(t + 1) % STAGES][laneKB][(laneCol + n * MMA_N) ^ swizzleB]);
      b[0][n][1] = toTf32(Bs[(t + 1) % STAGES][laneKB + 4][(laneCol + n * MMA_N) ^ swizzleB]);
    }
    #pragma unroll
    for (int m = 0; m < WM / MMA_M; ++m) {
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        mma(acc[m][n], a[1][m], b[1][n]);
      }
    }
  }
  // Drain: wait for the redundant copies at the end of K.
  __pipeline_wait_prior(0);

  // Epilogue: write this warp's accumulators to C, 16 rows at a time. A lane holds two adjacent
  // columns of rows lane/4 and lane/4 + 8; staging in shared memory makes the stores vectorized
  // and coalesced.
  #pragma unroll
  for (int m = 0; m < WM / MMA_M; ++m) {
    #pragma unroll
    for (int n = 0; n < WN / MMA_N; ++n) {
      copy2(&Cs[warp * MMA_M + lane / 4][n * MMA_N + lane % 4 * 2], acc[m][n]);
      copy2(&Cs[warp * MMA_M + lane / 4 + 8][n * MMA_N + lane % 4 * 2], &acc[m][n][2]);
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < MMA_M * WN; i += 32 * VEC) {
      const int e = i + lane * VEC;
      const int row = blockRow + warpRow + m * MMA_M + e / WN;
      const int col = blockCol + warpCol + e % WN;
      if (row < M && col < N) {
        alignas(16) float out[VEC];
        copy4(out, &Cs[warp * MMA_M + e / WN][e % WN]);
        copy4(&C[row * ldc + col], out);
      }
    }
    __syncthreads();
  }
}

// Spec key: gemm-tf32-mma-1000x1000x1000-rrr-128x64x32-w64x64-v4-s3-xor-1dc91a12
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"tf32","layout":"row"},"b":{"dtype":"tf32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":64,"k":32},"warp":{"m":64,"n":64},"vector":4,"stages":3,"fragments":2,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":8}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 128)"],"block":[64],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":82944}
// @gemm-generated v1 sha256=0c38ae7100fce4febfc2a49f996980050b6fb1ff00ecb679870cde8fd07eebe5
