// gemv GEMM, f32: C = A * B
//
// Each thread block computes a 1 x 8 tile of C, and its threads split K: 32 threads along K
// accumulate 1 x 2 partial results each. They load A and B directly from global memory, with all
// loads of a k-iteration in flight together.
// - Reduction: warp shuffles add the partial results of 32 lanes.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// Requires N % 8 == 0, K % 512 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda and ldb. They require 16-byte aligned A and B
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each thread along K adds its products in
// ascending order of k. The partial results of 32 lanes are added in pairs.
//
// Launch: grid (N / 8, M), block (128), no shared memory.
// For 1 x 4096 x 4096: grid 512.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_gemv<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 1;                 // rows of C per thread block
constexpr int BN = 8;                 // columns of C per thread block
constexpr int BK = 512;               // k values per iteration of the main loop
constexpr int TM = 1;                 // rows of C per thread
constexpr int TN = 2;                 // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_N = 4;            // threads per block along N
constexpr int TK = 16;                // k values per thread and k-iteration
constexpr int THREADS_K = 32;         // threads per block along K
constexpr int THREADS = 128;          // threads per block
constexpr int MIN_BLOCKS_PER_SM = 1;  // minimum resident blocks per SM (limits registers per thread)

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

constexpr unsigned ALL_LANES = 0xffffffff;  // mask of all lanes of a warp

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
gemm_gemv(int M, int N, int K,
          const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
          float* __restrict__ C, int ldc) {
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // The threads form a grid along N and K; consecutive threads load consecutive k values.
  const int threadK = threadIdx.x % THREADS_K;
  const int threadCol = threadIdx.x / THREADS_K;
  const int row = blockRow;
  const int col = blockCol + threadCol;
  const int kThread = threadK * VEC;

  float acc[TM][TN] = {};
  alignas(16) float a[TM][TK];
  alignas(16) float b[TN][TK];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Issue all loads before the first FMA, so that they are in flight together.
    #pragma unroll
    for (int i = 0; i < TK; i += VEC) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        copy4(&a[m][i], &A[(row + m) * lda + k0 + kThread + i * THREADS_K]);
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        copy4(&b[n][i], &B[(col + n * LANES_N) * ldb + k0 + kThread + i * THREADS_K]);
      }
    }
    #pragma unroll
    for (int i = 0; i < TK; ++i) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m][i] * b[n][i];
        }
      }
    }
  }

  // Warp reduction: 32 lanes along K exchange their partial results in pairs.
  #pragma unroll
  for (int step = 0; step < 5; ++step) {
    #pragma unroll
    for (int m = 0; m < TM; ++m) {
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        acc[m][n] += __shfl_xor_sync(ALL_LANES, acc[m][n], 1 << step);
      }
    }
  }

  // All lanes along K hold the same sums; the first one writes them.
  if (threadK < 1) {
    // Epilogue: write this thread's accumulators to C.
    #pragma unroll
    for (int m = 0; m < TM; ++m) {
      const int r = row + m;
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        const int c = col + n * LANES_N;
        C[r * ldc + c] = acc[m][n];
      }
    }
  }
}

// Spec key: gemm-f32-gemv-1x4096x4096-rcr-1x8x512-1x2x16-v4-min1
// @gemm {"entry":"gemm_gemv","version":1,"problem":{"m":1,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"gemv","block":{"m":1,"n":8,"k":512},"thread":{"m":1,"n":2,"k":16},"vector":4,"minBlocksPerSm":1},"device":"h200","targets":["cuda"],"grid":["ceil(n / 8)","ceil(m / 1)"],"block":[128],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c7740a1505419e96c69d52bcf5dd1909e9eb6199313944b293d6b5bd5b31e66e
