// pipelined GEMM, f32: C = alpha * A * B + C
//
// Each block computes a 128 x 128 tile of C, a warp 64 x 32 of it, a thread 8 x 8, and walks K in steps
// of 8 through 2 stages of shared memory, filled by asynchronous copies ahead of the products.
// A is transposed while staged, so that a thread reads its rows and columns as vectors.
// A is copied one element at a time, since each goes to another row of As.
// Split-K: K is cut into 8 parts of 1,032, summed by blocks of their own, 288 instead of 36.
// Their sums go to a workspace, and gemm_pipelined_reduce adds them up, always in the same order.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Matrices of product i of the batch begin i strides behind the first.
// Vector accesses need N a multiple of 4, ldb a multiple of 4, strideB a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 500 x 260 x 8195, 3 products, one after the other:
//   gemm_pipelined: grid 3 x 4 x 24, block 256, 16,384 B of shared memory.
//   gemm_pipelined_reduce: grid 9 x 63 x 3, block 32 x 8.
// Workspace: 12,480,000 B of partial sums; what is in it before does not matter.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-pipelined-500x260x8195-rrr-128x128x8-w64x32-8x8-v4-s2-1e14fdb8.cu
// Call: gemm_pipelined_launch(M, N, K, batch, alpha, A, lda, strideA, B, ldb, strideB, C, ldc, strideC, workspace, stream);
//
// @gemm {"version":1,"problem":{"m":500,"n":260,"k":8195,"batch":3,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":1},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"splitK":8,"splitKReduction":"two-pass"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)",24],"block":[256],"args":["m","n","k","a","lda","strideA","b","ldb","strideB","workspace"],"after":[{"entry":"gemm_pipelined_reduce","grid":["ceil(n / 32)","ceil(m / 8)",3],"block":[32,8],"args":["m","n","alpha","workspace","c","ldc","strideC"]}],"workspaceBytes":12480000}
// @gemm-generated v1 sha256=c4c99be6d1a7d087cfa2551909d00663b8b8bae545ab505120feccb65e46d620

