// mma GEMM, f32: C = A * B
//
// Each block computes a 128 x 128 tile of C, a warp 64 x 32 of it on tensor cores in products of 16 x 8 x 8,
// and walks K in steps of 32 through 3 stages of shared memory: filled by asynchronous copies ahead of the products.
// Of each matrix a lane holds what mma.sync asks of it: single depths of row lane / 4, and of the row 8 further.
// It makes 2 pieces of each element, each the nearest tf32 of what those before it leave; of 4 products of pieces 3 are
// summed, the smallest first. Tensor cores cut off what f32 would round, so they sum 8 depths from zero, which is added in f32.
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Vector accesses need M a multiple of 4, lda a multiple of 4, N a multiple of 4, ldb a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1000 x 1000 x 1000: grid 8 x 8, block 256, 118,784 B of shared memory, dynamic.
// Compile: nvcc -O3 -arch=sm_80 -c gemm-f32-mma-1000x1000x1000-crr-128x128x32-w64x32-v4-s3-tf32x3-c225bfea.cu
// Call: gemm_mma<<<grid, block, 118784>>>(M, N, K, A, lda, B, ldb, C, ldc);
// before that: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 118784);
//
// @gemm {"version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":32},"vector":4,"stages":3,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":8},"split":"tf32x3"},"device":"a100-sxm-80gb","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":118784}
// @gemm-generated v1 sha256=bf7b2f1ce9ad7846d50dc87fe3c894e346abff3b4846a1fdee8bfbebda45695e

#include <cstdint>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 32;        // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 32;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 8;      // depth of a multiply-accumulate
constexpr int VEC = 4;        // elements an access moves
constexpr int LOADS_A = 4;    // vectors of 4 elements of a tile of A a thread loads
constexpr int LOADS_B = 4;    // vectors of 4 elements of a tile of B a thread loads
constexpr int PIECES = 2;     // numbers of tf32 whose sum an element of A or B is
constexpr int STAGES = 3;     // tiles of A and of B that shared memory holds
constexpr int SWIZZLE_A = 4;  // ways in which rows of As exchange their chunks of 32 bytes
constexpr int SWIZZLE_B = 4;  // ways in which rows of Bs exchange their chunks of 32 bytes
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 8;    // rows of As that the threads store at a time
constexpr int LINES_B = 8;    // rows of Bs that the threads store at a time
constexpr int RASTER = 8;     // tile rows or columns that blocks walk together
constexpr int THREADS = 256;  // threads a block

// Moves 2 neighbouring elements in one access of 8 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// The bits of the nearest tf32: of what is not rounded tensor cores would cut off the end.
__device__ __forceinline__ uint32_t toTf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

// The nearest tf32 of what is left of a number, which is then without it.
__device__ __forceinline__ uint32_t nextPiece(float& rest) {
  const uint32_t piece = toTf32(rest);
  rest -= __uint_as_float(piece);
  return piece;
}

// sum += a * b, matrices of 16 x 8 and 8 x 8: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.
__device__ __forceinline__ void mma(float* sum, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
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
  const int depthA = threadIdx.x / (BM / 4);
  const int rowA = threadIdx.x % (BM / 4) * 4;
  const int depthB = threadIdx.x / (BN / 4);
  const int colB = threadIdx.x % (BN / 4) * 4;
  // The row of 16 bytes that this lane names, or its own element, when its warp loads matrices of 8 rows.
  const int laneRow = warpRow + lane / 4;
  const int laneDepthA = lane % 4;
  const int turnA = lane % 4 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 4;
  const int laneDepthB = lane % 4;
  const int turnB = lane % 4 % SWIZZLE_B * 8;

  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  float a[WM / MMA_M][4];
  float b[WN / MMA_N][2];

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
          __pipeline_memcpy_async(&As[t][depthA + i * LINES_A][rowA ^ (depthA % SWIZZLE_A * 8)],
                                  &A[(k0 + depthA + i * LINES_A - skip) * lda + min(blockRow + rowA, M - VEC)], sizeof(float4));
        } else {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            As[t][depthA + i * LINES_A][(rowA ^ (depthA % SWIZZLE_A * 8)) + j] = 0.0f;
          }
        }
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        if (skip <= k0 + depthB + i * LINES_B) {
          __pipeline_memcpy_async(&Bs[t][depthB + i * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                                  &B[(k0 + depthB + i * LINES_B - skip) * ldb + min(blockCol + colB, N - VEC)], sizeof(float4));
        } else {
          #pragma unroll
          for (int j = 0; j < 4; ++j) {
            Bs[t][depthB + i * LINES_B][(colB ^ (depthB % SWIZZLE_B * 8)) + j] = 0.0f;
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
    __pipeline_wait_prior(1);
    __syncthreads();
    // A later tile, into the stage that was multiplied last.
    if (next < tiles) {
      const int k0 = next * BK - skip;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][depthA + i * LINES_A][rowA ^ (depthA % SWIZZLE_A * 8)],
                                &A[(k0 + depthA + i * LINES_A) * lda + min(blockRow + rowA, M - VEC)], sizeof(float4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][depthB + i * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                                &B[(k0 + depthB + i * LINES_B) * ldb + min(blockCol + colB, N - VEC)], sizeof(float4));
      }
    }
    __pipeline_commit();
    // 8 depths: 16 products of matrices a warp, each 3 of pieces, from 4 + 4 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        a[m][0] = As[stage][laneDepthA + k][(laneRow + m * MMA_M) ^ turnA];
        a[m][1] = As[stage][laneDepthA + k][(laneRow + m * MMA_M + 8) ^ turnA];
        a[m][2] = As[stage][laneDepthA + k + 4][(laneRow + m * MMA_M) ^ turnA];
        a[m][3] = As[stage][laneDepthA + k + 4][(laneRow + m * MMA_M + 8) ^ turnA];
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        b[n][0] = Bs[stage][laneDepthB + k][(laneCol + n * MMA_N) ^ turnB];
        b[n][1] = Bs[stage][laneDepthB + k + 4][(laneCol + n * MMA_N) ^ turnB];
      }
      // What was loaded becomes pieces, whose products are summed for these depths alone.
      uint32_t pieceB[WN / MMA_N][PIECES][2];
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          #pragma unroll
          for (int p = 0; p < PIECES; ++p) {
            pieceB[n][p][i] = nextPiece(b[n][i]);
          }
        }
      }
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        uint32_t pieceA[PIECES][4];
        #pragma unroll
        for (int i = 0; i < 4; ++i) {
          #pragma unroll
          for (int p = 0; p < PIECES; ++p) {
            pieceA[p][i] = nextPiece(a[m][i]);
          }
        }
        #pragma unroll
        for (int n = 0; n < WN / MMA_N; ++n) {
          float part[4] = {};
          mma(part, pieceA[0], pieceB[n][1]);
          mma(part, pieceA[1], pieceB[n][0]);
          mma(part, pieceA[0], pieceB[n][0]);
          #pragma unroll
          for (int i = 0; i < 4; ++i) {
            acc[m][n][i] += part[i];
          }
        }
      }
    }
  }

  // Write this warp's results to C, 16 rows at a time through shared memory.
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
