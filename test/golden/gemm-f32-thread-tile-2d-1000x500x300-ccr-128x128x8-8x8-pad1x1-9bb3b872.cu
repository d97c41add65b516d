// thread-tile-2d GEMM, f32: C = alpha * A * B + beta * C
//
// Each block computes a 128 x 128 tile of C, 8 x 8 results a thread in registers, and walks K
// in steps of 8 through shared memory: 64 multiply-adds for 16 loads.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: accesses past the edges are guarded.
//
// Launch for 1000 x 500 x 300: grid 4 x 8, block 256, 8,736 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-thread-tile-2d-1000x500x300-ccr-128x128x8-8x8-pad1x1-9bb3b872.cu
// Call: gemm_thread_tile_2d<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
//
// @gemm {"version":1,"problem":{"m":1000,"n":500,"k":300,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1,"b":1},"minBlocksPerSm":2},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","alpha","a","lda","b","ldb","beta","c","ldc"]}
// @gemm-generated v1 sha256=4be6b25bbf3ed385e304d6ce4e1fe09e530a1b3d6e37062f41fea472e8028d76

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 8;         // depth of the tiles staged in shared memory
constexpr int TM = 8;         // rows of C a thread computes
constexpr int TN = 8;         // columns of C a thread computes
constexpr int PAD_A = 1;      // elements between rows of As, against bank conflicts
constexpr int PAD_B = 1;      // elements between rows of Bs, against bank conflicts
constexpr int THREADS = 256;  // threads a block

extern "C" __global__ void __launch_bounds__(THREADS, 2)
gemm_thread_tile_2d(int M, int N, int K, float alpha,
                    const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                    float beta, float* __restrict__ C, int ldc) {
  __shared__ float As[BK][BM + PAD_A];
  __shared__ float Bs[BN][BK + PAD_B];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // The first of this thread's TM x TN results, which are neighbours.
  const int threadRow = threadIdx.x / (BN / TN) * TM;
  const int threadCol = threadIdx.x % (BN / TN) * TN;

  float acc[TM][TN] = {};
  float a[TM];
  float b[TN];

  const int kTail = K / BK * BK;
  for (int k0 = 0; k0 < kTail; k0 += BK) {
    // Stage a tile of A and of B in shared memory, zero past the edges.
    #pragma unroll
    for (int i = 0; i < BK * BM; i += THREADS) {
      const int r = (i + threadIdx.x) % BM;
      const int c = (i + threadIdx.x) / BM;
      As[c][r] = blockRow + r < M ? A[(k0 + c) * lda + blockRow + r] : 0.0f;
    }
    #pragma unroll
    for (int i = 0; i < BN * BK; i += THREADS) {
      const int r = (i + threadIdx.x) % BK;
      const int c = (i + threadIdx.x) / BK;
      Bs[c][r] = blockCol + c < N ? B[(blockCol + c) * ldb + k0 + r] : 0.0f;
    }
    __syncthreads();
    // A step of k: 8 + 8 values from shared memory, 64 multiply-adds.
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        a[m] = As[k][threadRow + m];
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        b[n] = Bs[threadCol + n][k];
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
  // What is left of K, less than a tile.
  if (kTail < K) {
    // Stage a tile of A and of B in shared memory, zero past the edges.
    #pragma unroll
    for (int i = 0; i < BK * BM; i += THREADS) {
      const int r = (i + threadIdx.x) % BM;
      const int c = (i + threadIdx.x) / BM;
      if (kTail + c < K) {
        As[c][r] = blockRow + r < M ? A[(kTail + c) * lda + blockRow + r] : 0.0f;
      }
    }
    #pragma unroll
    for (int i = 0; i < BN * BK; i += THREADS) {
      const int r = (i + threadIdx.x) % BK;
      const int c = (i + threadIdx.x) / BK;
      if (kTail + r < K) {
        Bs[c][r] = blockCol + c < N ? B[(blockCol + c) * ldb + kTail + r] : 0.0f;
      }
    }
    __syncthreads();
    for (int k = 0; k < K - kTail; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        a[m] = As[k][threadRow + m];
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        b[n] = Bs[threadCol + n][k];
      }
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          acc[m][n] += a[m] * b[n];
        }
      }
    }
  }

  // Write this thread's results to C.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int row = blockRow + threadRow + m;
    #pragma unroll
    for (int n = 0; n < TN; ++n) {
      const int col = blockCol + threadCol + n;
      if (row < M && col < N) {
        C[row * ldc + col] = alpha * acc[m][n] + beta * C[row * ldc + col];
      }
    }
  }
}
