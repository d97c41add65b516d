// mma GEMM, e4m3 to bf16, f32 accumulation: C = A * B
//
// Each thread block computes a 128 x 128 tile of C, each warp a 64 x 64 warp tile. Warps multiply
// with mma.sync m16n8k32 on tensor cores.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 64-deep tiles of A and B
//   fill shared memory ahead of the MMAs. Fragments are double-buffered in registers.
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - mma.sync fragments: each 32-bit register packs four elements with consecutive k. A lane holds
//   rows lane/4 and lane/4 + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 64 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 8 for lda, ldb and ldc. They require 16-byte aligned C
// and 8-byte aligned A and B (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 32 instructions in ascending order of k.
//
// Launch: grid (N / 128, M / 128), block (128), 67,584 B of dynamic shared memory.
// For 4096 x 4096 x 4096: grid 32 x 32.
// Compile: nvcc -O3 -arch=sm_89 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 67584);
// Call: gemm_mma<<<grid, block, 67584>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;          // rows of C per thread block
constexpr int BN = 128;          // columns of C per thread block
constexpr int BK = 64;           // K extent of the shared-memory tiles
constexpr int WM = 64;           // rows of C per warp
constexpr int WN = 64;           // columns of C per warp
constexpr int MMA_M = 16;        // rows of C and A per MMA
constexpr int MMA_N = 8;         // columns of C and B per MMA
constexpr int MMA_K = 32;        // K extent per MMA (matrix multiply-accumulate)
constexpr int VEC = 8;           // elements per vectorized access
constexpr int LOADS_A = 8;       // vectors of 8 elements that a thread loads per A tile
constexpr int LOADS_B = 8;       // vectors of 8 elements that a thread loads per B tile
constexpr int STAGES = 3;        // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int STEP_LOADS_A = 8;  // A loads issued per k-step
constexpr int STEP_LOADS_B = 8;  // B loads issued per k-step
constexpr int SWIZZLE_A = 4;     // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 4;     // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;         // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 16;  // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 16;  // rows of Bs that the thread block stores per pass
constexpr int RASTER = 8;        // tile rows per raster group (L2 reuse)
constexpr int THREADS = 128;     // threads per block

// Vectorized copy of 2 elements in one 8-byte access; both addresses must be 8-byte aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// Converts 8 elements to __nv_bfloat16 and stores them in one 16-byte access.
__device__ __forceinline__ void store8(__nv_bfloat16* to, const float* from) {
  alignas(16) __nv_bfloat16 v[8];
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = __float2bfloat16(from[i]);
  }
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(v);
}

