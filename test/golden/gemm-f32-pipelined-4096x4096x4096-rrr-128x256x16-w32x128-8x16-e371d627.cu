// pipelined GEMM, f32: C = A * B
//
// Each block computes a 128 x 256 tile of C, a warp 32 x 128 of it, a thread 8 x 16, and walks K in steps
// of 16 through 3 stages of shared memory, filled by asynchronous copies during the products.
// A is transposed while staged, so that a thread reads its rows and columns as vectors.
// A is copied one element at a time, since each goes to another row of As.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 128, N a multiple of 256, K a multiple of 16: accesses along them are not guarded.
// Vector accesses need ldb a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 4096 x 4096 x 4096: grid 16 x 32, block 256, 75,264 B of shared memory, dynamic.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-pipelined-4096x4096x4096-rrr-128x256x16-w32x128-8x16-e371d627.cu
// Call: gemm_pipelined<<<grid, block, 75264>>>(M, N, K, alpha, A, lda, B, ldb, C, ldc);
// before that: cudaFuncSetAttribute(gemm_pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, 75264);
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":256,"k":16},"warp":{"m":32,"n":128},"thread":{"m":8,"n":16},"vector":4,"stages":3,"fragments":2,"traversal":"col","padding":{"a":4,"b":4},"minBlocksPerSm":1},"device":"h200","targets":["cuda"],"grid":["ceil(n / 256)","ceil(m / 128)"],"block":[256],"args":["m","n","k","alpha","a","lda","b","ldb","c","ldc"],"dynamicSharedBytes":75264}
// @gemm-generated v1 sha256=ebe27cabcf76c91feaf8b0f724bad6759577fda39f943a4fea223ab81a394a0a

#include <cuda_pipeline_primitives.h>

constexpr int BM = 128;       // rows of C a block computes
constexpr int BN = 256;       // columns of C a block computes
constexpr int BK = 16;        // depth of the tiles staged in shared memory
constexpr int WM = 32;        // rows of C a warp computes
constexpr int WN = 128;       // columns of C a warp computes
constexpr int TM = 8;         // rows of C a thread computes
constexpr int TN = 16;        // columns of C a thread computes
constexpr int VEC = 4;        // elements an access moves
constexpr int LANES_M = 4;    // threads of a warp along M
constexpr int LANES_N = 8;    // threads of a warp along N
constexpr int LOADS_A = 8;    // elements of a tile of A a thread loads
constexpr int LOADS_B = 4;    // vectors of 4 elements of a tile of B a thread loads
constexpr int SHARE_A = 2;    // loads of A at a depth, from the first on
constexpr int STAGES = 3;     // tiles of A and of B that shared memory holds
constexpr int PAD_A = 4;      // elements between rows of As, against bank conflicts
constexpr int PAD_B = 4;      // elements between rows of Bs, against bank conflicts
constexpr int THREADS = 256;  // threads a block

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_pipelined(int M, int N, int K, float alpha,
               const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
               float* __restrict__ C, int ldc) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto As = reinterpret_cast<float(*)[BK][BM + PAD_A]>(shared);
  auto Bs = reinterpret_cast<float(*)[BK][BN + PAD_B]>(shared + STAGES * BK * (BM + PAD_A) * sizeof(float));

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // A thread owns 2 groups of 4 rows, one every 16, and 4 groups of 4 columns, one every 32.
  // Lanes stand in quads of 2 x 2: of each pair one asks for what the other does, and shared memory serves two pairs at once.
  const int threadRow = warp / (BN / WN) * WM + (lane / 2 % 2 + lane / (2 * LANES_N) * 2) * VEC;
  const int threadCol = warp % (BN / WN) * WN + (lane % 2 + lane / 4 % (LANES_N / 2) * 2) * VEC;
  // Where this thread's copies begin in a tile.
  const int rowA = threadIdx.x / BK;
  const int depthA = threadIdx.x % BK;
  const int depthB = threadIdx.x / (BN / VEC);
  const int colB = threadIdx.x % (BN / VEC) * VEC;

  alignas(16) float acc[TM][TN] = {};
  alignas(16) float a[2][TM];
  alignas(16) float b[2][TN];

  const int tiles = K / BK;

  // The first tiles, one less than there are stages: a group of copies each, past the end the last one again.
  #pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    const int k0 = min(t, tiles - 1) * BK;
    #pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      __pipeline_memcpy_async(&As[t][depthA][rowA + i * (THREADS / BK)],
                              &A[(blockRow + rowA + i * (THREADS / BK)) * lda + k0 + depthA], sizeof(float));
    }
    #pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      __pipeline_memcpy_async(&Bs[t][depthB + i * (THREADS / (BN / VEC))][colB],
                              &B[(k0 + depthB + i * (THREADS / (BN / VEC))) * ldb + blockCol + colB], sizeof(float4));
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
    const int k0 = later * BK;
    // A step of k: 128 multiply-adds, while the next 8 + 16 values are loaded.
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
                                  &A[(blockRow + rowA + (k * SHARE_A + i) * (THREADS / BK)) * lda + k0 + depthA], sizeof(float));
        }
      }
      if (k < LOADS_B) {
        __pipeline_memcpy_async(&Bs[into][depthB + k * (THREADS / (BN / VEC))][colB],
                                &B[(k0 + depthB + k * (THREADS / (BN / VEC))) * ldb + blockCol + colB], sizeof(float4));
      }
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        #pragma unroll
        for (int i = 0; i < TM; ++i) {
          const int m = i + n % 2 * (TM - 1 - 2 * i);
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
    for (int n = 0; n < TN; ++n) {
      #pragma unroll
      for (int i = 0; i < TM; ++i) {
        const int m = i + n % 2 * (TM - 1 - 2 * i);
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
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n * LANES_N;
      alignas(16) float out[VEC];
      #pragma unroll
      for (int j = 0; j < VEC; ++j) {
        out[j] = alpha * acc[m][n + j];
      }
      copy4(&C[r * ldc + c], out);
    }
  }
}
