// mma GEMM, f32: C = A * B
//
// Each block computes a 128 x 128 tile of C, a warp 64 x 32 of it on tensor cores in products of 16 x 8 x 16,
// and walks K in steps of 32 through 3 stages of shared memory: filled by asynchronous copies ahead of the products.
// Of each matrix a lane holds what mma.sync asks of it: single depths of row lane / 4, and of the row 8 further.
// It makes 3 pieces of each element, each the nearest bf16 of what those before it leave; of 9 products of pieces 6 are
// summed, the smallest first. Tensor cores cut off what f32 would round, so they sum 16 depths from zero, which is added in f32.
// A word has the pieces of depths that are 4 apart: A and B in the same order, which leaves their products as they are.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 128, N a multiple of 128, K a multiple of 32: accesses along them are not guarded.
// Vector accesses need lda a multiple of 4, ldb a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 4096 x 4096 x 4096: grid 32 x 32, block 256, 118,784 B of shared memory, dynamic.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-mma-4096x4096x4096-rcr-128x128x32-w64x32-v4-s3-bf16x6-3f060740.cu
// Call: gemm_mma<<<grid, block, 118784>>>(M, N, K, A, lda, B, ldb, C, ldc);
// before that: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 118784);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":32},"vector":4,"stages":3,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":16},"split":"bf16x6"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":118784}
// @gemm-generated v1 sha256=bb0482d12872c2bdb5954bd8fece7a5c18a84cbd55cdad4bf60add89fbf2fc77

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 32;        // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 32;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 16;     // depth of a multiply-accumulate
constexpr int VEC = 4;        // elements an access moves
constexpr int LOADS_A = 4;    // vectors of 4 elements of a tile of A a thread loads
constexpr int LOADS_B = 4;    // vectors of 4 elements of a tile of B a thread loads
constexpr int PIECES = 3;     // numbers of bf16 whose sum an element of A or B is
constexpr int STAGES = 3;     // tiles of A and of B that shared memory holds
constexpr int SWIZZLE_A = 8;  // ways in which rows of As exchange their chunks of 16 bytes
constexpr int SWIZZLE_B = 8;  // ways in which rows of Bs exchange their chunks of 16 bytes
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 32;   // rows of As that the threads store at a time
constexpr int LINES_B = 32;   // rows of Bs that the threads store at a time
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

// Loads 4 matrices of 8 rows of 16 bytes: lane i + 8 j names row i of matrix j, and lane l gets 4 bytes of row l / 4 of each.
__device__ __forceinline__ void ldmatrix4(float* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(address));
}

// The nearest bf16 of what is left of two numbers, which are then without it.
__device__ __forceinline__ uint32_t nextPiece(float* rest) {
  const __nv_bfloat162 piece = __floats2bfloat162_rn(rest[0], rest[1]);
  rest[0] -= __low2float(piece);
  rest[1] -= __high2float(piece);
  return reinterpret_cast<const uint32_t&>(piece);
}

// sum += a * b, matrices of 16 x 16 and 16 x 8: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.
__device__ __forceinline__ void mma(float* sum, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K,
         const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
         float* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<float(*)[BM][BK]>(shared);
  auto Bs = reinterpret_cast<float(*)[BN][BK]>(shared + STAGES * BM * BK * sizeof(float));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BM * BK * sizeof(float) + STAGES * BN * BK * sizeof(float));

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
  const int rowA = threadIdx.x / (BK / 4);
  const int depthA = threadIdx.x % (BK / 4) * 4;
  const int colB = threadIdx.x / (BK / 4);
  const int depthB = threadIdx.x % (BK / 4) * 4;
  // The row of 16 bytes that this lane names when its warp loads matrices of 8 rows.
  const int laneRow = warpRow + lane / 16 * 8 + lane % 8;
  const int laneDepthA = lane / 8 % 2 * 4;
  const int turnA = lane % 8 % SWIZZLE_A * 4;
  const int laneCol = warpCol + lane % 8;
  const int laneDepthB = lane / 8 * 4;
  const int turnB = lane % 8 % SWIZZLE_B * 4;

  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  float a[WM / MMA_M][8];
  float b[WN / MMA_N][4];

  const int tiles = K / BK;

  // The first tiles, one less than there are stages: a group of copies each, empty past the last.
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) {
      const int k0 = t * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[t][rowA + i * LINES_A][depthA ^ (rowA % SWIZZLE_A * 4)],
                                &A[(blockRow + rowA + i * LINES_A) * lda + k0 + depthA], sizeof(float4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[t][colB + i * LINES_B][depthB ^ (colB % SWIZZLE_B * 4)],
                                &B[(blockCol + colB + i * LINES_B) * ldb + k0 + depthB], sizeof(float4));
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
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][rowA + i * LINES_A][depthA ^ (rowA % SWIZZLE_A * 4)],
                                &A[(blockRow + rowA + i * LINES_A) * lda + k0 + depthA], sizeof(float4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][colB + i * LINES_B][depthB ^ (colB % SWIZZLE_B * 4)],
                                &B[(blockCol + colB + i * LINES_B) * ldb + k0 + depthB], sizeof(float4));
      }
    }
    __pipeline_commit();
    // 16 depths: 16 products of matrices a warp, each 6 of pieces, from 4 + 4 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[m], &As[stage][laneRow + m * MMA_M][(laneDepthA + k) ^ turnA]);
        ldmatrix4(&a[m][4], &As[stage][laneRow + m * MMA_M][(laneDepthA + k + 8) ^ turnA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        ldmatrix4(b[n], &Bs[stage][laneCol + n * MMA_N][(laneDepthB + k) ^ turnB]);
      }
      // What was loaded becomes pieces, whose products are summed for these depths alone.
      uint32_t pieceB[WN / MMA_N][PIECES][2];
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        #pragma unroll
        for (int i = 0; i < 4; i += 2) {
          #pragma unroll
          for (int p = 0; p < PIECES; ++p) {
            pieceB[n][p][i / 2] = nextPiece(&b[n][i]);
          }
        }
      }
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        uint32_t pieceA[PIECES][4];
        #pragma unroll
        for (int i = 0; i < 8; i += 2) {
          #pragma unroll
          for (int p = 0; p < PIECES; ++p) {
            pieceA[p][i / 2] = nextPiece(&a[m][i]);
          }
        }
        #pragma unroll
        for (int n = 0; n < WN / MMA_N; ++n) {
          float part[4] = {};
          mma(part, pieceA[0], pieceB[n][2]);
          mma(part, pieceA[1], pieceB[n][1]);
          mma(part, pieceA[2], pieceB[n][0]);
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
      alignas(16) float out[VEC];
      copy4(out, &Cs[warp * MMA_M + e / WN][e % WN]);
      copy4(&C[row * ldc + col], out);
    }
    __syncthreads();
  }
}
