// gemv GEMM, f32: C = A * B
//
// Each thread block computes a 4 x 32 tile of C, and its threads split K: 32 threads along K
// accumulate 4 x 4 partial results each. They load A and B directly from global memory, with all
// loads of a k-iteration in flight together.
// - Reduction: shared memory holds 32 partial results per element, which one thread adds in
//   ascending order.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 4 == 0, N % 32 == 0, K % 256 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda and ldb.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each thread along K adds its products in
// ascending order of k. 32 partial results per element are added in ascending order.
//
// Launch: dispatchWorkgroups(N / 32, M / 4), workgroup size (256), 16,384 B of shared memory.
// For 4 x 4096 x 4096: 128 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 4u;          // rows of C per thread block
const BN = 32u;         // columns of C per thread block
const BK = 256u;        // k values per iteration of the main loop
const VEC = 4u;         // elements per vectorized access
const LANES_N = 8u;     // threads per block along N
const THREADS_K = 32u;  // threads per block along K
const PARTIALS = 32u;   // partial results per element in shared memory
const THREADS = 256u;   // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> Cs: array<array<f32, BN>, PARTIALS * BM>;

@compute @workgroup_size(THREADS)
fn gemm_gemv(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // The threads form a grid along N and K; consecutive threads load consecutive columns of B.
  let threadK = thread.x / LANES_N;
  let threadCol = thread.x % LANES_N * VEC;
  let row = blockRow;
  let col = blockCol + threadCol;
  let kThread = threadK * VEC;

  var acc0: vec4<f32>;
  var acc1: vec4<f32>;
  var acc2: vec4<f32>;
  var acc3: vec4<f32>;
  var a0_0: vec4<f32>;
  var a0_1: vec4<f32>;
  var a1_0: vec4<f32>;
  var a1_1: vec4<f32>;
  var a2_0: vec4<f32>;
  var a2_1: vec4<f32>;
  var a3_0: vec4<f32>;
  var a3_1: vec4<f32>;
  var b0: vec4<f32>;
  var b1: vec4<f32>;
  var b2: vec4<f32>;
  var b3: vec4<f32>;
  var b4: vec4<f32>;
  var b5: vec4<f32>;
  var b6: vec4<f32>;
  var b7: vec4<f32>;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Issue all loads before the first FMA, so that they are in flight together.
    a0_0 = A[(row * params.lda + k0 + kThread) / 4];
    a1_0 = A[((row + 1) * params.lda + k0 + kThread) / 4];
    a2_0 = A[((row + 2) * params.lda + k0 + kThread) / 4];
    a3_0 = A[((row + 3) * params.lda + k0 + kThread) / 4];
    b0 = B[((k0 + kThread) * params.ldb + col) / 4];
    b1 = B[((k0 + kThread + 1) * params.ldb + col) / 4];
    b2 = B[((k0 + kThread + 2) * params.ldb + col) / 4];
    b3 = B[((k0 + kThread + 3) * params.ldb + col) / 4];
    a0_1 = A[(row * params.lda + k0 + kThread) / 4 + THREADS_K];
    a1_1 = A[((row + 1) * params.lda + k0 + kThread) / 4 + THREADS_K];
    a2_1 = A[((row + 2) * params.lda + k0 + kThread) / 4 + THREADS_K];
    a3_1 = A[((row + 3) * params.lda + k0 + kThread) / 4 + THREADS_K];
    b4 = B[((k0 + kThread + 4 * THREADS_K) * params.ldb + col) / 4];
    b5 = B[((k0 + kThread + 4 * THREADS_K + 1) * params.ldb + col) / 4];
    b6 = B[((k0 + kThread + 4 * THREADS_K + 2) * params.ldb + col) / 4];
    b7 = B[((k0 + kThread + 4 * THREADS_K + 3) * params.ldb + col) / 4];
    acc0 = fma(vec4<f32>(a0_0.x), b0, acc0);
    acc1 = fma(vec4<f32>(a1_0.x), b0, acc1);
    acc2 = fma(vec4<f32>(a2_0.x), b0, acc2);
    acc3 = fma(vec4<f32>(a3_0.x), b0, acc3);
    acc0 = fma(vec4<f32>(a0_0.y), b1, acc0);
    acc1 = fma(vec4<f32>(a1_0.y), b1, acc1);
    acc2 = fma(vec4<f32>(a2_0.y), b1, acc2);
    acc3 = fma(vec4<f32>(a3_0.y), b1, acc3);
    acc0 = fma(vec4<f32>(a0_0.z), b2, acc0);
    acc1 = fma(vec4<f32>(a1_0.z), b2, acc1);
    acc2 = fma(vec4<f32>(a2_0.z), b2, acc2);
    acc3 = fma(vec4<f32>(a3_0.z), b2, acc3);
    acc0 = fma(vec4<f32>(a0_0.w), b3, acc0);
    acc1 = fma(vec4<f32>(a1_0.w), b3, acc1);
    acc2 = fma(vec4<f32>(a2_0.w), b3, acc2);
    acc3 = fma(vec4<f32>(a3_0.w), b3, acc3);
    acc0 = fma(vec4<f32>(a0_1.x), b4, acc0);
    acc1 = fma(vec4<f32>(a1_1.x), b4, acc1);
    acc2 = fma(vec4<f32>(a2_1.x), b4, acc2);
    acc3 = fma(vec4<f32>(a3_1.x), b4, acc3);
    acc0 = fma(vec4<f32>(a0_1.y), b5, acc0);
    acc1 = fma(vec4<f32>(a1_1.y), b5, acc1);
    acc2 = fma(vec4<f32>(a2_1.y), b5, acc2);
    acc3 = fma(vec4<f32>(a3_1.y), b5, acc3);
    acc0 = fma(vec4<f32>(a0_1.z), b6, acc0);
    acc1 = fma(vec4<f32>(a1_1.z), b6, acc1);
    acc2 = fma(vec4<f32>(a2_1.z), b6, acc2);
    acc3 = fma(vec4<f32>(a3_1.z), b6, acc3);
    acc0 = fma(vec4<f32>(a0_1.w), b7, acc0);
    acc1 = fma(vec4<f32>(a1_1.w), b7, acc1);
    acc2 = fma(vec4<f32>(a2_1.w), b7, acc2);
    acc3 = fma(vec4<f32>(a3_1.w), b7, acc3);
  }

  // Store the partial results to shared memory, and wait until all of them are complete.
  Cs[threadK * BM][threadCol] = acc0.x;
  Cs[threadK * BM][threadCol + 1] = acc0.y;
  Cs[threadK * BM][threadCol + 2] = acc0.z;
  Cs[threadK * BM][threadCol + 3] = acc0.w;
  Cs[threadK * BM + 1][threadCol] = acc1.x;
  Cs[threadK * BM + 1][threadCol + 1] = acc1.y;
  Cs[threadK * BM + 1][threadCol + 2] = acc1.z;
  Cs[threadK * BM + 1][threadCol + 3] = acc1.w;
  Cs[threadK * BM + 2][threadCol] = acc2.x;
  Cs[threadK * BM + 2][threadCol + 1] = acc2.y;
  Cs[threadK * BM + 2][threadCol + 2] = acc2.z;
  Cs[threadK * BM + 2][threadCol + 3] = acc2.w;
  Cs[threadK * BM + 3][threadCol] = acc3.x;
  Cs[threadK * BM + 3][threadCol + 1] = acc3.y;
  Cs[threadK * BM + 3][threadCol + 2] = acc3.z;
  Cs[threadK * BM + 3][threadCol + 3] = acc3.w;
  workgroupBarrier();

  // Epilogue: add the partial results in ascending order, and write the results to C.
  for (var e = thread.x; e < BM * BN; e += THREADS) {
    let r = blockRow + e / BN;
    let c = blockCol + e % BN;
    var sum: f32;
    sum = Cs[e / BN][e % BN];
    for (var p = 1u; p < PARTIALS; p++) {
      sum += Cs[p * BM + e / BN][e % BN];
    }
    C[r * params.ldc + c] = sum;
  }
}

// Spec key: gemm-f32-gemv-4x4096x4096-rrr-4x32x256-4x4x8-v4-min1
// @gemm {"entry":"gemm_gemv","version":1,"problem":{"m":4,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"gemv","block":{"m":4,"n":32,"k":256},"thread":{"m":4,"n":4,"k":8},"vector":4,"minBlocksPerSm":1},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 32)","ceil(m / 4)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=68d6636830ef8fc4100f3b10c61debd58738f1a6b5aabe726a832f74cf821d12
