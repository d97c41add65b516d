// naive GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. threadIdx.x selects the row
// of C, so consecutive lanes access elements of A and C with strides of lda and ldc (uncoalesced).
// All lanes with the same threadIdx.y read the same element of B (broadcast).
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 16 == 0, N % 16 == 0: these dimensions are not bounds-checked.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: grid (M / 16, N / 16), block (16, 16), no shared memory.
// For 1024 x 1024 x 1024: grid 64 x 64.
// Compile: nvcc -O3 -arch=sm_90 -c FILE.cu
// Call: gemm_naive<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);

constexpr int BM = 16;        // rows of C per thread block, one per thread
constexpr int BN = 16;        // columns of C per thread block, one per thread
constexpr int THREADS = 256;  // threads per block

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_naive(int M, int N, int K,
           const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb,
           float* __restrict__ C, int ldc) {
  const int row = blockIdx.x * BM + threadIdx.x;
  const int col = blockIdx.y * BN + threadIdx.y;

  float acc = 0.0f;
  for (int k = 0; k < K; ++k) {
    acc += A[row * lda + k] * B[k * ldb + col];
  }
  C[row * ldc + col] = acc;
}

// Spec key: gemm-f32-naive-1024x1024x1024-rrr-16x16
// @gemm {"entry":"gemm_naive","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"naive","block":{"m":16,"n":16}},"device":"h200","targets":["cuda"],"grid":["ceil(m / 16)","ceil(n / 16)"],"block":[16,16],"args":["m","n","k","a","lda","b","ldb","c","ldc"]}
// @gemm-generated v1 sha256=1bde781821727f7c3604278daa57a428d7efe01cc347e416d7444a9eccd7be08
