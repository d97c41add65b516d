// mma GEMM, f16 to f32, summed in f32: C = A * B
//
// Each block computes a 128 x 128 tile of C, a warp 64 x 32 of it on tensor cores in products of 16 x 8 x 8,
// and walks K in steps of 32 through 2 stages of shared memory: the next tile is loaded into registers while one is multiplied.
// Of each matrix a lane holds what mma.sync asks of it: two neighbouring depths of row lane / 4, and of the row 8 further.
// A is loaded one element at a time, since lda = 1021 is no multiple of 2.
// B is loaded one element at a time, since ldb = 1003 is no multiple of 2.
// The workspace is stored one element at a time, since N = 1003 is no multiple of 2.
// Split-K: K is cut into 2 parts of 512, summed by blocks of their own, 128 instead of 64.
// Their sums go to a workspace, and gemm_mma_reduce adds them up, always in the same order.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: accesses past the edges are guarded.
//
// Launch for 1001 x 1003 x 1021, one after the other:
//   gemm_mma: grid 8 x 8 x 2, block 256, 53,248 B of shared memory, dynamic.
//   gemm_mma_reduce: grid 32 x 126, block 32 x 8.
// Workspace: 8,032,024 B of partial sums; what is in it before does not matter.
// Compile: nvcc -O3 -arch=sm_75 -c gemm-f16f16f32f32-mma-1001x1003x1021-rrr-128x128x32-w64x32-v8-3ef08db1.cu
// Call: gemm_mma_launch(M, N, K, A, lda, B, ldb, C, ldc, workspace, stream);
//
// @gemm {"version":1,"problem":{"m":1001,"n":1003,"k":1021,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":32},"vector":8,"stages":2,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":8},"splitK":2,"splitKReduction":"two-pass","mma":{"m":16,"n":8,"k":8}},"device":"t4","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)",2],"block":[256],"args":["m","n","k","a","lda","b","ldb","workspace"],"dynamicSharedBytes":53248,"after":[{"entry":"gemm_mma_reduce","grid":["ceil(n / 32)","ceil(m / 8)"],"block":[32,8],"args":["m","n","workspace","c","ldc"]}],"workspaceBytes":8032024}
// @gemm-generated v1 sha256=764452b75f253a375dd26f9791658c53de6954b84121145e385325ef27aa7411

#include <cstdint>
#include <cuda_fp16.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 32;        // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 32;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 8;      // depth of a multiply-accumulate
constexpr int LOADS_A = 16;   // elements of a tile of A a thread loads
constexpr int LOADS_B = 16;   // elements of a tile of B a thread loads
constexpr int STAGES = 2;     // tiles of A and of B that shared memory holds
constexpr int SWIZZLE_A = 4;  // ways in which rows of As exchange their chunks of 16 bytes
constexpr int SWIZZLE_B = 8;  // ways in which rows of Bs exchange their chunks of 16 bytes
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 8;    // rows of As that the threads store at a time
constexpr int LINES_B = 2;    // rows of Bs that the threads store at a time
constexpr int RASTER = 8;     // tile rows or columns that blocks walk together
constexpr int THREADS = 256;  // threads a block
constexpr int SPLIT_K = 2;    // parts of K

