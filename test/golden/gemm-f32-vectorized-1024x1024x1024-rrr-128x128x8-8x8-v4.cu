// vectorized GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C: 8 x 8 accumulators per thread.
// - The main loop stages 8-deep tiles of A and B in shared memory with vectorized loads.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda, ldb and ldc. They require 16-byte aligned A,
// B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 128, M / 128), block (256), 8,192 B of shared memory.
// For 1024 x 1024 x 1024: grid 8 x 8.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_vectorized<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 128;       // rows of C per thread block
constexpr int BN = 128;       // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int TM = 8;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int VEC = 4;        // elements per vectorized access
constexpr int LANES_M = 16;   // threads per block along M
constexpr int LANES_N = 16;   // threads per block along N
constexpr int LOADS_A = 1;    // vectors of 4 elements that a thread loads per A tile
constexpr int LOADS_B = 1;    // vectors of 4 elements that a thread loads per B tile
constexpr int THREADS = 256;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_vectorized(int M, int N, int K,
                const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[BK][BM];
  __shared__ __align__(16) float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Each thread owns 2 groups of 4 rows (stride 64) and 2 groups of 4 columns (stride 64).
  const int threadRow = threadIdx.x / LANES_N * VEC;
  const int threadCol = threadIdx.x % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // Load the A tile into shared memory, transposed: each vectorized load is scattered to 4 rows
    // of As.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BK / VEC);
      const int c = e % (BK / VEC) * VEC;
      alignas(16) float v[VEC];
      copy4(v, &A[(blockRow + r) * lda + k0 + c]);
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
      copy4(&Bs[r][c], &B[(k0 + r) * ldb + blockCol + c]);
    }
    // Wait until both tiles are complete.
    __syncthreads();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[m], &As[k][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[n], &Bs[k][threadCol + n * LANES_N]);
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

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Row m of the thread belongs to group m / 4 of 4 adjacent rows.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m / VEC * VEC * LANES_M + m % VEC;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n * LANES_N;
      copy4(&C[r * ldc + c], &acc[m][n]);
    }
  }
}

// Spec key: gemm-f32-vectorized-1024x1024x1024-rrr-128x128x8-8x8-v4
// @gemm {"entry":"gemm_vectorized","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"vectorized","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"vector":4},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=6744e10961d68814e1272adec81c7d65f21b596b411f84f4e0ab2b08df22d21b
