// warp-tile GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - The main loop stages 8-deep tiles of A and B in shared memory with vectorized loads.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - A is loaded 2 elements at a time, since lda = 1030 is not a multiple of 4.
// - B is loaded 2 elements at a time, since ldb = 1022 is not a multiple of 4.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for M and ldc; multiples of 2 for K, lda, N and ldb.
// They require 16-byte aligned C and 8-byte aligned A and B (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 127) / 128, (M + 127) / 128), block (256), 8,320 B of shared memory.
// For 1000 x 1022 x 1030: grid 8 x 8.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_warp_tile<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);

constexpr int BM = 128;       // rows of C per thread block
constexpr int BN = 128;       // columns of C per thread block
constexpr int BK = 8;         // K extent of the shared-memory tiles
constexpr int WM = 64;        // rows of C per warp
constexpr int WN = 32;        // columns of C per warp
constexpr int TM = 8;         // rows of C per thread
constexpr int TN = 8;         // columns of C per thread
constexpr int VEC = 4;        // elements per vectorized access
constexpr int LANES_M = 8;    // lanes per warp along M
constexpr int LANES_N = 4;    // lanes per warp along N
constexpr int LOADS_A = 2;    // vectors of 2 elements that a thread loads per A tile
constexpr int LOADS_B = 2;    // vectors of 2 elements that a thread loads per B tile
constexpr int RASTER = 8;     // tile rows per raster group (L2 reuse)
constexpr int PAD_A = 4;      // row padding of As in elements (avoids bank conflicts)
constexpr int THREADS = 256;  // threads per block

// Vectorized copy of 2 elements in one 8-byte access; both addresses must be 8-byte aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_warp_tile(int M, int N, int K, float alpha,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float beta, float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[BK][BM + PAD_A];
  __shared__ __align__(16) float Bs[BK][BN];

  // Rasterization in groups of RASTER tile rows (L2 reuse); the last group may be smaller.
  const int tilesM = (M + BM - 1) / BM;
  const int tilesN = (N + BN - 1) / BN;
  const int linearTile = blockIdx.y * tilesN + blockIdx.x;
  const int firstTileRow = linearTile / (RASTER * tilesN) * RASTER;
  const int groupRows = min(tilesM - firstTileRow, RASTER);
  const int blockRow = (firstTileRow + linearTile % (RASTER * tilesN) % groupRows) * BM;
  const int blockCol = linearTile % (RASTER * tilesN) / groupRows * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TN][TM] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  // Rows and columns past the edge are clamped; their results are not stored.
  const int kTail = K / BK * BK;
  for (int k0 = 0; k0 < kTail; k0 += BK) {
    // Load the A tile into shared memory, transposed: each vectorized load is scattered to 2 rows
    // of As.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BK / 2);
      const int c = e % (BK / 2) * 2;
      alignas(8) float v[2];
      copy2(v, &A[min(blockRow + r, M - 1) * lda + k0 + c]);
      #pragma unroll
      for (int j = 0; j < 2; ++j) {
        As[c + j][r] = v[j];
      }
    }
    // Load the B tile into shared memory.
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BN / 2);
      const int c = e % (BN / 2) * 2;
      copy2(&Bs[r][c], &B[(k0 + r) * ldb + min(blockCol + c, N - 2)]);
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
      for (int n = 0; n < TN; ++n) {
        #pragma unroll
        for (int m = 0; m < TM; ++m) {
          acc[n][m] += a[m] * b[n];
        }
      }
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    __syncthreads();
  }
  // K remainder: the last, partial tile.
  if (kTail < K) {
    // Load the A tile into shared memory, transposed: each vectorized load is scattered to 2 rows
    // of As.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BK / 2);
      const int c = e % (BK / 2) * 2;
      if (kTail + c < K) {
        alignas(8) float v[2];
        copy2(v, &A[min(blockRow + r, M - 1) * lda + kTail + c]);
        #pragma unroll
        for (int j = 0; j < 2; ++j) {
          As[c + j][r] = v[j];
        }
      }
    }
    // Load the B tile into shared memory.
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BN / 2);
      const int c = e % (BN / 2) * 2;
      if (kTail + r < K) {
        copy2(&Bs[r][c], &B[(kTail + r) * ldb + min(blockCol + c, N - 2)]);
      }
    }
    __syncthreads();
    for (int k = 0; k < K - kTail; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[m], &As[k][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[n], &Bs[k][threadCol + n * LANES_N]);
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        #pragma unroll
        for (int m = 0; m < TM; ++m) {
          acc[n][m] += a[m] * b[n];
        }
      }
    }
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Column n of the thread belongs to group n / 4 of 4 adjacent columns.
  #pragma unroll
  for (int n = 0; n < TN; ++n) {
    const int c = col + n / VEC * VEC * LANES_N + n % VEC;
    if (c < N) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        const int r = row + m * LANES_M;
        if (r < M) {
          alignas(16) float out[VEC];
          copy4(out, &C[c * ldc + r]);
          #pragma unroll
          for (int j = 0; j < VEC; ++j) {
            out[j] = alpha * acc[n][m + j] + beta * out[j];
          }
          copy4(&C[c * ldc + r], out);
        }
      }
    }
  }
}

// Spec key: gemm-f32-warp-tile-1000x1022x1030-rrc-128x128x8-w64x32-8x8-v4-e8cfbb9e
// @gemm {"entry":"gemm_warp_tile","version":1,"problem":{"m":1000,"n":1022,"k":1030,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4},"raster":{"group":8}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["m","n","k","alpha","a","lda","b","ldb","beta","c","ldc"]}
// @gemm-generated v1 sha256=b5592cf78bdb3abbdf66bb450c30d858ca8305778f8f19e771b18e64696fd68d
