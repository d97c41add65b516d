// pipelined GEMM, f32: C = alpha * A * B + C
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining with 2 stages: asynchronous copies (cp.async) of 8-deep tiles fill shared
//   memory ahead of the FMAs.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is copied one element at a time, since the transposition scatters elements to different rows
//   of As.
// - Split-K: K is partitioned into 8 slices of 1,032, computed by separate thread blocks (288
//   instead of 36).
// - Partial results go to a workspace; gemm_pipelined_reduce reduces them.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it or wrap around, and stores are bounds-checked.
// Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 4 for N, ldb and strideB. They require 16-byte aligned B
// and workspace (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k within a K slice, then adds the slices in ascending order.
//
// Launches, in order:
//   gemm_pipelined: grid ((N + 127) / 128, (M + 127) / 128, 8 * batch), block (256), 16,384 B of shared memory.
//   gemm_pipelined_reduce: grid ((N + 31) / 32, (M + 7) / 8, batch), block (32, 8).
// For 500 x 260 x 8195, batch 3: grids 3 x 4 x 24, then 9 x 63 x 3.
// Workspace: 12,480,000 B for partial results; it need not be initialized.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_pipelined_launch(M, N, K, batch, alpha, A, lda, strideA, B, ldb, strideB, C, ldc, strideC, workspace, stream);

#include <cuda_pipeline_primitives.h>

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
constexpr int LOADS_A = 4;    // elements that a thread loads per A tile
constexpr int LOADS_B = 1;    // vectors of 4 elements that a thread loads per B tile
constexpr int STAGES = 2;     // pipeline stages (pairs of A and B tiles in shared memory)
constexpr int THREADS = 256;  // threads per block
constexpr int SPLIT_K = 8;    // split-K slices

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
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

  // blockIdx.z selects the batch entry and the split-K slice.
  const int offsetA = blockIdx.z / SPLIT_K * strideA;
  const int offsetB = blockIdx.z / SPLIT_K * strideB;
  const int slice = blockIdx.z % SPLIT_K;
  const int kSlice = (K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  const int kBegin = min(slice * kSlice, K);
  const int kEnd = min(kBegin + kSlice, K);

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
  const int threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  const int threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN];

  const int tiles = (kEnd - kBegin + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  const int skip = tiles * BK - (kEnd - kBegin);

  // Rows and columns past the edge are clamped or wrapped around; their results are not stored.
  // Prologue: load the first tile.
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
      const int globalCol = blockCol + c < N ? blockCol + c : min(blockCol + c - N, N - VEC);
      if (skip <= r) {
        __pipeline_memcpy_async(&Bs[0][r][c],
                                &B[offsetB + (kBegin + r - skip) * ldb + globalCol], sizeof(float4));
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
    // Wait for the copies of tile t (no cp.async group left in flight). The barrier makes them
    // visible to all threads and frees the stage that is refilled next.
    __pipeline_wait_prior(0);
    __syncthreads();
    // Prefetch the next tile into the other stage (double buffering).
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
        const int globalCol = blockCol + c < N ? blockCol + c : min(blockCol + c - N, N - VEC);
        __pipeline_memcpy_async(&Bs[into][r][c],
                                &B[offsetB + (k0 + r) * ldb + globalCol], sizeof(float4));
      }
    }
    __pipeline_commit();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
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

  // Epilogue: write this thread's accumulators to the workspace, 4 elements per vectorized
  // store.
  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Row m of the thread belongs to group m / 4 of 4 adjacent rows.
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

constexpr int RM = 8;   // rows of C per block of the reduction kernel
constexpr int RN = 32;  // columns of C per block of the reduction kernel

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

// Launches the kernels in order. The workspace holds batch * SPLIT_K * M * N partial results.
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

// Spec key: gemm-f32-pipelined-500x260x8195-rrr-128x128x8-w64x32-8x8-v4-s2-1e14fdb8
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":500,"n":260,"k":8195,"batch":3,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":1},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"splitK":8,"splitKReduction":"two-pass"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 128)",24],"block":[256],"args":["m","n","k","a","lda","strideA","b","ldb","strideB","workspace"],"after":[{"entry":"gemm_pipelined_reduce","grid":["ceil(n / 32)","ceil(m / 8)",3],"block":[32,8],"args":["m","n","alpha","workspace","c","ldc","strideC"]}],"workspaceBytes":12480000}
// @gemm-generated v1 sha256=61d4d5d670936e7433359087dbcac50c02430b81f48d7b7aefe6b872459757b6
