// layout GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C as in CuTe's tutorial. The thread layouts tA and
// tB are repeated over the tiles of A and B to copy them; tC is repeated over the tile of C.
//
// CuTe layouts (shape:stride) of the matrices (m), their tiles (g), the shared-memory tiles (s) and
// the threads (t):
//   mA (4096,4096):(4096,_1)
//   gA (_128,_8,512):(4096,_1,_8)
//   sA (_128,_8):(_1,_128)
//   tA (_32,_8):(_1,_32)
//   mB (4096,4096):(_1,4096)
//   gB (_128,_8,512):(_1,4096,32768)
//   sB (_128,_8):(_1,_128)
//   tB (_32,_8):(_1,_32)
//   gC (_128,_128):(4096,_1)
//   tC (_16,_16):(_1,_16)
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 128, M / 128), block (256), 8,192 B of shared memory.
// For 4096 x 4096 x 4096: grid 32 x 32.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_layout<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 128;       // rows of C per thread block
constexpr int BN = 128;       // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int TM = 8;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int LANES_M = 16;   // threads per block along M
constexpr int LANES_N = 16;   // threads per block along N
constexpr int TA_M = 32;      // rows of A copied per repetition of tA
constexpr int TA_K = 8;       // columns of A copied per repetition of tA
constexpr int TB_N = 32;      // columns of B copied per repetition of tB
constexpr int TB_K = 8;       // rows of B copied per repetition of tB
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_layout(int M, int N, int K,
            const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
            float* __restrict__ C, int ldc) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Coordinates of this thread in the layouts tA, tB and tC.
  const int aM = threadIdx.x % TA_M;
  const int aK = threadIdx.x / TA_M;
  const int bN = threadIdx.x % TB_N;
  const int bK = threadIdx.x / TB_N;
  const int threadRow = threadIdx.x % LANES_M;
  const int threadCol = threadIdx.x / LANES_M;

  float acc[TM][TN] = {};
  float a[TM];
  float b[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load the A tile into shared memory, transposed.
    #pragma unroll
    for (int k = 0; k < BK; k += TA_K) {
      #pragma unroll
      for (int m = 0; m < BM; m += TA_M) {
        As[k + aK][m + aM] = A[(blockRow + m + aM) * lda + k0 + k + aK];
      }
    }
    // Load the B tile into shared memory.
    #pragma unroll
    for (int k = 0; k < BK; k += TB_K) {
      #pragma unroll
      for (int n = 0; n < BN; n += TB_N) {
        Bs[k + bK][n + bN] = B[(k0 + k + bK) * ldb + blockCol + n + bN];
      }
    }
    // Wait until both tiles are complete.
    __syncthreads();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        a[m] = As[k][threadRow + m * LANES_M];
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        b[n] = Bs[k][threadCol + n * LANES_N];
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
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m * LANES_M;
    #pragma unroll
    for (int n = 0; n < TN; ++n) {
      const int c = col + n * LANES_N;
      C[r * ldc + c] = acc[m][n];
    }
  }
}

// Spec key: gemm-f32-layout-4096x4096x4096-rrr-128x128x8-8003f9c7
// @gemm {"entry":"gemm_layout","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=bb0bc483014da7b36eeeb8053b6800cb86542226fc015a4e3142acbfb3fbd9ff
