// register-tile GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 32 x 32 tile of C, with 4 x 4 accumulators per thread in registers.
// Threads read A and B through the caches: no shared memory and no barriers. The loop over k is
// unrolled by 8.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for M, lda, K, ldb and ldc. They require 16-byte
// aligned A, B and C (as cudaMalloc returns them).
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid ((N + 31) / 32, (M + 31) / 32), block (64), no shared memory.
// For 500 x 260 x 300: grid 9 x 16.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_register_tile<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);

constexpr int BM = 32;       // rows of C per thread block
constexpr int BN = 32;       // columns of C per thread block
constexpr int BK = 8;        // k values per iteration of the main loop
constexpr int TM = 4;        // rows of C per thread
constexpr int TN = 4;        // columns of C per thread
constexpr int VEC = 4;       // elements per vectorized access
constexpr int LANES_N = 8;   // threads per block along N
constexpr int THREADS = 64;  // threads per block

// Vectorized copy of 4 elements in one 16-byte access; both addresses must be 16-byte aligned.
__device__ __forceinline__ void copy4(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_register_tile(int M, int N, int K, float alpha,
                   const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
                   float beta, float* __restrict__ C, int ldc) {
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  // Each thread owns 4 columns (stride 8).
  const int threadRow = threadIdx.x / LANES_N * VEC;
  const int threadCol = threadIdx.x % LANES_N;

  const int row = blockRow + threadRow;
  const int col = blockCol + threadCol;

  alignas(16) float acc[TN][TM] = {};
  alignas(16) float a[TM];
  alignas(16) float b[TN][4];

  // Rows and columns past the edge are clamped; their results are not stored.
  const int kTail = K / BK * BK;
  for (int k0 = 0; k0 < kTail; k0 += BK) {
    // Per k: 4 + 4 loads feed 16 FMAs.
    #pragma unroll
    for (int k = 0; k < BK; k += 4) {
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        copy4(b[n], &B[min(col + n * LANES_N, N - 1) * ldb + k0 + k]);
      }
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        #pragma unroll
        for (int m = 0; m < TM; m += VEC) {
          copy4(&a[m], &A[(k0 + k + j) * lda + min(row + m, M - VEC)]);
        }
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          #pragma unroll
          for (int m = 0; m < TM; ++m) {
            acc[n][m] += a[m] * b[n][j];
          }
        }
      }
    }
  }
  // K remainder: the last, partial k-step.
  if (kTail < K) {
    for (int k = 0; k < K - kTail; k += 4) {
      #pragma unroll
      for (int n = 0; n < TN; ++n) {
        copy4(b[n], &B[min(col + n * LANES_N, N - 1) * ldb + kTail + k]);
      }
      #pragma unroll
      for (int j = 0; j < 4; ++j) {
        #pragma unroll
        for (int m = 0; m < TM; m += VEC) {
          copy4(&a[m], &A[(kTail + k + j) * lda + min(row + m, M - VEC)]);
        }
        #pragma unroll
        for (int n = 0; n < TN; ++n) {
          #pragma unroll
          for (int m = 0; m < TM; ++m) {
            acc[n][m] += a[m] * b[n][j];
          }
        }
      }
    }
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  #pragma unroll
  for (int n = 0; n < TN; ++n) {
    const int c = col + n * LANES_N;
    if (c < N) {
      #pragma unroll
      for (int m = 0; m < TM; m += VEC) {
        const int r = row + m;
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

// Spec key: gemm-f32-register-tile-500x260x300-ccc-32x32x8-4x4-v4-alpha2-beta0.5
// @gemm {"entry":"gemm_register_tile","version":1,"problem":{"m":500,"n":260,"k":300,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"register-tile","block":{"m":32,"n":32,"k":8},"thread":{"m":4,"n":4},"vector":4},"device":"h200","targets":["cuda"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[64],"args":["m","n","k","alpha","a","lda","b","ldb","beta","c","ldc"]}
// @gemm-generated v1 sha256=94d228c37f514af08c71a34ce665ed502d485cc6f4bff9d289b9bceddff0de3c
