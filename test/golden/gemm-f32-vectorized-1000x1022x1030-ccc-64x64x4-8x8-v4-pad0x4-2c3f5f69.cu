// vectorized GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 64 x 64 tile of C: 8 x 8 accumulators per thread.
// - Software pipelining: the next 4-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied.
// - B is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - B is loaded 2 elements at a time, since ldb = 1030 is not a multiple of 4.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// blockIdx.z selects the batch entry. Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 4 for M, lda, strideA, ldc and strideC; multiples of 2
// for K, ldb and strideB. They require 16-byte aligned A and C and 8-byte aligned B (as cudaMalloc
// returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 63) / 64, (M + 63) / 64, batch), block (64), 2,112 B of shared memory.
// For 1000 x 1022 x 1030, batch 2: grid 16 x 16 x 2.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_vectorized<<<grid, block>>>(M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC);

constexpr int BM = 64;       // rows of C per thread block
constexpr int BN = 64;       // columns of C per thread block
constexpr int BK = 4;        // K extent of the shared-memory tiles
constexpr int TM = 8;        // rows of C per thread
constexpr int TN = 8;        // columns of C per thread
constexpr int VEC = 4;       // elements per vectorized access
constexpr int LANES_M = 8;   // threads per block along M
constexpr int LANES_N = 8;   // threads per block along N
constexpr int LOADS_A = 1;   // vectors of 4 elements that a thread loads per A tile
constexpr int LOADS_B = 2;   // vectors of 2 elements that a thread loads per B tile
constexpr int PAD_B = 4;     // row padding of Bs in elements (avoids bank conflicts)
constexpr int THREADS = 64;  // threads per block

// Vectorized copy of 2 elements in one 8-byte access; both addresses must be 8-byte aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_vectorized(int M, int N, int K, float alpha,
                const float* __restrict__ A, int lda, int strideA,
                const float* __restrict__ B, int ldb, int strideB,
                float beta, float* __restrict__ C, int ldc, int strideC) {
  __shared__ __align__(16) float As[BK][BM];
  __shared__ __align__(16) float Bs[BK][BN + PAD_B];

  // blockIdx.z selects the batch entry.
  const int offsetA = blockIdx.z * strideA;
  const int offsetB = blockIdx.z * strideB;
  const int offsetC = blockIdx.z * strideC;
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 32).
  const int threadRow = threadIdx.x / LANES_N * VEC;
  const int threadCol = threadIdx.x % LANES_N * VEC;
  // Tile coordinates of this thread's first copy.
  const int kA = threadIdx.x / (BM / VEC);
  const int rowA = threadIdx.x % (BM / VEC) * VEC;
  const int colB = threadIdx.x / (BK / 2);
  const int kB = threadIdx.x % (BK / 2) * 2;

  alignas(16) float acc[TN][TM] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];
  alignas(16) float nextA[LOADS_A][VEC];
  alignas(8) float nextB[LOADS_B][2];

  const int tiles = (K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - K;

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: load the first tile.
  #pragma unroll
  for (int i = 0; i < LOADS_A; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e % (BM / VEC) * VEC;
    const int c = e / (BM / VEC);
    if (skip <= c) {
      copy4(&As[c][r], &A[offsetA + (c - skip) * lda + min(blockRow + r, M - VEC)]);
    } else {
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        As[c][r + j] = 0.0f;
      }
    }
  }
  #pragma unroll
  for (int i = 0; i < LOADS_B; ++i) {
    const int e = i * THREADS + threadIdx.x;
    const int r = e % (BK / 2) * 2;
    const int c = e / (BK / 2);
    if (skip <= r) {
      alignas(8) float v[2];
      copy2(v, &B[offsetB + min(blockCol + c, N - 1) * ldb + r - skip]);
      #pragma unroll
      for (int j = 0; j < 2; ++j) {
        Bs[r + j][c] = v[j];
      }
    } else {
      #pragma unroll
      for (int j = 0; j < 2; ++j) {
        Bs[r + j][c] = 0.0f;
      }
    }
  }
  __syncthreads();

  for (int t = 1; t < tiles; ++t) {
    // Prefetch the next tile from global memory into registers.
    const int k0 = t * BK - skip;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      copy4(nextA[i], &A[offsetA + (kA + i * (THREADS / (BM / VEC)) + k0) * lda + min(blockRow + rowA, M - VEC)]);
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      copy2(nextB[i], &B[offsetB + min(blockCol + colB + i * (THREADS / (BK / 2)), N - 1) * ldb + kB + k0]);
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
      for (int n = 0; n < TN; ++n) {
        #pragma unroll
        for (int i = 0; i < TM; ++i) {
          const int m = i + n % 2 * (TM - 1 - 2 * i);
          acc[n][m] += a[m] * b[n];
        }
      }
    }
    __syncthreads();
    // Store the next tile from registers to shared memory, replacing the current tile.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      copy4(&As[kA + i * (THREADS / (BM / VEC))][rowA], nextA[i]);
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      #pragma unroll
      for (int j = 0; j < 2; ++j) {
        Bs[kB + j][colB + i * (THREADS / (BK / 2))] = nextB[i][j];
      }
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
    for (int n = 0; n < TN; ++n) {
      #pragma unroll
      for (int i = 0; i < TM; ++i) {
        const int m = i + n % 2 * (TM - 1 - 2 * i);
        acc[n][m] += a[m] * b[n];
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
          copy4(out, &C[offsetC + c * ldc + r]);
          #pragma unroll
          for (int j = 0; j < VEC; ++j) {
            out[j] = alpha * acc[n][m + j] + beta * out[j];
          }
          copy4(&C[offsetC + c * ldc + r], out);
        }
      }
    }
  }
}

// Spec key: gemm-f32-vectorized-1000x1022x1030-ccc-64x64x4-8x8-v4-pad0x4-2c3f5f69
// @gemm {"entry":"gemm_vectorized","version":1,"problem":{"m":1000,"n":1022,"k":1030,"batch":2,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"vectorized","block":{"m":64,"n":64,"k":4},"thread":{"m":8,"n":8},"vector":4,"traversal":"col","prefetch":"registers","padding":{"b":4}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)",2],"block":[64],"args":["m","n","k","alpha","a","lda","strideA","b","ldb","strideB","beta","c","ldc","strideC"]}
// @gemm-generated v1 sha256=b546cc45fcb136525ad48b50191dfbe907a35e3ecf6d41c66f4def5a6cfa9915
