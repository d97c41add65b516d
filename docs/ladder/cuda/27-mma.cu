// mma GEMM, bf16, summed in f32: C = A * B
//
// Each block computes a 256 x 128 tile of C, a warp 64 x 64 of it on tensor cores in products of 16 x 8 x 16,
// and walks K in steps of 64 through 3 stages of shared memory: filled by asynchronous copies during the products.
// Of each matrix a lane holds what mma.sync asks of it: two neighbouring depths of row lane / 4, and of the row 8 further.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 256, N a multiple of 128, K a multiple of 64: accesses along them are not guarded.
// Vector accesses need lda a multiple of 8, ldb a multiple of 8, ldc a multiple of 8, and matrices that begin at such multiples, as allocations do.
//
// Launch for 4096 x 4096 x 4096: grid 32 x 16, block 256, 184,320 B of shared memory, dynamic.
// Compile: nvcc -O3 -arch=sm_90 -c 27-mma.cu
// Call: gemm_mma<<<grid, block, 184320>>>(M, N, K, A, lda, B, ldb, C, ldc);
// before that: cudaFuncSetAttribute(gemm_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, 184320);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":256,"n":128,"k":64},"warp":{"m":64,"n":64},"vector":8,"stages":3,"fragments":2,"swizzle":"xor","raster":{"order":"row","group":8},"mma":{"m":16,"n":8,"k":16}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 256)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":184320}
// @gemm-generated v1 sha256=320ee697f4665a6a009c794f83d31867f65b32890e2bf318c4920e21d3d502db

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 256;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 64;        // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 64;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 16;     // depth of a multiply-accumulate
constexpr int VEC = 8;        // elements an access moves
constexpr int LOADS_A = 8;    // vectors of 8 elements of a tile of A a thread loads
constexpr int LOADS_B = 4;    // vectors of 8 elements of a tile of B a thread loads
constexpr int STAGES = 3;     // tiles of A and of B that shared memory holds
constexpr int SHARE_A = 4;    // loads of A at a depth, from the first on
constexpr int SHARE_B = 2;    // loads of B at a depth, from the first on
constexpr int SWIZZLE_A = 8;  // ways in which rows of As exchange their chunks of 16 bytes
constexpr int SWIZZLE_B = 8;  // ways in which rows of Bs exchange their chunks of 16 bytes
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 32;   // rows of As that the threads store at a time
constexpr int LINES_B = 16;   // rows of Bs that the threads store at a time
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

// Converts 8 elements to __nv_bfloat16 and writes them in one access of 16 bytes.
__device__ __forceinline__ void store8(__nv_bfloat16* to, const float* from) {
  alignas(16) __nv_bfloat16 v[8];
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = __float2bfloat16(from[i]);
  }
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(v);
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