// ldmatrix: loads four 8 x 8 matrices with 16-byte rows from shared memory.
// Lane i + 8 j supplies the address of row i of matrix j.
// Lane l receives word l % 4 of row l/4 of each matrix.
__device__ __forceinline__ void ldmatrix4(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// mma.sync: acc += a * b on tensor cores, with a 16 x 32 and b 32 x 8.
// Each lane holds two adjacent columns of accumulator rows lane/4 and lane/4 + 8.
__device__ __forceinline__ void mma(float* acc, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K,
         const __nv_fp8_e4m3* __restrict__ A, int lda, const __nv_fp8_e4m3* __restrict__ B, int ldb,
         __nv_bfloat16* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<__nv_fp8_e4m3(*)[BM][BK]>(shared);
  auto Bs = reinterpret_cast<__nv_fp8_e4m3(*)[BN][BK]>(shared + STAGES * BM * BK * sizeof(__nv_fp8_e4m3));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BM * BK * sizeof(__nv_fp8_e4m3) + STAGES * BN * BK * sizeof(__nv_fp8_e4m3));

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
  const int colB = threadIdx.x / (BK / VEC);
  const int kB = threadIdx.x % (BK / VEC) * VEC;
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix; lanes 8 j to
  // 8 j + 7 address matrix j.
  const int laneRow = warpRow + lane / 8 % 2 * 8 + lane % 8;
  const int laneKA = lane / 16 * 16;
  const int swizzleA = lane % 8 / 2 % SWIZZLE_A * 16;
  const int laneCol = warpCol + lane / 16 * 8 + lane % 8;
  const int laneKB = lane / 8 % 2 * 16;
  const int swizzleB = lane % 8 / 2 % SWIZZLE_B * 16;

  // Registers: 4 accumulators per MMA and lane, and double-buffered fragments of A and B.
  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[2][WM / MMA_M][4];
  uint32_t b[2][WN / MMA_N][2];

  const int tiles = K / BK;

  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (past the
  // end of K, recopy the last tile).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      __pipeline_memcpy_async(&As[t][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 16)],
                              &A[(blockRow + rowA + i * PASS_ROWS_A) * lda + k0 + kA], sizeof(int2));
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      __pipeline_memcpy_async(&Bs[t][colB + i * PASS_ROWS_B][kB ^ (colB / 2 % SWIZZLE_B * 16)],
                              &B[(blockCol + colB + i * PASS_ROWS_B) * ldb + k0 + kB], sizeof(int2));
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
  for (int n = 0; n < WN / MMA_N; n += 2) {
    ldmatrix4(b[0][n], &Bs[0][laneCol + n * MMA_N][laneKB ^ swizzleB]);
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int into = (t + STAGES - 1) % STAGES;
    // Prefetch the tile 2 iterations ahead into the stage that was freed last; past the end of K,
    // recopy the last tile.
    const int next = min(t + STAGES - 1, tiles - 1);
    const int k0 = next * BK;
    // k-step of 32: 32 MMAs per warp. Fragments are double-buffered: the 4 + 8 fragments of the
    // next k-step are loaded meanwhile.
    // Each k-step issues some of the copies of the prefetched tile.
    #pragma unroll
    for (int k = 0; k < BK - MMA_K; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[(k + MMA_K) / MMA_K % 2][m], &As[stage][laneRow + m * MMA_M][(laneKA + k + MMA_K) ^ swizzleA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 2) {
        ldmatrix4(b[(k + MMA_K) / MMA_K % 2][n], &Bs[stage][laneCol + n * MMA_N][(laneKB + k + MMA_K) ^ swizzleB]);
      }
      if (k / MMA_K < LOADS_A / STEP_LOADS_A) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_A; ++i) {
          __pipeline_memcpy_async(&As[into][rowA + (k / MMA_K * STEP_LOADS_A + i) * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 16)],
                                  &A[(blockRow + rowA + (k / MMA_K * STEP_LOADS_A + i) * PASS_ROWS_A) * lda + k0 + kA], sizeof(int2));
        }
      }
      if (k / MMA_K < LOADS_B / STEP_LOADS_B) {
        #pragma unroll
        for (int i = 0; i < STEP_LOADS_B; ++i) {
          __pipeline_memcpy_async(&Bs[into][colB + (k / MMA_K * STEP_LOADS_B + i) * PASS_ROWS_B][kB ^ (colB / 2 % SWIZZLE_B * 16)],
                                  &B[(blockCol + colB + (k / MMA_K * STEP_LOADS_B + i) * PASS_ROWS_B) * ldb + k0 + kB], sizeof(int2));
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
    for (int n = 0; n < WN / MMA_N; n += 2) {
      ldmatrix4(b[0][n], &Bs[(t + 1) % STAGES][laneCol + n * MMA_N][laneKB ^ swizzleB]);
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
      alignas(16) float out[VEC];
      #pragma unroll
      for (int j = 0; j < VEC; j += 4) {
        copy4(&out[j], &Cs[warp * MMA_M + e / WN][e % WN + j]);
      }
      store8(&C[row * ldc + col], out);
    }
    __syncthreads();
  }
}

// Spec key: gemm-e4m3e4m3bf16f32-mma-4096x4096x4096-rcr-128x128x64-w64x64-b8581d00
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"e4m3","layout":"row"},"b":{"dtype":"e4m3","layout":"col"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":64},"warp":{"m":64,"n":64},"vector":8,"stages":3,"fragments":2,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":32}},"device":"rtx-4090","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":67584}
// @gemm-generated v1 sha256=2f5168487a3c044084f7aa9a9dd530e481d791e42363435468871968d93e6371
