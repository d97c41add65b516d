// vectorized GEMM, f32: C = alpha * A * B + beta * C
//
// Each block computes a 64 x 64 tile of C, a thread 8 x 8, and walks K in steps
// of 4 through shared memory: the next tile is loaded into registers while one is multiplied.
// B is transposed while staged, so that a thread reads its rows and columns as vectors.
// B is loaded 2 elements at a time, since ldb = 1030 is no multiple of 4.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N, column-major (M contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Block z computes product z of the batch: its matrices begin z strides behind the first.
// Vector accesses need M a multiple of 4, lda a multiple of 4, strideA a multiple of 4, K a multiple of 2, ldb a multiple of 2, strideB a multiple of 2, ldc a multiple of 4, strideC a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1000 x 1022 x 1030, 2 products: grid 16 x 16 x 2, block 64, 2,112 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-vectorized-1000x1022x1030-ccc-64x64x4-8x8-v4-pad0x4-2c3f5f69.cu
// Call: gemm_vectorized<<<grid, block>>>(M, N, K, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC);
//
// @gemm {"version":1,"problem":{"m":1000,"n":1022,"k":1030,"batch":2,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"vectorized","block":{"m":64,"n":64,"k":4},"thread":{"m":8,"n":8},"vector":4,"traversal":"col","prefetch":"registers","padding":{"b":4}},"device":"h200","targets":["cuda"],"grid":["ceil(n / 64)","ceil(m / 64)",2],"block":[64],"args":["m","n","k","alpha","a","lda","strideA","b","ldb","strideB","beta","c","ldc","strideC"]}
// @gemm-generated v1 sha256=6996d5ed71cc2b5629037b7e01622ea672200077b6ef686acd8389aa852fc663

constexpr int BM = 64;       // rows of C a block computes
constexpr int BN = 64;       // columns of C a block computes
constexpr int BK = 4;        // depth of the tiles staged in shared memory
constexpr int TM = 8;        // rows of C a thread computes
constexpr int TN = 8;        // columns of C a thread computes
constexpr int VEC = 4;       // elements an access moves
constexpr int LANES_M = 8;   // threads of a block along M
constexpr int LANES_N = 8;   // threads of a block along N
constexpr int LOADS_A = 1;   // vectors of 4 elements of a tile of A a thread loads
constexpr int LOADS_B = 2;   // vectors of 2 elements of a tile of B a thread loads
constexpr int PAD_B = 4;     // elements between rows of Bs, against bank conflicts
constexpr int THREADS = 64;  // threads a block

// Moves 2 neighbouring elements in one access of 8 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy2(float* to, const float* from) {
  *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
}

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
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

  const int offsetA = blockIdx.z * strideA;
  const int offsetB = blockIdx.z * strideB;
  const int offsetC = blockIdx.z * strideC;
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // A thread owns 2 groups of 4 rows, one every 32, and 2 groups of 4 columns, one every 32.
  const int threadRow = threadIdx.x / LANES_N * VEC;
  const int threadCol = threadIdx.x % LANES_N * VEC;
  // Where this thread's copies begin in a tile.
  const int depthA = threadIdx.x / (BM / VEC);
  const int rowA = threadIdx.x % (BM / VEC) * VEC;
  const int colB = threadIdx.x / (BK / 2);
  const int depthB = threadIdx.x % (BK / 2) * 2;

  alignas(16) float acc[TN][TM] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];
  alignas(16) float nextA[LOADS_A][VEC];
  alignas(8) float nextB[LOADS_B][2];

  const int tiles = (K + BK - 1) / BK;
  // The first tile is filled up with zeros in front, so that all others are whole.
  const int skip = tiles * BK - K;

  // The first tile.
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
    // The next tile, from global memory into registers.
    const int k0 = t * BK - skip;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      copy4(nextA[i], &A[offsetA + (depthA + i * (THREADS / (BM / VEC)) + k0) * lda + min(blockRow + rowA, M - VEC)]);
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      copy2(nextB[i], &B[offsetB + min(blockCol + colB + i * (THREADS / (BK / 2)), N - 1) * ldb + depthB + k0]);
    }
    // A step of k: 8 + 8 values from shared memory, 64 multiply-adds.
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
    // The next tile, from registers into the place of this one, which nobody reads any more.
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      copy4(&As[depthA + i * (THREADS / (BM / VEC))][rowA], nextA[i]);
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      #pragma unroll
      for (int j = 0; j < 2; ++j) {
        Bs[depthB + j][colB + i * (THREADS / (BK / 2))] = nextB[i][j];
      }
    }
    __syncthreads();
  }
  // The last tile.
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

  // Write this thread's results to C, 4 neighbours at a time.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Column n of the thread is one of the 4 neighbouring columns of group n / 4.
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