// sum += a * b, matrices of 16 x 16 and 16 x 8: of the sum a lane has two neighbours of row lane / 4, and of the row 8 further.
__device__ __forceinline__ void mma(float* sum, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma(int M, int N, int K,
         const __nv_bfloat16* __restrict__ A, int lda, const __nv_bfloat16* __restrict__ B, int ldb,
         __nv_bfloat16* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<__nv_bfloat16(*)[BM][BK]>(shared);
  auto Bs = reinterpret_cast<__nv_bfloat16(*)[BK][BN]>(shared + STAGES * BM * BK * sizeof(__nv_bfloat16));
  auto Cs = reinterpret_cast<float(*)[WN + PAD_C]>(shared + STAGES * BM * BK * sizeof(__nv_bfloat16) + STAGES * BK * BN * sizeof(__nv_bfloat16));

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
  const int rowA = threadIdx.x / (BK / 8);
  const int depthA = threadIdx.x % (BK / 8) * 8;
  const int depthB = threadIdx.x / (BN / 8);
  const int colB = threadIdx.x % (BN / 8) * 8;
  // The row of 16 bytes that this lane names when its warp loads matrices of 8 rows.
  const int laneRow = warpRow + lane / 8 % 2 * 8 + lane % 8;
  const int laneDepthA = lane / 16 * 8;
  const int turnA = lane % 8 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 16 * 8;
  const int laneDepthB = lane / 8 % 2 * 8 + lane % 8;
  const int turnB = lane % 8 % SWIZZLE_B * 8;

  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[2][WM / MMA_M][4];
  uint32_t b[2][WN / MMA_N][2];

  const int tiles = K / BK;

  // The first tiles, one less than there are stages: a group of copies each, past the end the last one again.
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      __pipeline_memcpy_async(&As[t][rowA + i * LINES_A][depthA ^ (rowA % SWIZZLE_A * 8)],
                              &A[(blockRow + rowA + i * LINES_A) * lda + k0 + depthA], sizeof(int4));
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      __pipeline_memcpy_async(&Bs[t][depthB + i * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                              &B[(k0 + depthB + i * LINES_B) * ldb + blockCol + colB], sizeof(int4));
    }
    __pipeline_commit();
  }
  // The first fragments, once the first tile has arrived.
  __pipeline_wait_prior(1);
  __syncthreads();
  #pragma unroll
  for (int m = 0; m < WM / MMA_M; ++m) {
    ldmatrix4(a[0][m], &As[0][laneRow + m * MMA_M][laneDepthA ^ turnA]);
  }
  #pragma unroll
  for (int n = 0; n < WN / MMA_N; n += 2) {
    ldmatrix4Trans(b[0][n], &Bs[0][laneDepthB][(laneCol + n * MMA_N) ^ turnB]);
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int into = (t + STAGES - 1) % STAGES;
    // A later tile, into the stage that was multiplied last; past the end the last one again.
    const int next = min(t + STAGES - 1, tiles - 1);
    const int k0 = next * BK;
    // 16 depths: 32 products of matrices a warp, while the 4 + 8 matrices of the next are loaded.
    #pragma unroll
    for (int k = 0; k < BK - MMA_K; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[(k + MMA_K) / MMA_K % 2][m], &As[stage][laneRow + m * MMA_M][(laneDepthA + k + MMA_K) ^ turnA]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 2) {
        ldmatrix4Trans(b[(k + MMA_K) / MMA_K % 2][n], &Bs[stage][laneDepthB + k + MMA_K][(laneCol + n * MMA_N) ^ turnB]);
      }
      if (k / MMA_K < LOADS_A / SHARE_A) {
        #pragma unroll
        for (int i = 0; i < SHARE_A; ++i) {
          __pipeline_memcpy_async(&As[into][rowA + (k / MMA_K * SHARE_A + i) * LINES_A][depthA ^ (rowA % SWIZZLE_A * 8)],
                                  &A[(blockRow + rowA + (k / MMA_K * SHARE_A + i) * LINES_A) * lda + k0 + depthA], sizeof(int4));
        }
      }
      if (k / MMA_K < LOADS_B / SHARE_B) {
        #pragma unroll
        for (int i = 0; i < SHARE_B; ++i) {
          __pipeline_memcpy_async(&Bs[into][depthB + (k / MMA_K * SHARE_B + i) * LINES_B][colB ^ (depthB % SWIZZLE_B * 8)],
                                  &B[(k0 + depthB + (k / MMA_K * SHARE_B + i) * LINES_B) * ldb + blockCol + colB], sizeof(int4));
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
    // The next tile has arrived, and nobody reads the stage that is filled next.
    __pipeline_wait_prior(1);
    __syncthreads();
    #pragma unroll
    for (int m = 0; m < WM / MMA_M; ++m) {
      ldmatrix4(a[0][m], &As[(t + 1) % STAGES][laneRow + m * MMA_M][laneDepthA ^ turnA]);
    }
    #pragma unroll
    for (int n = 0; n < WN / MMA_N; n += 2) {
      ldmatrix4Trans(b[0][n], &Bs[(t + 1) % STAGES][laneDepthB][(laneCol + n * MMA_N) ^ turnB]);
    }
    #pragma unroll
    for (int m = 0; m < WM / MMA_M; ++m) {
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; ++n) {
        mma(acc[m][n], a[1][m], b[1][n]);
      }
    }
  }
  // Copies past the end arrive before shared memory is given back.
  __pipeline_wait_prior(0);

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
      #pragma unroll
      for (int j = 0; j < VEC; j += 4) {
        copy4(&out[j], &Cs[warp * MMA_M + e / WN][e % WN + j]);
      }
      store8(&C[row * ldc + col], out);
    }
    __syncthreads();
  }
}
