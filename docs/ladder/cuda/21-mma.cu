// mma GEMM, bf16, summed in f32: C = A * B
//
// Each block computes a 64 x 64 tile of C, a warp 32 x 32 of it on tensor cores in products of 16 x 8 x 16,
// and walks K in steps of 32 through 2 stages of shared memory: filled by asynchronous copies ahead of the products.
// Of each matrix a lane holds what mma.sync asks of it: two neighbouring depths of row lane / 4, and of the row 8 further.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 64, N a multiple of 64, K a multiple of 32: accesses along them are not guarded.
// Vector accesses need lda a multiple of 8, ldb a multiple of 8, ldc a multiple of 8, and matrices that begin at such multiples, as allocations do.
//
// Launch for 4096 x 4096 x 4096: grid 64 x 64, block 128, 26,624 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c 21-mma.cu
// Call: gemm_mma<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":64,"n":64,"k":32},"warp":{"m":32,"n":32},"vector":8,"stages":2,"fragments":1,"swizzle":"none","raster":{"order":"row","group":1},"mma":{"m":16,"n":8,"k":16}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=f245168a700c28e5e0aa8d7a2d1250d896d0b918d4e9948bc4349296e04ddc5b

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 64;        // rows of C a block computes
constexpr int BN = 64;        // columns of C a block computes
constexpr int BK = 32;        // depth of the tiles staged in shared memory
constexpr int WM = 32;        // rows of C a warp computes
constexpr int WN = 32;        // columns of C a warp computes
constexpr int MMA_M = 16;     // rows of a matrix of C, and of A
constexpr int MMA_N = 8;      // columns of a matrix of C, and of B
constexpr int MMA_K = 16;     // depth of a multiply-accumulate
constexpr int VEC = 8;        // elements an access moves
constexpr int LOADS_A = 2;    // vectors of 8 elements of a tile of A a thread loads
constexpr int LOADS_B = 2;    // vectors of 8 elements of a tile of B a thread loads
constexpr int STAGES = 2;     // tiles of A and of B that shared memory holds
constexpr int PAD_C = 8;      // elements between lines of Cs, against bank conflicts
constexpr int LINES_A = 32;   // rows of As that the threads store at a time
constexpr int LINES_B = 16;   // rows of Bs that the threads store at a time
constexpr int THREADS = 128;  // threads a block

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
  __shared__ __align__(16) __nv_bfloat16 As[STAGES][BM][BK];
  __shared__ __align__(16) __nv_bfloat16 Bs[STAGES][BK][BN];
  __shared__ __align__(16) float Cs[THREADS / 32 * MMA_M][WN + PAD_C];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
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
  const int laneCol = warpCol + lane / 16 * 8;
  const int laneDepthB = lane / 8 % 2 * 8 + lane % 8;

  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][4];
  uint32_t b[WN / MMA_N][2];

  const int tiles = K / BK;

  // The first tile.
  #pragma unroll
  for (int i = 0; i < LOADS_A; ++i) {
    __pipeline_memcpy_async(&As[0][rowA + i * LINES_A][depthA],
                            &A[(blockRow + rowA + i * LINES_A) * lda + depthA], sizeof(int4));
  }
  #pragma unroll
  for (int i = 0; i < LOADS_B; ++i) {
    __pipeline_memcpy_async(&Bs[0][depthB + i * LINES_B][colB],
                            &B[(depthB + i * LINES_B) * ldb + blockCol + colB], sizeof(int4));
  }
  __pipeline_commit();

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + 1;
    const int into = next % STAGES;
    // This tile has arrived, and nobody reads the one before it, whose stage is filled next.
    __pipeline_wait_prior(0);
    __syncthreads();
    // The next tile, into the other stage.
    if (next < tiles) {
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][rowA + i * LINES_A][depthA],
                                &A[(blockRow + rowA + i * LINES_A) * lda + k0 + depthA], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][depthB + i * LINES_B][colB],
                                &B[(k0 + depthB + i * LINES_B) * ldb + blockCol + colB], sizeof(int4));
      }
    }
    __pipeline_commit();
    // 16 depths: 8 products of matrices a warp, from 2 + 4 matrices in shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[m], &As[stage][laneRow + m * MMA_M][laneDepthA + k]);
      }
      #pragma unroll
      for (int n = 0; n < WN / MMA_N; n += 2) {
        ldmatrix4Trans(b[n], &Bs[stage][laneDepthB + k][laneCol + n * MMA_N]);
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
