// mma GEMM, f16 to f32, f32 accumulation: C = A * B
//
// Each thread block computes a 128 x 128 tile of C, each warp a 64 x 32 warp tile. Warps multiply
// with mma.sync m16n8k8 on tensor cores.
// - Software pipelining: the next 32-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied from 2 shared-memory stages (double buffering).
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - mma.sync fragments: each 32-bit register packs two elements with consecutive k. A lane holds
//   rows lane/4 and lane/4 + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
// - A is loaded one element at a time, since lda = 1021 is not a multiple of 2.
// - B is loaded one element at a time, since ldb = 1003 is not a multiple of 2.
// - The workspace is stored one element at a time, since N = 1003 is not a multiple of 2.
// - Split-K: K is partitioned into 2 slices of 512, computed by separate thread blocks (128 instead
//   of 64).
// - Partial results go to a workspace; gemm_mma_reduce reduces them.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 8 instructions in ascending order of k within a K slice, then adds the slices in ascending
// order.
//
// Launches, in order:
//   gemm_mma: grid ((N + 127) / 128, (M + 127) / 128, 2), block (256), 53,248 B of dynamic shared memory.
//   gemm_mma_reduce: grid ((N + 31) / 32, (M + 7) / 8), block (32, 8).
// For 1001 x 1003 x 1021: grids 8 x 8 x 2, then 32 x 126.
// Workspace: 8,032,024 B for partial results; it need not be initialized.
// Compile: nvcc -O3 -arch=sm_75 -c FILE.cu
// Call: gemm_mma_launch(M, N, K, A, lda, B, ldb, C, ldc, workspace, stream);

#include <cstdint>
#include <cuda_fp16.h>

constexpr int BM = 128;         // rows of C per thread block
constexpr int BN = 128;         // columns of C per thread block
constexpr int BK = 32;          // K extent of the shared-memory tiles
constexpr int WM = 64;          // rows of C per warp
constexpr int WN = 32;          // columns of C per warp
constexpr int MMA_M = 16;       // rows of C and A per MMA
constexpr int MMA_N = 8;        // columns of C and B per MMA
constexpr int MMA_K = 8;        // K extent per MMA (matrix multiply-accumulate)
constexpr int LOADS_A = 16;     // elements that a thread loads per A tile
constexpr int LOADS_B = 16;     // elements that a thread loads per B tile
constexpr int STAGES = 2;       // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int SWIZZLE_A = 4;    // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 8;    // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;        // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 8;  // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 2;  // rows of Bs that the thread block stores per pass
constexpr int RASTER = 8;       // tile rows per raster group (L2 reuse)
constexpr int THREADS = 256;    // threads per block
constexpr int SPLIT_K = 2;      // split-K slices

// Vectorized copy of 2 elements in one 8-byte access; both addresses must be 8-byte aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
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

