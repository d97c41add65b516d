// thread-tile-1d GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 32 tile of C, with 8 x 1 accumulators per thread in registers.
// The main loop stages 8-deep tiles of A and B in shared memory. Register reuse: 9 loads from
// shared memory feed 8 FMAs.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 32 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 32, M / 64), block (256), 3,072 B of shared memory.
// For 1024 x 1024 x 1024: grid 32 x 16.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_thread_tile_1d<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 64;        // rows of C per thread block
constexpr int BN = 32;        // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int TM = 8;         // rows of C per thread
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_thread_tile_1d(int M, int N, int K,
                    const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                    float* __restrict__ C, int ldc) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Row and column of the first of this thread's TM accumulators, which are adjacent in a
  // column.
  const int threadRow = threadIdx.x / BN * TM;
  const int threadCol = threadIdx.x % BN;

  float acc[TM] = {};
  float a[TM];
  float b;

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
    // Per k: 8 + 1 values from shared memory feed 8 FMAs.
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        a[m] = As[threadRow + m][k];
      }
      b = Bs[k][threadCol];
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        acc[m] += a[m] * b;
      }
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    __syncthreads();
  }

  // Epilogue: write this thread's accumulators to C.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int row = blockRow + threadRow + m;
    const int col = blockCol + threadCol;
    C[row * ldc + col] = acc[m];
  }
}

// Spec key: gemm-f32-thread-tile-1d-1024x1024x1024-rrr-64x32x8-8
// @gemm {"entry":"gemm_thread_tile_1d","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":32,"k":8},"thread":{"m":8}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 64)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=69e2eb0ec83283a43d61d72af54433a2ccbe572f0928b2be22545a7e788fcc2e
