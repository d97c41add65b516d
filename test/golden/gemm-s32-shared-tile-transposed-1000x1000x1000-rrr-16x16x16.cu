// shared-tile GEMM, s32: C = A * B
//
// Each thread block computes a 16 x 16 tile of C, one element per thread. The main loop stages
// 16-deep tiles of A and B in shared memory: each element is loaded from global memory once per
// block and read by all threads of a row or column.
// - threadIdx.x selects the row of C.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: accesses to boundary tiles are
// bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((M + 15) / 16, (N + 15) / 16), block (16, 16), 2,048 B of shared memory.
// For 1000 x 1000 x 1000: grid 63 x 63.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_shared_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 16;        // rows of C per thread block
constexpr int BN = 16;        // columns of C per thread block
constexpr int BK = 16;        // K extent of the shared-memory tiles
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_shared_tile(int M, int N, int K,
                 const int* __restrict__ A, int lda, const int* __restrict__ B, int ldb,
                 int* __restrict__ C, int ldc) {
  __shared__ int As[BM][BK];
  __shared__ int Bs[BK][BN];

  const int threadRow = threadIdx.x;
  const int threadCol = threadIdx.y;
  const int blockRow = blockIdx.x * BM;
  const int blockCol = blockIdx.y * BN;
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;

  int acc = 0;
  const int kTail = K / BK * BK;
  for (int k0 = 0; k0 < kTail; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads access consecutive rows.
    // Elements outside the matrices are zero.
    As[threadRow][threadCol] = row < M ? A[row * lda + k0 + threadCol] : 0;
    Bs[threadRow][threadCol] = col < N ? B[(k0 + threadRow) * ldb + col] : 0;
    // Wait until both tiles are complete.
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      acc += As[threadRow][k] * Bs[k][threadCol];
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    __syncthreads();
  }
  // K remainder: the last, partial tile.
  if (kTail < K) {
    // Load the A and B tiles into shared memory; consecutive threads access consecutive rows.
    // Elements outside the matrices are zero.
    if (kTail + threadCol < K) {
      As[threadRow][threadCol] = row < M ? A[row * lda + kTail + threadCol] : 0;
    }
    if (kTail + threadRow < K) {
      Bs[threadRow][threadCol] = col < N ? B[(kTail + threadRow) * ldb + col] : 0;
    }
    __syncthreads();
    for (int k = 0; k < K - kTail; ++k) {
      acc += As[threadRow][k] * Bs[k][threadCol];
    }
  }

  if (row < M && col < N) {
    C[row * ldc + col] = acc;
  }
}

// Spec key: gemm-s32-shared-tile-transposed-1000x1000x1000-rrr-16x16x16
// @gemm {"entry":"gemm_shared_tile","version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"s32","layout":"row"},"b":{"dtype":"s32","layout":"row"},"c":{"dtype":"s32","layout":"row"},"accumulator":"s32"},"schedule":{"algorithm":"shared-tile","block":{"m":16,"n":16,"k":16},"variant":"transposed"},"device":"h200","targets":["cuda"],"grid":["ceil(m / 16)","ceil(n / 16)"],"block":[16,16],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c98039757a7f0ccd6b5094318d8faf42cbe41a2c03f9647291a090bbf97944b1
