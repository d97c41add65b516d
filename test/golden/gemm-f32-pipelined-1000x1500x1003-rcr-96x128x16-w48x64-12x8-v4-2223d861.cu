// pipelined GEMM, f32: C = A * B + C
//
// Each block computes a 96 x 128 tile of C, a warp 48 x 64 of it, a thread 12 x 8, and walks K in steps
// of 16 through 3 stages of shared memory, filled by asynchronous copies during the products.
// A and B are transposed while staged, so that a thread reads its rows and columns as vectors.
// A is copied one element at a time, since each goes to another row of As.
// B is copied one element at a time, since each goes to another row of Bs.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N, row-major (N contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Vector accesses need N a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1000 x 1500 x 1003: grid 12 x 11, block 128, 44,544 B of shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-pipelined-1000x1500x1003-rcr-96x128x16-w48x64-12x8-v4-2223d861.cu
// Call: gemm_pipelined<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":1000,"n":1500,"k":1003,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","beta":1},"schedule":{"algorithm":"pipelined","block":{"m":96,"n":128,"k":16},"warp":{"m":48,"n":64},"thread":{"m":12,"n":8},"vector":4,"stages":3,"fragments":2,"traversal":"col-pairs","padding":{"a":4,"b":4},"minBlocksPerSm":3},"device":"h200","targets":["cuda"],"grid":["ceil(n / 128)","ceil(m / 96)"],"block":[128],"args":["m","n","k","alpha","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=a4f387fdfd6b00956e2f2ee5a3b7a180088856761563fc645e3af3e4860b8aae

#include <cuda_pipeline_primitives.h>