// ldmatrix: loads four 8 x 8 matrices with 16-byte rows from shared memory.
// Lane i + 8 j supplies the address of row i of matrix j.
// Lane l receives rows 2 (l % 4) and 2 (l % 4) + 1 of column l/4 of each matrix.
__device__ __forceinline__ void ldmatrix4Trans(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// mma.sync: acc += a * b on tensor cores, with a 16 x 8 and b 8 x 8.
// Each lane holds two adjacent columns of accumulator rows lane/4 and lane/4 + 8.
__device__ __forceinline__ void mma(float* acc, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K,
         const __half* __restrict__ A, int lda, const __half* __restrict__ B, int ldb,
         float* __restrict__ workspace) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<__half(*)[BM][BK]>(shared);
  auto Bs = reinterpret_cast<__half(*)[BK][BN]>(shared + STAGES * BM * BK * sizeof(__half));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BM * BK * sizeof(__half) + STAGES * BK * BN * sizeof(__half));

  // blockIdx.z selects the split-K slice.
  const int slice = blockIdx.z;
  const int kSlice = (K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  const int kBegin = min(slice * kSlice, K);
  const int kEnd = min(kBegin + kSlice, K);

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
  const int rowA = threadIdx.x / BK;
  const int kA = threadIdx.x % BK;
  const int kB = threadIdx.x / BN;
  const int colB = threadIdx.x % BN;
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix; lanes 8 j to
  // 8 j + 7 address matrix j.
  const int laneRow = warpRow + lane / 8 * 8 + lane % 8;
  const int swizzleA = lane % 8 / 2 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 8 * 8;
  const int laneKB = lane % 8;
  const int swizzleB = lane % 8 % SWIZZLE_B * 8;

  // Registers: 4 accumulators per MMA and lane, and fragments of A and B.
  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][2];
  uint32_t b[WN / MMA_N][1];
  __half nextA[LOADS_A][1];
  __half nextB[LOADS_B][1];

  const int tiles = (kEnd - kBegin + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - (kEnd - kBegin);

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: load the first tile.
  if (0 < tiles) {
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      if (skip <= kA) {
        As[0][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 8)] = A[min(blockRow + rowA + i * PASS_ROWS_A, M - 1) * lda + kBegin + kA - skip];
      } else {
        As[0][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 8)] = __float2half(0.0f);
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      if (skip <= kB + i * PASS_ROWS_B) {
        Bs[0][kB + i * PASS_ROWS_B][colB ^ ((kB + i * PASS_ROWS_B) % SWIZZLE_B * 8)] = B[(kBegin + kB + i * PASS_ROWS_B - skip) * ldb + min(blockCol + colB, N - 1)];
      } else {
        Bs[0][kB + i * PASS_ROWS_B][colB ^ ((kB + i * PASS_ROWS_B) % SWIZZLE_B * 8)] = __float2half(0.0f);
      }
    }
  }
  __syncthreads();

  for (int t = 1; t < tiles; ++t) {
    const int stage = (t - 1) % STAGES;
    const int into = t % STAGES;
    // Prefetch the next tile from global memory into registers.
    const int k0 = kBegin + t * BK - skip;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      nextA[i][0] = A[min(blockRow + rowA + i * PASS_ROWS_A, M - 1) * lda + k0 + kA];
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      nextB[i][0] = B[(k0 + kB + i * PASS_ROWS_B) * ldb + min(blockCol + colB, N - 1)];
    }
    // k-step of 8: 16 MMAs per warp, on 4 + 4 fragments of A and B from shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; m += 2) {
        ldmatrix4(a[m], &As[stage][laneRow + m * MMA_M][k ^ swizzleA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 4) {
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
    // Store the next tile from registers to the other stage.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      As[into][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 8)] = nextA[i][0];
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      Bs[into][kB + i * PASS_ROWS_B][colB ^ ((kB + i * PASS_ROWS_B) % SWIZZLE_B * 8)] = nextB[i][0];
    }
    // After this barrier the next tile is complete, and no thread reads the current tile any
    // longer.
    __syncthreads();
  }
  // Peeled last iteration: multiply the last tile without prefetching.
  if (0 < tiles) {
    // k-step of 8: 16 MMAs per warp, on 4 + 4 fragments of A and B from shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; m += 2) {
        ldmatrix4(a[m], &As[(tiles - 1) % STAGES][laneRow + m * MMA_M][k ^ swizzleA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 4) {
        ldmatrix4Trans(b[n], &Bs[(tiles - 1) % STAGES][laneKB + k][(laneCol + n * MMA_N) ^ swizzleB]);
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

  // Epilogue: write this warp's accumulators to the workspace, 16 rows at a time. A lane holds
  // two adjacent columns of rows lane/4 and lane/4 + 8; staging in shared memory makes the
  // stores vectorized and coalesced.
  #pragma unroll
  for (int m = 0; m < WM / MMA_M; ++m) {
    #pragma unroll
    for (int n = 0; n < WN / MMA_N; ++n) {
      copy2(&Cs[warp * MMA_M + lane / 4][n * MMA_N + lane % 4 * 2], acc[m][n]);
      copy2(&Cs[warp * MMA_M + lane / 4 + 8][n * MMA_N + lane % 4 * 2], &acc[m][n][2]);
    }
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < MMA_M * WN; i += 32) {
      const int e = i + lane;
      const int row = blockRow + warpRow + m * MMA_M + e / WN;
      const int col = blockCol + warpCol + e % WN;
      if (row < M && col < N) {
        workspace[(blockIdx.z * M + row) * N + col] = Cs[warp * MMA_M + e / WN][e % WN];
      }
    }
    __syncthreads();
  }
}

#include <cuda_fp16.h>

constexpr int RM = 8;   // rows of C per block of the reduction kernel
constexpr int RN = 32;  // columns of C per block of the reduction kernel

extern "C" __global__ void __launch_bounds__(RM * RN)
gemm_mma_reduce(int M, int N,
                const float* __restrict__ workspace,
                float* __restrict__ C, int ldc) {
  const int row = blockIdx.y * RM + threadIdx.y;
  const int col = blockIdx.x * RN + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.0f;
    #pragma unroll
    for (int s = 0; s < SPLIT_K; ++s) {
      acc += workspace[(s * M + row) * N + col];
    }
    C[row * ldc + col] = acc;
  }
}

// Launches the kernels in order. The workspace holds SPLIT_K * M * N partial results.
inline cudaError_t gemm_mma_launch(int M, int N, int K,
                                   const __half* A, int lda, const __half* B, int ldb,
                                   float* C, int ldc, float* workspace,
                                   cudaStream_t stream) {
  constexpr int sharedBytes = 53248;
  cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
  const dim3 tiles((N + BN - 1) / BN, (M + BM - 1) / BM, SPLIT_K);
  gemm_mma<<<tiles, THREADS, sharedBytes, stream>>>(M, N, K, A, lda, B, ldb, workspace);
  const dim3 elements((N + RN - 1) / RN, (M + RM - 1) / RM);
  gemm_mma_reduce<<<elements, dim3(RN, RM), 0, stream>>>(M, N, workspace, C, ldc);
  return cudaGetLastError();
}

// Spec key: gemm-f16f16f32f32-mma-1001x1003x1021-rrr-128x128x32-w64x32-v8-3ef08db1
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1001,"n":1003,"k":1021,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":32},"vector":8,"stages":2,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"splitK":2,"splitKReduction":"two-pass","mma":{"m":16,"n":8,"k":8}},"device":"t4","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)",2],"block":[256],"args":["m","n","k","a","lda","b","ldb","workspace"],"dynamicSharedBytes":53248,"after":[{"entry":"gemm_mma_reduce","grid":["ceil(n / 32)","ceil(m / 8)"],"block":[32,8],"args":["m","n","workspace","c","ldc"]}],"workspaceBytes":8032024}
// @gemm-generated v1 sha256=2980b112fb739ecb588ab9b29b8e7372877611092331e5f52b39f6d269557537
