// thread-tile-2d GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 64 tile of C, with 4 x 4 accumulators per thread in registers.
// The main loop stages 8-deep tiles of A and B in shared memory. Register reuse: 8 loads from
// shared memory feed 16 FMAs.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 64, M / 64), block (256), 4,096 B of shared memory.
// For 4096 x 4096 x 4096: grid 64 x 64.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_thread_tile_2d<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 64;        // rows of C per thread block
constexpr int BN = 64;        // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int TM = 4;         // rows of C per thread
constexpr int TN = 4;         // columns of C per thread
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_thread_tile_2d(int M, int N, int K,
                    const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                    float* __restrict__ C, int ldc) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Row and column of the first element of this thread's TM x TN tile of accumulators.
  const int threadRow = threadIdx.x / (BN / TN) * TM;
  const int threadCol = threadIdx.x % (BN / TN) * TN;

  float acc[TM][TN] = {};
  float a[TM];
  float b[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads load consecutive elements.
    #pragma unroll
    for (int i = 0; i < BM * BK; i += THREADS) {
      const int r = (i + threadIdx.x) / BK;
      const int c = (i + threadIdx.x) % BK;
      As[r][c] = A[(blockRow + r) * lda + k0 + c];
    }
    #pragma unroll
    for (int i = 0; i < BK * BN; i += THREADS) {
      const int r = (i + threadIdx.x) / BN;
      const int c = (i + threadIdx.x) % BN;
      Bs[r][c] = B[(k0 + r) * ldb + blockCol + c];
    }
    // Wait until both tiles are complete.
    __syncthreads();
    // Per k: 4 + 4 values from shared memory feed 16 FMAs.
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        a[m] = As[threadRow + m][k];
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        b[n] = Bs[k][threadCol + n];
      }
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m] * b[n];
        }
      }
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    __syncthreads();
  }

  // Epilogue: write this thread's accumulators to C.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int row = blockRow + threadRow + m;
    #pragma unroll
    for (int n = 0; n < TN; ++n) {
      const int col = blockCol + threadCol + n;
      C[row * ldc + col] = acc[m][n];
    }
  }
}

// Spec key: gemm-f32-thread-tile-2d-4096x4096x4096-rrr-64x64x8-4x4
// @gemm {"entry":"gemm_thread_tile_2d","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"thread-tile-2d","block":{"m":64,"n":64,"k":8},"thread":{"m":4,"n":4}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=761bb3c9b2df7274843c8bccfce1f5d402361472c93cc71bc0e3739738241bf5
