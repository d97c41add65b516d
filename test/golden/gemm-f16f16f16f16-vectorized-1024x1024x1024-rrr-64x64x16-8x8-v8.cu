// vectorized GEMM, f16: C = A * B
//
// Each thread block computes a 64 x 64 tile of C: 8 x 8 accumulators per thread.
// - The main loop stages 16-deep tiles of A and B in shared memory with vectorized loads.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 8 for lda, ldb and ldc. They require 16-byte aligned A,
// B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 64, M / 64), block (64), 4,096 B of shared memory.
// For 1024 x 1024 x 1024: grid 16 x 16.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_vectorized<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

#include <cuda_fp16.h>

constexpr int BM = 64;       // rows of C per thread block
constexpr int BN = 64;       // columns of C per thread block
constexpr int BK = 16;       // K extent of the shared-memory tiles
constexpr int TM = 8;        // rows of C per thread
constexpr int TN = 8;        // columns of C per thread
constexpr int VEC = 8;       // elements per vectorized access
constexpr int LANES_N = 8;   // threads per block along N
constexpr int LOADS_A = 2;   // vectors of 8 elements that a thread loads per A tile
constexpr int LOADS_B = 2;   // vectors of 8 elements that a thread loads per B tile
constexpr int THREADS = 64;  // threads per block

// Vectorized copy of 8 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy8(__half* to, const __half* from) {
  *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
}

// acc += a * b for 2 adjacent accumulators, in one HFMA2 instruction.
__device__ __forceinline__ void fma2(__half* acc, __half a, const __half* b) {
  auto& pair = *reinterpret_cast<__half2*>(acc);
  pair = __hfma2(__half2half2(a), *reinterpret_cast<const __half2*>(b), pair);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_vectorized(int M, int N, int K,
                const __half* __restrict__ A, int lda, const __half* __restrict__ B, int ldb,
                __half* __restrict__ C, int ldc) {
  __shared__ __align__(16) __half As[BK][BM];
  __shared__ __align__(16) __half Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.x / LANES_N * VEC;
  const int threadCol = threadIdx.x % LANES_N * VEC;

  alignas(16) __half acc[TM][TN] = {};
  alignas(16) __half a[TM];
  alignas(16) __half b[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load the A tile into shared memory, transposed: each vectorized load is scattered to 8 rows
    // of As.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BK / VEC);
      const int c = e % (BK / VEC) * VEC;
      alignas(16) __half v[VEC];
      copy8(v, &A[(blockRow + r) * lda + k0 + c]);
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        As[c + j][r] = v[j];
      }
    }
    // Load the B tile into shared memory.
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BN / VEC);
      const int c = e % (BN / VEC) * VEC;
      copy8(&Bs[r][c], &B[(k0 + r) * ldb + blockCol + c]);
    }
    // Wait until both tiles are complete.
    __syncthreads();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy8(&a[m], &As[k][threadRow + m]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy8(&b[n], &Bs[k][threadCol + n]);
      }
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; n += 2) {
          fma2(&acc[m][n], a[m], &b[n]);
        }
      }
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    __syncthreads();
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
      copy8(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f16f16f16f16-vectorized-1024x1024x1024-rrr-64x64x16-8x8-v8
// @gemm {"entry":"gemm_vectorized","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"row"},"accumulator":"f16"},"schedule":{"algorithm":"vectorized","block":{"m":64,"n":64,"k":16},"thread":{"m":8,"n":8},"vector":8},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[64],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=87a3c3b4fcade5bab7bb09f6cf0e5535e6956afbd65853ef23d3e9dd701a9cdb
