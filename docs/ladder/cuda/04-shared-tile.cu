// shared-tile GEMM, f32: C = A * B
//
// Each block computes a 32 x 32 tile of C, one element a thread, and walks K in steps of 32
// through shared memory, where each element is loaded once and read by a whole row or column.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 32, N a multiple of 32, K a multiple of 32: accesses along them are not guarded.
//
// Launch for 4096 x 4096 x 4096: grid 128 x 128, block 32 x 32, 8,192 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c 04-shared-tile.cu
// Call: gemm_shared_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[32,32],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=52b38b88d983d27aa8eac143f99ffd69c846384a5f3e08444882878a10e46edb

constexpr int BM = 32;         // rows of C a block computes
constexpr int BN = 32;         // columns of C a block computes
constexpr int BK = 32;         // depth of the tiles staged in shared memory
constexpr int THREADS = 1024;  // threads a block

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
