// pipelined GEMM, f16, f32 accumulation: C = A * B
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining with 3 stages: asynchronous copies (cp.async) of 16-deep tiles fill shared
//   memory ahead of the FMAs.
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N,
// row-major (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 8 for lda, ldb and ldc. They require 16-byte aligned A,
// B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 128, M / 128), block (256), 24,576 B of shared memory.
// For 1024 x 1024 x 1024: grid 8 x 8.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C per thread block
constexpr int BN = 128;       // columns of C per thread block
constexpr int BK = 16;        // K extent of the shared-memory tiles
constexpr int WM = 64;        // rows of C per warp
constexpr int WN = 32;        // columns of C per warp
constexpr int TM = 8;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int VEC = 8;        // elements per vectorized access
constexpr int LANES_N = 4;    // lanes per warp along N
constexpr int LOADS_A = 1;    // vectors of 8 elements that a thread loads per A tile
constexpr int LOADS_B = 1;    // vectors of 8 elements that a thread loads per B tile
constexpr int STAGES = 3;     // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int THREADS = 256;  // threads per block

// Loads 8 elements in one 16-byte access and converts them to float.
__device__ __forceinline__ void load8(float* to, const __half* from) {
  alignas(16) __half v[8];
  *reinterpret_cast<int4*>(v) = *reinterpret_cast<const int4*>(from);
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    to[i] = __half2float(v[i]);
  }
}

// Converts 8 elements to __half and stores them in one 16-byte access.
__device__ __forceinline__ void store8(__half* to, const float* from) {
  alignas(16) __half v[8];
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    v[i] = __float2half(from[i]);
  }
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(v);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_pipelined(int M, int N, int K,
               const __half* __restrict__ A, int lda, const __half* __restrict__ B, int ldb,
               __half* __restrict__ C, int ldc) {
  __shared__ __align__(16) __half As[STAGES][BK][BM];
  __shared__ __align__(16) __half Bs[STAGES][BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  float acc[TM][TN] = {};
  float a[TM];
  float b[TN];

  const int tiles = K / BK;

  // Prologue: start copying the first STAGES - 1 tiles, one cp.async group per tile (empty past
  // the end of K).
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) {
      const int k0 = t * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e % (BM / VEC) * VEC;
        const int c = e / (BM / VEC);
        __pipeline_memcpy_async(&As[t][c][r],
                                &A[(k0 + c) * lda + blockRow + r], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[t][r][c],
                                &B[(k0 + r) * ldb + blockCol + c], sizeof(int4));
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
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e % (BM / VEC) * VEC;
        const int c = e / (BM / VEC);
        __pipeline_memcpy_async(&As[into][c][r],
                                &A[(k0 + c) * lda + blockRow + r], sizeof(int4));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[(k0 + r) * ldb + blockCol + c], sizeof(int4));
      }
    }
    __pipeline_commit();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        load8(&a[m], &As[stage][k][threadRow + m]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        load8(&b[n], &Bs[stage][k][threadCol + n]);
      }
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m] * b[n];
        }
      }
    }
  }

  // Epilogue: write this thread's accumulators to C, 8 elements per vectorized store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n;
      store8(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f16-pipelined-1024x1024x1024-crr-128x128x16-w64x32-8x8-v8-s3
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f16","layout":"col"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":8,"stages":3},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=3e1cf34d053b6c02e950c80659c62945ec928006c4a7831bdc2fb4ce4257a51f
