// mma GEMM, bf16, f32 accumulation: C = A * B
//
// Each thread block computes a 64 x 64 tile of C, each warp a 32 x 32 warp tile. Warps multiply
// with mma.sync m16n8k16 on tensor cores.
// - Software pipelining with 2 stages: asynchronous copies (cp.async) of 32-deep tiles of A and B
//   fill shared memory ahead of the MMAs.
// - An XOR swizzle of As and Bs avoids bank conflicts of the copies and of the fragment loads.
// - mma.sync fragments: each 32-bit register packs two elements with consecutive k. A lane holds
//   rows lane/4 and lane/4 + 8 of A, and column lane/4 of B.
// - Epilogue: accumulators are staged in shared memory, so that C is written with vectorized,
//   coalesced stores.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 32 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 8 for lda, ldb and ldc. They require 16-byte aligned A,
// B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch: grid (N / 64, M / 64), block (128), 26,624 B of shared memory.
// For 4096 x 4096 x 4096: grid 64 x 64.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_mma<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 64;           // rows of C per thread block
constexpr int BN = 64;           // columns of C per thread block
constexpr int BK = 32;           // K extent of the shared-memory tiles
constexpr int WM = 32;           // rows of C per warp
constexpr int WN = 32;           // columns of C per warp
constexpr int MMA_M = 16;        // rows of C and A per MMA
constexpr int MMA_N = 8;         // columns of C and B per MMA
constexpr int MMA_K = 16;        // K extent per MMA (matrix multiply-accumulate)
constexpr int VEC = 8;           // elements per vectorized access
constexpr int LOADS_A = 2;       // vectors of 8 elements that a thread loads per A tile
constexpr int LOADS_B = 2;       // vectors of 8 elements that a thread loads per B tile
constexpr int STAGES = 2;        // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int SWIZZLE_A = 4;     // XOR swizzle period of As, in chunks (avoids bank conflicts)
constexpr int SWIZZLE_B = 8;     // XOR swizzle period of Bs, in chunks (avoids bank conflicts)
constexpr int PAD_C = 8;         // row padding of Cs in elements (avoids bank conflicts)
constexpr int PASS_ROWS_A = 32;  // rows of As that the thread block stores per pass
constexpr int PASS_ROWS_B = 16;  // rows of Bs that the thread block stores per pass
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
__device__ __forceinline__ void mma(float* acc, const uint32_t* a, const uint32_t* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
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
  // Tile coordinates of this thread's first copy.
  const int rowA = threadIdx.x / (BK / VEC);
  const int kA = threadIdx.x % (BK / VEC) * VEC;
  const int kB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;
  // ldmatrix: each lane supplies the address of one 16-byte row of an 8 x 8 matrix; lanes 8 j to
  // 8 j + 7 address matrix j.
  const int laneRow = warpRow + lane / 8 % 2 * 8 + lane % 8;
  const int laneKA = lane / 16 * 8;
  const int swizzleA = lane % 8 / 2 % SWIZZLE_A * 8;
  const int laneCol = warpCol + lane / 16 * 8;
  const int laneKB = lane / 8 % 2 * 8 + lane % 8;
  const int swizzleB = lane % 8 % SWIZZLE_B * 8;

  // Registers: 4 accumulators per MMA and lane, and fragments of A and B.
  alignas(8) float acc[WM / MMA_M][WN / MMA_N][4] = {};
  uint32_t a[WM / MMA_M][4];
  uint32_t b[WN / MMA_N][2];

  const int tiles = K / BK;

  // Prologue: load the first tile.
  #pragma unroll
  for (int i = 0; i < LOADS_A; ++i) {
    __pipeline_memcpy_async(&As[0][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 8)],
                            &A[(blockRow + rowA + i * PASS_ROWS_A) * lda + kA], sizeof(int4));
  }
  #pragma unroll
  for (int i = 0; i < LOADS_B; ++i) {
    __pipeline_memcpy_async(&Bs[0][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                            &B[(kB + i * PASS_ROWS_B) * ldb + blockCol + colB], sizeof(int4));
  }
  __pipeline_commit();

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + 1;
    const int into = next % STAGES;
    // Wait for the copies of tile t (no cp.async group left in flight). The barrier makes them
    // visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(0);
    __syncthreads();
    // Prefetch the next tile into the other stage (double buffering).
    if (next < tiles) {
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        __pipeline_memcpy_async(&As[into][rowA + i * PASS_ROWS_A][kA ^ (rowA / 2 % SWIZZLE_A * 8)],
                                &A[(blockRow + rowA + i * PASS_ROWS_A) * lda + k0 + kA], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        __pipeline_memcpy_async(&Bs[into][kB + i * PASS_ROWS_B][colB ^ (kB % SWIZZLE_B * 8)],
                                &B[(k0 + kB + i * PASS_ROWS_B) * ldb + blockCol + colB], sizeof(int4));
      }
    }
    __pipeline_commit();
    // k-step of 16: 8 MMAs per warp, on 2 + 4 fragments of A and B from shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += MMA_K) {
      #pragma unroll
      for (int m = 0; m < WM / MMA_M; ++m) {
        ldmatrix4(a[m], &As[stage][laneRow + m * MMA_M][(laneKA + k) ^ swizzleA]);
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

// Spec key: gemm-bf16-mma-4096x4096x4096-rrr-64x64x32-w32x32-v8-s2-xor-e01099f2
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"bf16","layout":"row"},"b":{"dtype":"bf16","layout":"row"},"c":{"dtype":"bf16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":64,"n":64,"k":32},"warp":{"m":32,"n":32},"vector":8,"stages":2,"fragments":1,"swizzle":"xor","raster":{"order":"row","group":1},"mma":{"m":16,"n":8,"k":16}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c196132f160a11acbf7c5ec729975a6b7c958ec061dabe46fd804a7b52feb051
