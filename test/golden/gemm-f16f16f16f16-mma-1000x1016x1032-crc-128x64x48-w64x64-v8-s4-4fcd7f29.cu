// mma GEMM, f16: C = alpha * A * B + beta * C
//
// Each thread block computes a 128 x 64 tile of C, each warp a 64 x 64 warp tile. Warps multiply
// with mma.sync m16n8k16 on tensor cores.
// - Software pipelining with 4 stages: asynchronous copies (cp.async) of 48-deep tiles of A and B
//   fill shared memory ahead of the MMAs.
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - mma.sync fragments: each 32-bit register packs two elements with consecutive k. A lane holds
//   rows lane/4 and lane/4 + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// blockIdx.z selects the batch entry. Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 8 for M, lda, strideA, N, ldb, strideB, ldc and strideC.
// They require 16-byte aligned A, B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch: grid ((N + 63) / 64, (M + 127) / 128, batch), block (64), 76,032 B of dynamic shared memory.
// For 1000 x 1016 x 1032, batch 2: grid 16 x 8 x 2.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 76032);
// Call: gemm_mma<<<grid, block, 76032>>>(M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC);

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;         // rows of C per thread block
constexpr int BN = 64;          // columns of C per thread block
constexpr int BK = 48;          // K extent of the shared-memory tiles
constexpr int WM = 64;          // rows of C per warp
constexpr int WN = 64;          // columns of C per warp
constexpr int MMA_M = 16;       // rows of C and A per MMA
constexpr int MMA_N = 8;        // columns of C and B per MMA
constexpr int MMA_K = 16;       // K extent per MMA (matrix multiply-accumulate)
constexpr int VEC = 8;          // elements per vectorized access
constexpr int LOADS_A = 12;     // vectors of 8 elements that a thread loads per A tile
constexpr int LOADS_B = 6;      // vectors of 8 elements that a thread loads per B tile
constexpr int STAGES = 4;       // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int SWIZZLE_A = 8;    // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 8;    // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;        // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 4;  // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 8;  // rows of Bs that the thread block stores per pass
constexpr int RASTER = 8;       // tile rows per raster group (L2 reuse)
constexpr int THREADS = 64;     // threads per block

// Vectorized copy of 8 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy8(__half* to, const __half* from) {
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
}

