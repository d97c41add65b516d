// shared-tile GEMM, f32: C = A * B
//
// Each block computes a 16 x 16 tile of C, one element a thread, and walks K in steps of 16
// through shared memory, where each element is loaded once and read by a whole row or column.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 16, N a multiple of 16, K a multiple of 16: accesses along them are not guarded.
//
// Launch for 1024 x 1024 x 1024: grid 64 x 64, block 16 x 16, 2,048 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-shared-tile-2d-1024x1024x1024-rrr-16x16x16.cu
// Call: gemm_shared_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"shared-tile","block":{"m":16,"n":16,"k":16},"variant":"2d"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=d2fd6416f6d5c8585d552bfe9432f7dc0f97f471c111b6dbce78e1fa324e4432

constexpr int BM = 16;        // rows of C a block computes
constexpr int BN = 16;        // columns of C a block computes
constexpr int BK = 16;        // depth of the tiles staged in shared memory
constexpr int THREADS = 256;  // threads a block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_shared_tile(int M, int N, int K,
                 const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                 float* __restrict__ C, int ldc) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;

  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    // Stage a tile of A and of B in shared memory.
    As[threadRow][threadCol] = A[row * lda + k0 + threadCol];
    Bs[threadRow][threadCol] = B[(k0 + threadRow) * ldb + col];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      acc += As[threadRow][k] * Bs[k][threadCol];
    }
    __syncthreads();
  }

  C[row * ldc + col] = acc;
}
