// thread-tile-2d GEMM, f32: C = A * B
//
// Each block computes a 128 x 128 tile of C, 8 x 8 results a thread in registers, and walks K
// in steps of 8 through shared memory: 64 multiply-adds for 16 loads.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 128, N a multiple of 128, K a multiple of 8: accesses along them are not guarded.
//
// Launch for 4096 x 4096 x 4096: grid 32 x 32, block 256, 8,704 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c 08-thread-tile-2d.cu
// Call: gemm_thread_tile_2d<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=390738cf7bbd484752cc233098fc712f8e5dc6f58608d8f2472522ec0f92ab7b

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 8;         // depth of the tiles staged in shared memory
constexpr int TM = 8;         // rows of C a thread computes
constexpr int TN = 8;         // columns of C a thread computes
constexpr int PAD_A = 1;      // elements between rows of As, against bank conflicts
constexpr int THREADS = 256;  // threads a block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_thread_tile_2d(int M, int N, int K,
                    const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                    float* __restrict__ C, int ldc) {
  __shared__ float As[BM][BK + PAD_A];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // The first of this thread's TM x TN results, which are neighbours.
  const int threadRow = threadIdx.x / (BN / TN) * TM;
  const int threadCol = threadIdx.x % (BN / TN) * TN;

  float acc[TM][TN] = {};
  float a[TM];
  float b[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Stage a tile of A and of B in shared memory.
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
    __syncthreads();
    // A step of k: 8 + 8 values from shared memory, 64 multiply-adds.
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
    __syncthreads();
  }

  // Write this thread's results to C.
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