constexpr int BM = 96;        // rows of C a block computes
constexpr int BN = 128;       // columns of C a block computes
constexpr int BK = 16;        // depth of the tiles staged in shared memory
constexpr int WM = 48;        // rows of C a warp computes
constexpr int WN = 64;        // columns of C a warp computes
constexpr int TM = 12;        // rows of C a thread computes
constexpr int TN = 8;         // columns of C a thread computes
constexpr int VEC = 4;        // elements an access moves
constexpr int LANES_M = 4;    // threads of a warp along M
constexpr int LANES_N = 8;    // threads of a warp along N
constexpr int LOADS_A = 12;   // elements of a tile of A a thread loads
constexpr int LOADS_B = 16;   // elements of a tile of B a thread loads
constexpr int SHARE_A = 3;    // loads of A at a depth, from the first on
constexpr int SHARE_B = 4;    // loads of B at a depth, from the first on
constexpr int STAGES = 3;     // tiles of A and of B that shared memory holds
constexpr int PAD_A = 4;      // elements between rows of As, against bank conflicts
constexpr int PAD_B = 4;      // elements between rows of Bs, against bank conflicts
constexpr int THREADS = 128;  // threads a block

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS, 3)
gemm_pipelined(int M, int N, int K, float alpha,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  __shared__ __align__(16) float As[STAGES][BK][BM + PAD_A];
  __shared__ __align__(16) float Bs[STAGES][BK][BN + PAD_B];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // A thread owns 3 groups of 4 rows, one every 16, and 2 groups of 4 columns, one every 32.
  // Lanes stand in quads of 2 x 2: of each pair one asks for what the other does, and shared memory serves two pairs at once.
  const int threadRow = warp / (BN / WN) * WM + (lane / 2 % 2 + lane / (2 * LANES_N) * 2) * VEC;
  const int threadCol = warp % (BN / WN) * WN + (lane % 2 + lane / 4 % (LANES_N / 2) * 2) * VEC;
  // Where this thread's copies begin in a tile.
  const int rowA = threadIdx.x / BK;
  const int depthA = threadIdx.x % BK;
  const int colB = threadIdx.x / BK;
  const int depthB = threadIdx.x % BK;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];

  const int tiles = (K + BK - 1) / BK;
  // The first tile is filled up with zeros in front, so that all others are whole.
  const int skip = tiles * BK - K;

  // The first tiles, one less than there are stages: a group of copies each, past the end the last one again.
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      if (skip <= k0 + depthA) {
        __pipeline_memcpy_async(&As[t][depthA][rowA + i * (THREADS / BK)],
                                &A[min(blockRow + rowA + i * (THREADS / BK), M - 1) * lda + k0 + depthA - skip], sizeof(float));
      } else {
        As[t][depthA][rowA + i * (THREADS / BK)] = 0.0f;
      }
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      if (skip <= k0 + depthB) {
        __pipeline_memcpy_async(&Bs[t][depthB][colB + i * (THREADS / BK)],
                                &B[min(blockCol + colB + i * (THREADS / BK), N - 1) * ldb + k0 + depthB - skip], sizeof(float));
      } else {
        Bs[t][depthB][colB + i * (THREADS / BK)] = 0.0f;
      }
    }
    __pipeline_commit();
  }
  // The first fragments, once the first tile has arrived.
  __pipeline_wait_prior(1);
  __syncthreads();
  #pragma unroll
  for (int m = 0; m < TM; m += VEC) {
    copy4(&a[0][m], &As[0][0][threadRow + m * LANES_M]);
  }
  #pragma unroll
  for (int n = 0; n < TN; n += VEC) {
    copy4(&b[0][n], &Bs[0][0][threadCol + n * LANES_N]);
  }

  for (int t = 0; t < tiles; ++t) {
    const int following = (t + 1) % STAGES;
    const int stage = t % STAGES;
    const int into = (t + STAGES - 1) % STAGES;
    // A later tile, into the stage that was multiplied last; past the end the last one again.
    const int later = min(t + STAGES - 1, tiles - 1);
    const int k0 = later * BK - skip;
    // A step of k: 96 multiply-adds, while the next 12 + 8 values are loaded.
    #pragma unroll
    for (int k = 0; k < BK - 1; ++k) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        copy4(&a[(k + 1) % 2][m], &As[stage][k + 1][threadRow + m * LANES_M]);
      }
      #pragma unroll
      for (int n = 0; n < TN; n += VEC) {
        copy4(&b[(k + 1) % 2][n], &Bs[stage][k + 1][threadCol + n * LANES_N]);
      }
      if (k < LOADS_A / SHARE_A) {
        #pragma unroll
        for (int i = 0; i < SHARE_A; ++i) {
          __pipeline_memcpy_async(&As[into][depthA][rowA + (k * SHARE_A + i) * (THREADS / BK)],
                                  &A[min(blockRow + rowA + (k * SHARE_A + i) * (THREADS / BK), M - 1) * lda + k0 + depthA], sizeof(float));
        }
      }
      if (k < LOADS_B / SHARE_B) {
        #pragma unroll
        for (int i = 0; i < SHARE_B; ++i) {
          __pipeline_memcpy_async(&Bs[into][depthB][colB + (k * SHARE_B + i) * (THREADS / BK)],
                                  &B[min(blockCol + colB + (k * SHARE_B + i) * (THREADS / BK), N - 1) * ldb + k0 + depthB], sizeof(float));
        }
      }
      #pragma unroll
      for (int pair = 0; pair < TN; pair += 2) {
        #pragma unroll
        for (int i = 0; i < 2 * TM; ++i) {
          const int step = i / 2;
          const int m = step + pair / 2 % 2 * (TM - 1 - 2 * step);
          const int n = pair + (i + step) % 2;
          acc[m][n] += a[k % 2][m] * b[k % 2][n];
        }
      }
    }
    __pipeline_commit();
    // The next tile has arrived, and nobody reads the stage that is filled next.
    __pipeline_wait_prior(1);
    __syncthreads();
    #pragma unroll
    for (int m = 0; m < TM; m += VEC) {
      copy4(&a[0][m], &As[following][0][threadRow + m * LANES_M]);
    }
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      copy4(&b[0][n], &Bs[following][0][threadCol + n * LANES_N]);
    }
    #pragma unroll
    for (int pair = 0; pair < TN; pair += 2) {
      #pragma unroll
      for (int i = 0; i < 2 * TM; ++i) {
        const int step = i / 2;
        const int m = step + pair / 2 % 2 * (TM - 1 - 2 * step);
        const int n = pair + (i + step) % 2;
        acc[m][n] += a[1][m] * b[1][n];
      }
    }
  }
  // Copies past the end arrive before shared memory is given back.
  __pipeline_wait_prior(0);

  // Write this thread's results to C, 4 neighbours at a time.
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
          alignas(16) float out[VEC];
          copy4(out, &C[r * ldc + c]);
          #pragma unroll
          for (int j = 0; j < VEC; ++j) {
            out[j] = alpha * acc[m][n + j] + out[j];
          }
          copy4(&C[r * ldc + c], out);
        }
      }
    }
  }
}
