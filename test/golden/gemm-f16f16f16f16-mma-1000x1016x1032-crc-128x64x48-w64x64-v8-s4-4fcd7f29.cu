// mma GEMM, f16: C = alpha * A * B + beta * C
//
// Each block computes a 128 x 64 tile of C, a warp 64 x 64 of it on tensor cores in products of 16 x 8 x 16,
// and walks K in steps of 48 through 4 stages of shared memory: filled by asynchronous copies ahead of the products.
// Of each matrix a lane holds what mma.sync asks of it: two neighbouring depths of row lane / 4, and of the row 8 further.
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N, column-major (M contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Block z computes product z of the batch: its matrices begin z strides behind the first.
// Vector accesses need M a multiple of 8, lda a multiple of 8, strideA a multiple of 8, N a multiple of 8, ldb a multiple of 8, strideB a multiple of 8, ldc a multiple of 8, strideC a multiple of 8, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1000 x 1016 x 1032, 2 products: grid 16 x 8 x 2, block 64, 76,032 B of shared memory, dynamic.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f16f16f16f16-mma-1000x1016x1032-crc-128x64x48-w64x64-v8-s4-4fcd7f29.cu
// Call: gemm_mma<<<grid, block, 76032>>>(M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC);
// before that: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 76032);
//
// @gemm {"version":1,"problem":{"m":1000,"n":1016,"k":1032,"batch":2,"a":{"dtype":"f16","layout":"col"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"col"},"accumulator":"f16","alpha":2,"beta":0.5},"schedule":{"algorithm":"mma","block":{"m":128,"n":64,"k":48},"warp":{"m":64,"n":64},"vector":8,"stages":4,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":16}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 128)",2],"block":[64],"args":["m","n","k","alpha","a","lda","strideA","b","ldb","strideB","beta","c","ldc","strideC"],"dynamicSharedBytes":76032}
// @gemm-generated v1 sha256=5024d8fafca283a0aefefd46f3c0c26bda6f788db43071c3e2a83aba469d0fd6

#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 64;        // columns of C a block computes
constexpr int BK = 48;        // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 64;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 16;     // depth of a multiply-accumulate
constexpr int VEC = 8;        // elements an access moves
constexpr int LOADS_A = 12;   // vectors of 8 elements of a tile of A a thread loads
constexpr int LOADS_B = 6;    // vectors of 8 elements of a tile of B a thread loads
constexpr int STAGES = 4;     // tiles of A and of B that shared memory holds
constexpr int SWIZZLE_A = 8;  // ways in which rows of As exchange their chunks of 16 bytes
constexpr int SWIZZLE_B = 8;  // ways in which rows of Bs exchange their chunks of 16 bytes
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 4;    // rows of As that the threads store at a time
constexpr int LINES_B = 8;    // rows of Bs that the threads store at a time
constexpr int RASTER = 8;     // tile rows or columns that blocks walk together
constexpr int THREADS = 64;   // threads a block

// Moves 8 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy8(__half* to, const __half* from) {
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
}

// Loads 4 matrices of 8 rows of 16 bytes: lane i + 8 j names row i of matrix j, and lane l gets column l / 4 of rows 2 (l % 4) and the next of each.
__device__ __forceinline__ void ldmatrix4Trans(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// sum += a * b, matrices of 16 x 16 and 16 x 8: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.
__device__ __forceinline__ void mma(__half* sum, const uint32_t* a, const uint32_t* b) {
  uint32_t* words = reinterpret_cast<uint32_t*>(sum);
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

  const int offsetA = blockIdx.z * strideA;
  const int offsetB = blockIdx.z * strideB;
  const int offsetC = blockIdx.z * strideC;
  // Blocks walk the tiles of C in groups of 8 rows, so that those that run together share
  // their tiles of A and B in the L2 cache.
  const int tilesM = (M + BM - 1) / BM;
  const int tilesN = (N + BN - 1) / BN;
  const int tile = blockIdx.y * tilesN + blockIdx.x;
  const int first = tile / (RASTER * tilesN) * RASTER;
  const int width = min(tilesM - first, RASTER);
  const int blockRow = (first + tile % (RASTER * tilesN) % width) * BM;
  const int blockCol = tile % (RASTER * tilesN) / width * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN) * WM;
  const int warpCol = warp % (BN / WN) * WN;
  // Where this thread's copies begin in a tile.
  const int depthA = threadIdx.x / (BM / 8);
  const int rowA = threadIdx.x % (BM / 8) * 8;
  const int depthB = threadIdx.x / (BN / 8);
  const int colB = threadIdx.x % (BN / 8) * 8;
  // The row of 16 bytes that this lane names when its warp loads matrices of 8 rows.
  const int laneRow = warpRow + lane / 8 % 2 * 8;
  const int laneDepthA = lane / 16 * 8 + lane % 8;
  const int turnA = lane % 8 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 16 * 8;
  const int laneDepthB = lane / 8 % 2 * 8 + lane % 8;
  const int turnB = lane % 8 % SWIZZLE_B * 8;

  alignas(4) __half acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][4];
  uint32_t b[WN / MMA_N][2];

  const int tiles = (K + BK - 1) / BK;
  // The first tile is filled up with zeros in front, so that all others are whole.
  const int skip = tiles * BK - K;

  // The first tiles, one less than there are stages: a group of copies each, empty past the last.
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) {
      const int k0 = t * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        if (skip <= k0 + depthA + i * LINES_A) {
          __pipeline_memcpy_async(&As[t][depthA + i * LINES_A][rowA ^ ((depthA + i * LINES_A) % SWIZZLE_A * 8)],
                                  &A[offsetA + (k0 + depthA + i * LINES_A - skip) * lda + min(blockRow + rowA, M - VEC)], sizeof(int4));
        } else {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            As[t][depthA + i * LINES_A][(rowA ^ ((depthA + i * LINES_A) % SWIZZLE_A * 8)) + j] = __float2half(0.0f);
          }
        }
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        if (skip <= k0 + depthB + i * LINES_B) {
          __pipeline_memcpy_async(&Bs[t][depthB + i * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                                  &B[offsetB + (k0 + depthB + i * LINES_B - skip) * ldb + min(blockCol + colB, N - VEC)], sizeof(int4));
        } else {
          #pragma unroll
          for (int j = 0; j < 8; ++j) {
            Bs[t][depthB + i * LINES_B][(colB ^ (depthB % SWIZZLE_B * 8)) + j] = __float2half(0.0f);
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
    // This tile has arrived, and nobody reads the one before it, whose stage is filled next.
    __pipeline_wait_prior(2);
    __syncthreads();
    // A later tile, into the stage that was multiplied last.
    if (next < tiles) {
      const int k0 = next * BK - skip;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][depthA + i * LINES_A][rowA ^ ((depthA + i * LINES_A) % SWIZZLE_A * 8)],
                                &A[offsetA + (k0 + depthA + i * LINES_A) * lda + min(blockRow + rowA, M - VEC)], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][depthB + i * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                                &B[offsetB + (k0 + depthB + i * LINES_B) * ldb + min(blockCol + colB, N - VEC)], sizeof(int4));
      }
    }
    __pipeline_commit();
    // 16 depths: 32 products of matrices a warp, from 4 + 8 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4Trans(a[m], &As[stage][laneDepthA + k][(laneRow + m * MMA_M) ^ turnA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 2) {
        ldmatrix4Trans(b[n], &Bs[stage][laneDepthB + k][(laneCol + n * MMA_N) ^ turnB]);
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

  // Write this warp's results to C, 8 columns at a time through shared memory.
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
