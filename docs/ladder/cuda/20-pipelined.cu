// pipelined GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 64 tile of C: 32 x 32 per warp and 4 x 8 accumulators per
// thread.
// - Software pipelining with 4 stages: asynchronous copies (cp.async) of 16-deep tiles fill shared
//   memory ahead of the FMAs.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc. They require 16-byte aligned B and C
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 64, M / 64), block (128), 33,792 B of shared memory.
// For 4096 x 4096 x 4096: grid 64 x 64.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cuda_pipeline_primitives.h>

constexpr int BM = 64;        // rows of C per thread block
constexpr int BN = 64;        // columns of C per thread block
constexpr int BK = 16;        // K extent of the shared-memory tiles
constexpr int WM = 32;        // rows of C per warp
constexpr int WN = 32;        // columns of C per warp
constexpr int TM = 4;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int VEC = 4;        // elements per vectorized access
constexpr int LANES_N = 4;    // lanes per warp along N
constexpr int LOADS_A = 8;    // elements that a thread loads per A tile
constexpr int LOADS_B = 2;    // vectors of 4 elements that a thread loads per B tile
constexpr int STAGES = 4;     // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int PAD_A = 4;      // row padding of As in elements (avoids bank conflicts)
constexpr int THREADS = 128;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_pipelined(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[STAGES][BK][BM + PAD_A];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 columns (stride 16).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

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
        const int r = e / BK;
        const int c = e % BK;
        __pipeline_memcpy_async(&As[t][c][r],
                                &A[(blockRow + r) * lda + k0 + c], sizeof(float));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[t][r][c],
                                &B[(k0 + r) * ldb + blockCol + c], sizeof(float4));
      }
    }
    __pipeline_commit();
  }

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + STAGES - 1;
    const int into = next % STAGES;
    // Wait for the copies of tile t (at most 2 newer cp.async groups left in flight). The barrier
    // makes them visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(2);
    __syncthreads();
    // Prefetch the tile 3 iterations ahead into the stage that was freed last.
    if (next < tiles) {
      const int k0 = next * BK;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / BK;
        const int c = e % BK;
        __pipeline_memcpy_async(&As[into][c][r],
                                &A[(blockRow + r) * lda + k0 + c], sizeof(float));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[(k0 + r) * ldb + blockCol + c], sizeof(float4));
      }
    }
    __pipeline_commit();
    // Per k: 4 + 8 values from shared memory feed 32 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[m], &As[stage][k][threadRow + m]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[n], &Bs[stage][k][threadCol + n * LANES_N]);
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

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n * LANES_N;
      copy4(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f32-pipelined-4096x4096x4096-rrr-64x64x16-w32x32-4x8-v4-s4-pad4x0
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":64,"n":64,"k":16},"warp":{"m":32,"n":32},"thread":{"m":4,"n":8},"vector":4,"stages":4,"padding":{"a":4}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=5d36f65c5132f3f7ce11d1b37da29936f4fcafc784120ca4fa1dee151dcc59eb
