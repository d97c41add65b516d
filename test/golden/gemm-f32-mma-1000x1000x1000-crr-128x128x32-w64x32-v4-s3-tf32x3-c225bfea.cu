// mma GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C, each warp a 64 x 32 warp tile. Warps multiply
// with mma.sync m16n8k8 on tensor cores.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 32-deep tiles of A and B
//   fill shared memory ahead of the MMAs.
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - mma.sync fragments: each 32-bit register holds one element. A lane holds rows lane/4 and lane/4
//   + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
// - FP32 emulation: each element is split into 2 tf32 terms, and 3 of the 4 products of terms are
//   accumulated, smallest first. Tensor cores truncate sums that FP32 addition would round. Each
//   k-step of 8 therefore accumulates from zero, and its result is added to the FP32 accumulators
//   (promotion).
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for M, lda, N, ldb and ldc. They require 16-byte
// aligned A, B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 8 instructions in ascending order of k.
//
// Launch: grid ((N + 127) / 128, (M + 127) / 128), block (256), 118,784 B of dynamic shared memory.
// For 1000 x 1000 x 1000: grid 8 x 8.
// Compile: nvcc -O3 -arch=sm_80 -c FILE.cu
// Once before the first call: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 118784);
// Call: gemm_mma<<<grid, block, 118784>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cstdint>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;         // rows of C per thread block
constexpr int BN = 128;         // columns of C per thread block
constexpr int BK = 32;          // K extent of the shared-memory tiles
constexpr int WM = 64;          // rows of C per warp
constexpr int WN = 32;          // columns of C per warp
constexpr int MMA_M = 16;       // rows of C and A per MMA
constexpr int MMA_N = 8;        // columns of C and B per MMA
constexpr int MMA_K = 8;        // K extent per MMA (matrix multiply-accumulate)
constexpr int VEC = 4;          // elements per vectorized access
constexpr int LOADS_A = 4;      // vectors of 4 elements that a thread loads per A tile
constexpr int LOADS_B = 4;      // vectors of 4 elements that a thread loads per B tile
constexpr int TERMS = 2;        // tf32 terms whose sum approximates an f32 element
constexpr int STAGES = 3;       // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int SWIZZLE_A = 4;    // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 4;    // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;        // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 8;  // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 8;  // rows of Bs that the thread block stores per pass
constexpr int RASTER = 8;       // tile rows per raster group (L2 reuse)
constexpr int THREADS = 256;    // threads per block

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

// Split off the next term: round to the nearest tf32 and keep the remainder.
__device__ __forceinline__ uint32_t takeTerm(float& remainder) {
  const uint32_t term = toTf32(remainder);
  remainder -= __uint_as_float(term);
  return term;
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
  auto As = reinterpret_cast<float(*)[BK][BM]>(shared);
  auto Bs = reinterpret_cast<float(*)[BK][BN]>(shared + STAGES * BK * BM * sizeof(float));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BK * BM * sizeof(float) + STAGES * BK * BN * sizeof(float));

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
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix. Operands
  // that ldmatrix cannot load are loaded element by element.
  const int laneRow = warpRow + lane / 4;
  const int laneKA = lane % 4;
  const int swizzleA = lane % 4 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 4;
  const int laneKB = lane % 4;
  const int swizzleB = lane % 4 % SWIZZLE_B * 8;

  // Registers: 4 accumulators per MMA and lane, and fragments of A and B.
  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  float a[WM / MMA_M][4];
  float b[WN / MMA_N][2];

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
          __pipeline_memcpy_async(&As[t][kA + i * PASS_ROWS_A][rowA ^ (kA % SWIZZLE_A * 8)],
                                  &A[(k0 + kA + i * PASS_ROWS_A - skip) * lda + min(blockRow + rowA, M - VEC)], sizeof(float4));
        } else {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            As[t][kA + i * PASS_ROWS_A][(rowA ^ (kA % SWIZZLE_A * 8)) + j] = 0.0f;
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
    }
    __pipeline_commit();
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + STAGES - 1;
    const int into = next % STAGES;
    // Wait for the copies of tile t (at most 1 newer cp.async group left in flight). The barrier
    // makes them visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(1);
    __syncthreads();
    // Prefetch the tile 2 iterations ahead into the stage that was freed last.
    if (next < tiles) {
      const int k0 = next * BK - skip;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][kA + i * PASS_ROWS_A][rowA ^ (kA % SWIZZLE_A * 8)],
                                &A[(k0 + kA + i * PASS_ROWS_A) * lda + min(blockRow + rowA, M - VEC)], sizeof(float4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                &B[(k0 + kB + i * PASS_ROWS_B) * ldb + min(blockCol + colB, N - VEC)], sizeof(float4));
      }
    }
    __pipeline_commit();
    // k-step of 8: 16 MMAs per warp, each with 3 products of terms, on 4 + 4 fragments of A and B
    // from shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        a[m][0] = As[stage][laneKA + k][(laneRow + m * MMA_M) ^ swizzleA];
        a[m][1] = As[stage][laneKA + k][(laneRow + m * MMA_M + 8) ^ swizzleA];
        a[m][2] = As[stage][laneKA + k + 4][(laneRow + m * MMA_M) ^ swizzleA];
        a[m][3] = As[stage][laneKA + k + 4][(laneRow + m * MMA_M + 8) ^ swizzleA];
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        b[n][0] = Bs[stage][laneKB + k][(laneCol + n * MMA_N) ^ swizzleB];
        b[n][1] = Bs[stage][laneKB + k + 4][(laneCol + n * MMA_N) ^ swizzleB];
      }
      // Split the fragments into terms; their products are accumulated per k-step, then promoted to
      // f32.
      uint32_t termsB[WN / MMA_N][TERMS][2];
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int p = 0; p < TERMS; ++p) {
            termsB[n][p][i] = takeTerm(b[n][i]);
          }
        }
      }
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        uint32_t termsA[TERMS][4];
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int p = 0; p < TERMS; ++p) {
            termsA[p][i] = takeTerm(a[m][i]);
          }
        }
        #pragma unroll
        for (int n = 0; n < WN / MMA_N; ++n) {
          float partial[4] = {};
          mma(partial, termsA[0], termsB[n][1]);
          mma(partial, termsA[1], termsB[n][0]);
          mma(partial, termsA[0], termsB[n][0]);
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            acc[m][n][i] += partial[i];
          }
        }
      }
    }
  }

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

// Spec key: gemm-f32-mma-1000x1000x1000-crr-128x128x32-w64x32-v4-s3-tf32x3-c225bfea
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":32},"vector":4,"stages":3,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":8},"split":"tf32x3"},"device":"a100-sxm-80gb","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":118784}
// @gemm-generated v1 sha256=c15493609fa2fd90e388f1ded20846456a7579307e9056efc3e4400246ec40b0