#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 8;         // depth of the tiles staged in shared memory
constexpr int WM = 64;        // rows of C a warp computes
constexpr int WN = 32;        // columns of C a warp computes
constexpr int TM = 8;         // rows of C a thread computes
constexpr int TN = 8;         // columns of C a thread computes
constexpr int VEC = 4;        // elements an access moves
constexpr int LANES_M = 8;    // threads of a warp along M
constexpr int LANES_N = 4;    // threads of a warp along N
constexpr int LOADS_A = 4;    // elements of a tile of A a thread loads
constexpr int LOADS_B = 1;    // vectors of 4 elements of a tile of B a thread loads
constexpr int STAGES = 2;     // tiles of A and of B that shared memory holds
constexpr int THREADS = 256;  // threads a block
constexpr int SPLIT_K = 8;    // parts of K

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_pipelined(int M, int N, int K,
               const float* __restrict__ A, int lda, int strideA,
               const float* __restrict__ B, int ldb, int strideB,
               float* __restrict__ workspace) {
  __shared__ __align__(16) float As[STAGES][BK][BM];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

  const int offsetA = blockIdx.z / SPLIT_K * strideA;
  const int offsetB = blockIdx.z / SPLIT_K * strideB;
  // Block z sums one part of K of product z / SPLIT_K.
  const int part = blockIdx.z % SPLIT_K;
  const int kPart = (K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  const int kBegin = min(part * kPart, K);
  const int kEnd = min(kBegin + kPart, K);

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // A thread owns 2 groups of 4 rows, one every 32, and 2 groups of 4 columns, one every 16.
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  const int tiles = (kEnd - kBegin + BK - 1) / BK;
  // The first tile is filled up with zeros in front, so that all others are whole.
  const int skip = tiles * BK - (kEnd - kBegin);

  // The first tile.
  if (0 < tiles) {
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / BK;
      const int c = e % BK;
      if (skip <= c) {
        __pipeline_memcpy_async(&As[0][c][r],
                                &A[offsetA + min(blockRow + r, M - 1) * lda + kBegin + c - skip], sizeof(float));
      } else {
        As[0][c][r] = 0.0f;
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int e = i * THREADS + threadIdx.x;
      const int r = e / (BN / VEC);
      const int c = e % (BN / VEC) * VEC;
      if (skip <= r) {
        __pipeline_memcpy_async(&Bs[0][r][c],
                                &B[offsetB + (kBegin + r - skip) * ldb + min(blockCol + c, N - VEC)], sizeof(float4));
      } else {
        #pragma unroll
        for (int j = 0; j < VEC; ++j) {
          Bs[0][r][c + j] = 0.0f;
        }
      }
    }
  }
  __pipeline_commit();

  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    const int next = t + 1;
    const int into = next % STAGES;
    // This tile has arrived, and nobody reads the one before it, whose stage is filled next.
    __pipeline_wait_prior(0);
    __syncthreads();
    // The next tile, into the other stage.
    if (next < tiles) {
      const int k0 = kBegin + next * BK - skip;
      #pragma unroll
      for (int i = 0; i < LOADS_A; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / BK;
        const int c = e % BK;
        __pipeline_memcpy_async(&As[into][c][r],
                                &A[offsetA + min(blockRow + r, M - 1) * lda + k0 + c], sizeof(float));
      }
      #pragma unroll
      for (int i = 0; i < LOADS_B; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int r = e / (BN / VEC);
        const int c = e % (BN / VEC) * VEC;
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[offsetB + (k0 + r) * ldb + min(blockCol + c, N - VEC)], sizeof(float4));
      }
    }
    __pipeline_commit();
    // A step of k: 8 + 8 values from shared memory, 64 multiply-adds.
    #pragma unroll
    for (int k = 0; k < BK; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[m], &As[stage][k][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[n], &Bs[stage][k][threadCol + n * LANES_N]);
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

  // Write this thread's results to the partial sums, 4 neighbours at a time.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Row m of the thread is one of the 4 neighbouring rows of group m / 4.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m / VEC * VEC * LANES_M + m % VEC;
    if (r < M) {
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        const int c = col + n * LANES_N;
        if (c < N) {
          copy4(&workspace[(blockIdx.z * M + r) * N + c], &acc[m][n]);
        }
      }
    }
  }
}

constexpr int RM = 8;   // rows of C a block of the reduction computes
constexpr int RN = 32;  // columns of C a block of the reduction computes

extern "C" __global__ void __launch_bounds__(RM * RN)
gemm_pipelined_reduce(int M, int N, float alpha,
                      const float* __restrict__ workspace,
                      float* __restrict__ C, int ldc, int strideC) {
  const int offsetC = blockIdx.z * strideC;
  const int row = blockIdx.y * RM + threadIdx.y;
  const int col = blockIdx.x * RN + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.0f;
    #pragma unroll
    for (int s = 0; s < SPLIT_K; ++s) {
      acc += workspace[((blockIdx.z * SPLIT_K + s) * M + row) * N + col];
    }
    C[offsetC + row * ldc + col] = alpha * acc + C[offsetC + row * ldc + col];
  }
}

// Launches the kernels in their order; the workspace holds batch * SPLIT_K * M * N sums.
inline cudaError_t gemm_pipelined_launch(int M, int N, int K, int batch, float alpha,
                                         const float* A, int lda, int strideA, const float* B, int ldb, int strideB,
                                         float* C, int ldc, int strideC, float* workspace,
                                         cudaStream_t stream) {
  const dim3 tiles((N + BN - 1) / BN, (M + BM - 1) / BM, SPLIT_K * batch);
  gemm_pipelined<<<tiles, THREADS, 0, stream>>>(M, N, K, A, lda, strideA, B, ldb, strideB, workspace);
  const dim3 elements((N + RN - 1) / RN, (M + RM - 1) / RM, batch);
  gemm_pipelined_reduce<<<elements, dim3(RN, RM), 0, stream>>>(M, N, alpha, workspace, C, ldc, strideC);
  return cudaGetLastError();
}