// ldmatrix: loads four 8 x 8 matrices with 16-byte rows from shared memory.
// Lane i + 8 j supplies the address of row i of matrix j.
// Lane l receives rows 2 (l % 4) and 2 (l % 4) + 1 of column l/4 of each matrix.
__device__ __forceinline__ void ldmatrix4Trans(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// mma.sync: acc += a * b on tensor cores, with a 16 x 16 and b 16 x 8.
// Each lane holds two adjacent columns of accumulator rows lane/4 and lane/4 + 8.
__device__ __forceinline__ void mma(__half* acc, const uint32_t* a, const uint32_t* b) {
  uint32_t* words = reinterpret_cast<uint32_t*>(acc);
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(words[0]), "+r"(words[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K, __half alpha,
         const __half* __restrict__ A, int lda, int strideA,
         const __half* __restrict__ B, int ldb, int strideB,
         __half beta, __half* __restrict__ C, int ldc, int strideC) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<__half(*)[BK][BM]>(shared);
  auto Bs = reinterpret_cast<__half(*)[BK][BN]>(shared + STAGES * BK * BM * sizeof(__half));
  auto Cs = reinterpret_cast<__half(*)[WM + PAD_C]>(shared + STAGES * BK * BM * sizeof(__half) + STAGES * BK * BN * sizeof(__half));

  // blockIdx.z selects the batch entry.
  const int offsetA = blockIdx.z * strideA;
  const int offsetB = blockIdx.z * strideB;
  const int offsetC = blockIdx.z * strideC;
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
  const int kA = threadIdx.x / (BM / VEC);
  const int rowA = threadIdx.x % (BM / VEC) * VEC;
  const int kB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix; lanes 8 j to
  // 8 j + 7 address matrix j.
  const int laneRow = warpRow + lane / 8 % 2 * 8;
  const int laneKA = lane / 16 * 8 + lane % 8;
  const int swizzleA = lane % 8 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 16 * 8;
  const int laneKB = lane / 8 % 2 * 8 + lane % 8;
  const int swizzleB = lane % 8 % SWIZZLE_B * 8;

  // Registers: 4 accumulators per MMA and lane, and fragments of A and B.
  alignas(4) __half acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][4];
  uint32_t b[WN / MMA_N][2];

  const int tiles = (K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - K;

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (empty past
  // the end of K).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) {
      const int k0 = t * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        if (skip <= k0 + kA + i * PASS_ROWS_A) {
          __pipeline_memcpy_async(&As[t][kA + i * PASS_ROWS_A][rowA ^ ((kA + i * PASS_ROWS_A) % SWIZZLE_A * 8)],
                                  &A[offsetA + (k0 + kA + i * PASS_ROWS_A - skip) * lda + min(blockRow + rowA, M - VEC)], sizeof(int4));
        } else {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            As[t][kA + i * PASS_ROWS_A][(rowA ^ ((kA + i * PASS_ROWS_A) % SWIZZLE_A * 8)) + j] = __float2half(0.0f);
          }
        }
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        if (skip <= k0 + kB + i * PASS_ROWS_B) {
          __pipeline_memcpy_async(&Bs[t][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                  &B[offsetB + (k0 + kB + i * PASS_ROWS_B - skip) * ldb + min(blockCol + colB, N - VEC)], sizeof(int4));
        } else {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            Bs[t][kB + i * PASS_ROWS_B][(colB ^ (kB % SWIZZLE_B * 8)) + j] = __float2half(0.0f);
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
        __pipeline_memcpy_async(&As[into][kA + i * PASS_ROWS_A][rowA ^ ((kA + i * PASS_ROWS_A) % SWIZZLE_A * 8)],
                                &A[offsetA + (k0 + kA + i * PASS_ROWS_A) * lda + min(blockRow + rowA, M - VEC)], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                &B[offsetB + (k0 + kB + i * PASS_ROWS_B) * ldb + min(blockCol + colB, N - VEC)], sizeof(int4));
      }
    }
    __pipeline_commit();
    // k-step of 16: 32 MMAs per warp, on 4 + 8 fragments of A and B from shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4Trans(a[m], &As[stage][laneKA + k][(laneRow + m * MMA_M) ^ swizzleA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 2) {
        ldmatrix4Trans(b[n], &Bs[stage][laneKB + k][(laneCol + n * MMA_N) ^ swizzleB]);
      }
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        #pragma unroll
        for (int n = 0; n < WN / MMA_N; ++n) {
          mma(acc[m][n], a[m], b[n]);
        }
      }
    }
  }

  // Epilogue: write this warp's accumulators to C, 8 columns at a time. A lane holds two
  // adjacent columns of rows lane/4 and lane/4 + 8; staging in shared memory makes the stores
  // vectorized and coalesced.
  #pragma unroll
  for (int n = 0; n < WN / MMA_N; ++n) {
    #pragma unroll
    for (int m = 0; m < WM / MMA_M; ++m) {
      Cs[warp * MMA_N + lane % 4 * 2][m * MMA_M + lane / 4] = acc[m][n][0];
      Cs[warp * MMA_N + lane % 4 * 2 + 1][m * MMA_M + lane / 4] = acc[m][n][1];
      Cs[warp * MMA_N + lane % 4 * 2][m * MMA_M + lane / 4 + 8] = acc[m][n][2];
      Cs[warp * MMA_N + lane % 4 * 2 + 1][m * MMA_M + lane / 4 + 8] = acc[m][n][3];
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < MMA_N * WM; i += 32 * VEC) {
      const int e = i + lane * VEC;
      const int row = blockRow + warpRow + e % WM;
      const int col = blockCol + warpCol + n * MMA_N + e / WM;
      if (row < M && col < N) {
        alignas(16) __half out[VEC];
        copy8(out, &Cs[warp * MMA_N + e / WM][e % WM]);
        alignas(16) __half old[VEC];
        copy8(old, &C[offsetC + col * ldc + row]);
        #pragma unroll
        for (int j = 0; j < VEC; ++j) {
          out[j] = alpha * out[j] + beta * old[j];
        }
        copy8(&C[offsetC + col * ldc + row], out);
      }
    }
    __syncthreads();
  }
}

// Spec key: gemm-f16f16f16f16-mma-1000x1016x1032-crc-128x64x48-w64x64-v8-s4-4fcd7f29
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1000,"n":1016,"k":1032,"batch":2,"a":{"dtype":"f16","layout":"col"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"col"},"accumulator":"f16","alpha":2,"beta":0.5},"schedule":{"algorithm":"mma","block":{"m":128,"n":64,"k":48},"warp":{"m":64,"n":64},"vector":8,"stages":4,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":16}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 128)",2],"block":[64],"args":["m","n","k","alpha","a","lda","strideA","b","ldb","strideB","beta","c","ldc","strideC"],"dynamicSharedBytes":76032}
// @gemm-generated v1 sha256=908d40cfc7f5ca812c54093e93f439e811fc0ae73ebcb7c5b66f283e1650f714