// Moves 2 neighbouring elements in one access of 8 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Loads 4 matrices of 8 rows of 16 bytes: lane i + 8 j names row i of matrix j, and lane l gets 4 bytes of row l / 4 of each.
__device__ __forceinline__ void ldmatrix4(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// Loads 4 matrices of 8 rows of 16 bytes: lane i + 8 j names row i of matrix j, and lane l gets column l / 4 of rows 2 (l % 4) and the next of each.
__device__ __forceinline__ void ldmatrix4Trans(uint32_t* to, const void* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// sum += a * b, matrices of 16 x 8 and 8 x 8: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.
__device__ __forceinline__ void mma(float* sum, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
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

  // Block z sums part z of K.
  const int part = blockIdx.z;
  const int kPart = (K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  const int kBegin = min(part * kPart, K);
  const int kEnd = min(kBegin + kPart, K);

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
  const int rowA = threadIdx.x / BK;
  const int depthA = threadIdx.x % BK;
  const int depthB = threadIdx.x / BN;
  const int colB = threadIdx.x % BN;
  // The row of 16 bytes that this lane names when its warp loads matrices of 8 rows.
  const int laneRow = warpRow + lane / 8 * 8 + lane % 8;
  const int turnA = lane % 8 / 2 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 8 * 8;
  const int laneDepthB = lane % 8;
  const int turnB = lane % 8 % SWIZZLE_B * 8;

  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][2];
  uint32_t b[WN / MMA_N][1];
  __half nextA[LOADS_A][1];
  __half nextB[LOADS_B][1];

  const int tiles = (kEnd - kBegin + BK - 1) / BK;
  // The first tile is filled up with zeros in front, so that all others are whole.
  const int skip = tiles * BK - (kEnd - kBegin);

  // The first tile.
  if (0 < tiles) {
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      if (skip <= depthA) {
        As[0][rowA + i * LINES_A][depthA ^ (rowA / 2 % SWIZZLE_A * 8)] = A[min(blockRow + rowA + i * LINES_A, M - 1) * lda + kBegin + depthA - skip];
      } else {
        As[0][rowA + i * LINES_A][depthA ^ (rowA / 2 % SWIZZLE_A * 8)] = __float2half(0.0f);
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      if (skip <= depthB + i * LINES_B) {
        Bs[0][depthB + i * LINES_B][colB ^ ((depthB + i * LINES_B) % SWIZZLE_B * 8)] = B[(kBegin + depthB + i * LINES_B - skip) * ldb + min(blockCol + colB, N - 1)];
      } else {
        Bs[0][depthB + i * LINES_B][colB ^ ((depthB + i * LINES_B) % SWIZZLE_B * 8)] = __float2half(0.0f);
      }
    }
  }
  __syncthreads();

  for (int t = 1; t < tiles; ++t) {
    const int stage = (t - 1) % STAGES;
    const int into = t % STAGES;
    // The next tile, from global memory into registers.
    const int k0 = kBegin + t * BK - skip;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      nextA[i][0] = A[min(blockRow + rowA + i * LINES_A, M - 1) * lda + k0 + depthA];
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      nextB[i][0] = B[(k0 + depthB + i * LINES_B) * ldb + min(blockCol + colB, N - 1)];
    }
    // 8 depths: 16 products of matrices a warp, from 4 + 4 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; m += 2) {
        ldmatrix4(a[m], &As[stage][laneRow + m * MMA_M][k ^ turnA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 4) {
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
    // The next tile, from registers into the other stage.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      As[into][rowA + i * LINES_A][depthA ^ (rowA / 2 % SWIZZLE_A * 8)] = nextA[i][0];
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      Bs[into][depthB + i * LINES_B][colB ^ ((depthB + i * LINES_B) % SWIZZLE_B * 8)] = nextB[i][0];
    }
    // The next tile is whole, and nobody reads this one any more.
    __syncthreads();
  }
  // The last tile.
  if (0 < tiles) {
    // 8 depths: 16 products of matrices a warp, from 4 + 4 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; m += 2) {
        ldmatrix4(a[m], &As[(tiles - 1) % STAGES][laneRow + m * MMA_M][k ^ turnA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 4) {
        ldmatrix4Trans(b[n], &Bs[(tiles - 1) % STAGES][laneDepthB + k][(laneCol + n * MMA_N) ^ turnB]);
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

  // Write this warp's results to the partial sums, 16 rows at a time through shared memory.
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

constexpr int RM = 8;   // rows of C a block of the reduction computes
constexpr int RN = 32;  // columns of C a block of the reduction computes

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

// Launches the kernels in their order; the workspace holds SPLIT_K * M * N sums.
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
