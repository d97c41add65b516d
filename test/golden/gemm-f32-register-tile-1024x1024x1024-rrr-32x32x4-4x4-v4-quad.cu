// register-tile GEMM, f32: C = A * B
//
// Each thread block computes a 32 x 32 tile of C, with 4 x 4 accumulators per thread in registers.
// Threads read A and B through the caches: no shared memory and no barriers. The loop over k is
// unrolled by 4.
// - The four lanes of a quad compute the same rows: each lane loads every fourth k of A and
//   broadcasts the values to the quad.
// - A is loaded one element at a time, each by one lane of the quad.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 32 == 0, N % 32 == 0, K % 4 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc. They require 16-byte aligned B and C
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 32, M / 32), block (64), no shared memory.
// For 1024 x 1024 x 1024: grid 32 x 32.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_register_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 32;       // rows of C per thread block
constexpr int BN = 32;       // columns of C per thread block
constexpr int BK = 4;        // k values per iteration of the main loop
constexpr int TM = 4;        // rows of C per thread
constexpr int TN = 4;        // columns of C per thread
constexpr int VEC = 4;       // elements per vectorized access
constexpr int LANES_M = 8;   // threads per block along M
constexpr int LANES_N = 8;   // threads per block along N
constexpr int QUAD = 4;      // lanes per quad, which share their loads of A
constexpr int THREADS = 64;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

constexpr unsigned ALL_LANES = 0xffffffff;  // mask of all lanes of a warp

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_register_tile(int M, int N, int K,
                   const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                   float* __restrict__ C, int ldc) {
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Each thread owns 4 rows (stride 8).
  const int threadRow = threadIdx.x / LANES_N;
  const int threadCol = threadIdx.x % LANES_N * VEC;

  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // The four lanes of a quad own the same rows: each lane loads every fourth k of A and
  // broadcasts the values.
  const int quadLane = threadIdx.x % QUAD;

  alignas(16) float acc[TM][TN] = {};
  float a[TM];
  alignas(16) float b[TN];
  float own[TM];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Per k: 4 + 4 loads feed 16 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; k += 4) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        own[m] = A[(row + m * LANES_M) * lda + k0 + k + quadLane];
      }
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        #pragma unroll
        for (int m = 0; m < TM; ++m) {
          a[m] = __shfl_sync(ALL_LANES, own[m], j, QUAD);
        }
        #pragma unroll
        for (int n = 0; n < TN; n += VEC) {
          copy4(&b[n], &B[(k0 + k + j) * ldb + col + n]);
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
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m * LANES_M;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n;
      copy4(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f32-register-tile-1024x1024x1024-rrr-32x32x4-4x4-v4-quad
// @gemm {"entry":"gemm_register_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"register-tile","block":{"m":32,"n":32,"k":4},"thread":{"m":4,"n":4},"vector":4,"sharing":"quad"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[64],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=d11d878f259da71e22bfe82cad8856b366f748e445948d501f71a4489ee65838
