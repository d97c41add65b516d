// gemv GEMM, f32: C = A * B
//
// Each thread block computes a 4 x 32 tile of C, and its threads split K: 32 threads along K
// accumulate 4 x 4 partial results each. They load A and B directly from global memory, with all
// loads of a k-iteration in flight together.
// - Reduction: warp shuffles add the partial results of 4 lanes; shared memory holds 8 partial
//   results per element, which one thread adds in ascending order.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 4 == 0, N % 32 == 0, K % 256 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda and ldb. They require 16-byte aligned A and B
// (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each thread along K adds its products in
// ascending order of k. The partial results of 4 lanes are added in pairs. Then 8 partial results
// per element are added in ascending order.
//
// Launch: grid (N / 32, M / 4), block (256), 4,096 B of shared memory.
// For 4 x 4096 x 4096: grid 128.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_gemv<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 4;                 // rows of C per thread block
constexpr int BN = 32;                // columns of C per thread block
constexpr int BK = 256;               // k values per iteration of the main loop
constexpr int TM = 4;                 // rows of C per thread
constexpr int TN = 4;                 // columns of C per thread
constexpr int VEC = 4;                // elements per vectorized access
constexpr int LANES_N = 8;            // threads per block along N
constexpr int TK = 8;                 // k values per thread and k-iteration
constexpr int THREADS_K = 32;         // threads per block along K
constexpr int LANES_K = 4;            // lanes along K that one warp reduces
constexpr int PARTIALS = 8;           // partial results per element in shared memory
constexpr int THREADS = 256;          // threads per block
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
  __shared__ float Cs[PARTIALS * BM][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // The threads form a grid along N and K; consecutive threads load consecutive columns of B.
  const int threadK = threadIdx.x / LANES_N;
  const int threadCol = threadIdx.x % LANES_N * VEC;
  const int row = blockRow;
  const int col = blockCol + threadCol;
  const int kThread = threadK * VEC;

  float acc[TM][TN] = {};
  alignas(16) float a[TM][TK];
  alignas(16) float b[TK][TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Issue all loads before the first FMA, so that they are in flight together.
    #pragma unroll
    for (int i = 0; i < TK; i += VEC) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        copy4(&a[m][i], &A[(row + m) * lda + k0 + kThread + i * THREADS_K]);
      }
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        #pragma unroll
        for (int n = 0; n < TN; n += VEC) {
          copy4(&b[i + j][n], &B[(k0 + kThread + i * THREADS_K + j) * ldb + col + n]);
        }
      }
    }
    #pragma unroll
    for (int i = 0; i < TK; ++i) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m][i] * b[i][n];
        }
      }
    }
  }

  // Warp reduction: 4 lanes along K exchange their partial results in pairs.
  #pragma unroll
  for (int step = 0; step < 2; ++step) {
    #pragma unroll
    for (int m = 0; m < TM; ++m) {
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        acc[m][n] += __shfl_xor_sync(ALL_LANES, acc[m][n], LANES_N << step);
      }
    }
  }

  // Store the partial results to shared memory, and wait until all of them are complete.
  if (threadK % LANES_K < 1) {
    #pragma unroll
    for (int m = 0; m < TM; ++m) {
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        Cs[threadK / LANES_K * BM + m][threadCol + n] = acc[m][n];
      }
    }
  }
  __syncthreads();

  // Epilogue: add the partial results in ascending order, and write the results to C.
  for (int e = threadIdx.x; e < BM * BN; e += THREADS) {
    const int r = blockRow + e / BN;
    const int c = blockCol + e % BN;
    float sum;
    sum = Cs[e / BN][e % BN];
    #pragma unroll
    for (int p = 1; p < PARTIALS; ++p) {
      sum += Cs[p * BM + e / BN][e % BN];
    }
    C[r * ldc + c] = sum;
  }
}

// Spec key: gemm-f32-gemv-4x4096x4096-rrr-4x32x256-4x4x8-v4-min1
// @gemm {"entry":"gemm_gemv","version":1,"problem":{"m":4,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"gemv","block":{"m":4,"n":32,"k":256},"thread":{"m":4,"n":4,"k":8},"vector":4,"minBlocksPerSm":1},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 4)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c3ff25a103a52038d6b7ca5ea0f63b9f7babe0b5eb8ffd7d6ba08c3d0ad75846
