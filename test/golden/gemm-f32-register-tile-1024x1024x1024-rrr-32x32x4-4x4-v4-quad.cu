// register-tile GEMM, f32: C = A * B
//
// Each thread computes 4 x 4 results in registers, from what it reads of A and B through the caches: no shared
// memory and no barrier. K is walked in steps of 4, written out; a block is a 32 x 32 tile of C.
// Of four lanes beside each other, which have the same rows, each loads every fourth depth of A and hands it to the others.
// A is loaded one element at a time, by the lane of a quad whose depth it is.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 32, N a multiple of 32, K a multiple of 4: accesses along them are not guarded.
// Vector accesses need ldb a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1024 x 1024 x 1024: grid 32 x 32, block 64, no shared memory.
// Compile: nvcc -O3 -arch=sm_90 -c gemm-f32-register-tile-1024x1024x1024-rrr-32x32x4-4x4-v4-quad.cu
// Call: gemm_register_tile<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);
//
// @gemm {"version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"register-tile","block":{"m":32,"n":32,"k":4},"thread":{"m":4,"n":4},"vector":4,"sharing":"quad"},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[64],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=0f11a7f411f9cdec18b556703297654cda17aaeaaf96296411d51ae8fe24dc26

constexpr int BM = 32;       // rows of C a block computes
constexpr int BN = 32;       // columns of C a block computes
constexpr int BK = 4;        // depths of K that a step multiplies
constexpr int TM = 4;        // rows of C a thread computes
constexpr int TN = 4;        // columns of C a thread computes
constexpr int VEC = 4;       // elements an access moves
constexpr int LANES_M = 8;   // threads of a block along M
constexpr int LANES_N = 8;   // threads of a block along N
constexpr int QUAD = 4;      // lanes that share what they load of A
constexpr int THREADS = 64;  // threads a block

// Moves 4 neighbouring elements in one access of 16 bytes, to which both addresses are aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_register_tile(int M, int N, int K,
                   const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                   float* __restrict__ C, int ldc) {
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // A thread owns 4 rows, one every 8.
  const int threadRow = threadIdx.x / LANES_N;
  const int threadCol = threadIdx.x % LANES_N * VEC;

  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;
  // Four lanes beside each other have the same rows: each loads every fourth depth of A, and hands it to the others.
  const int quadLane = threadIdx.x % QUAD;

  alignas(16) float acc[TM][TN] = {};
  float a[TM];
  alignas(16) float b[TN];
  float own[TM];

  for (int k0 = 0; k0 < K; k0 += BK) {
    // A step of 4 depths, each 4 + 4 values and 16 multiply-adds.
    #pragma unroll
    for (int k = 0; k < BK; k += 4) {
      #pragma unroll
      for (int m = 0; m < TM; ++m) {
        own[m] = A[(row + m * LANES_M) * lda + k0 + k + quadLane];
      }
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        #pragma unroll
        for (int m = 0; m < TM; ++m) {
          a[m] = __shfl_sync(0xffffffff, own[m], j, QUAD);
        }
        #pragma unroll
        for (int n = 0; n < TN; n += VEC) {
          copy4(&b[n], &B[(k0 + k + j) * ldb + col + n]);
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
  }

  // Write this thread's results to C, 4 neighbours at a time.
  #pragma unroll
  for (int m = 0; m < TM; ++m) {
    const int r = row + m * LANES_M;
    #pragma unroll
    for (int n = 0; n < TN; n += VEC) {
      const int c = col + n;
      copy4(&C[r * ldc + c], &acc[m][n]);
    }
  }
}
