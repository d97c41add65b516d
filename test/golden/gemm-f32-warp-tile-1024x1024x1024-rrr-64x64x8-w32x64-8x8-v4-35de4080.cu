// warp-tile GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 64 tile of C: 32 x 64 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining: the next 8-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda, ldb and ldc. They require 16-byte aligned A,
// B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (N / 64, M / 64), block (64), 4,224 B of shared memory.
// For 1024 x 1024 x 1024: grid 16 x 16.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_warp_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 64;       // rows of C per thread block
constexpr int BN = 64;       // columns of C per thread block
constexpr int BK = 8;        // K extent of the shared-memory tiles
constexpr int WM = 32;       // rows of C per warp
constexpr int WN = 64;       // columns of C per warp
constexpr int TM = 8;        // rows of C per thread
constexpr int TN = 8;        // columns of C per thread
constexpr int VEC = 4;       // elements per vectorized access
constexpr int LANES_M = 4;   // lanes per warp along M
constexpr int LANES_N = 8;   // lanes per warp along N
constexpr int LOADS_A = 2;   // vectors of 4 elements that a thread loads per A tile
constexpr int LOADS_B = 2;   // vectors of 4 elements that a thread loads per B tile
constexpr int PAD_A = 4;     // row padding of As in elements (avoids bank conflicts)
constexpr int THREADS = 64;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_warp_tile(int M, int N, int K,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[BK][BM + PAD_A];
  __shared__ __align__(16) float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 16) and 2 groups of 4 columns (stride 32).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;
  // Tile coordinates of this thread's first copy.
  const int rowA = threadIdx.x / (BK / VEC);
  const int kA = threadIdx.x % (BK / VEC) * VEC;
  const int kB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];
  alignas(16) float nextA[LOADS_A][VEC];
  alignas(16) float nextB[LOADS_B][VEC];

  const int tiles = K / BK;

  // Prologue: load the first tile.
  #pragma unroll
  for (int i = 0; i < LOADS_A; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e / (BK / VEC);
    const int c = e % (BK / VEC) * VEC;
    alignas(16) float v[VEC];
    copy4(v, &A[(blockRow + r) * lda + c]);
    #pragma unroll
    for (int j = 0; j < VEC; ++j) {
      As[c + j][r] = v[j];
    }
  }
  #pragma unroll
  for (int i = 0; i < LOADS_B; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e / (BN / VEC);
    const int c = e % (BN / VEC) * VEC;
    copy4(&Bs[r][c], &B[r * ldb + blockCol + c]);
  }
  __syncthreads();

  for (int t = 1; t < tiles; ++t) {
    // Prefetch the next tile from global memory into registers.
    const int k0 = t * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      copy4(nextA[i], &A[(blockRow + rowA + i * (THREADS / (BK / VEC))) * lda + kA + k0]);
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      copy4(nextB[i], &B[(kB + i * (THREADS / (BN / VEC)) + k0) * ldb + blockCol + colB]);
    }
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
        for (int i = 0; i < TN; ++i) {
          const int n = i + m % 2 * (TN - 1 - 2 * i);
          acc[m][n] += a[m] * b[n];
        }
      }
    }
    __syncthreads();
    // Store the next tile from registers to shared memory, replacing the current tile.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        As[kA + j][rowA + i * (THREADS / (BK / VEC))] = nextA[i][j];
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      copy4(&Bs[kB + i * (THREADS / (BN / VEC))][colB], nextB[i]);
    }
    __syncthreads();
  }
  // Peeled last iteration: multiply the last tile without prefetching.
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
      for (int i = 0; i < TN; ++i) {
        const int n = i + m % 2 * (TN - 1 - 2 * i);
        acc[m][n] += a[m] * b[n];
      }
    }
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

// Spec key: gemm-f32-warp-tile-1024x1024x1024-rrr-64x64x8-w32x64-8x8-v4-35de4080
// @gemm {"entry":"gemm_warp_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"warp-tile","block":{"m":64,"n":64,"k":8},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"traversal":"row","prefetch":"registers","unroll":"full","padding":{"a":4}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[64],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=c6320d644262bd6da1584092c16e98a2b3239257ceaf87672c9067fb397455e1
