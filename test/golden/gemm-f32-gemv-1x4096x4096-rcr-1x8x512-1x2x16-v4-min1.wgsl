// gemv GEMM, f32: C = A * B
//
// Each thread block computes a 1 x 8 tile of C, and its threads split K: 32 threads along K
// accumulate 1 x 2 partial results each. They load A and B directly from global memory, with all
// loads of a k-iteration in flight together.
// - Reduction: shared memory holds 32 partial results per element, which one thread adds in
//   ascending order.
//
// A is M x K, row-major (K contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// Requires N % 8 == 0, K % 512 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for lda and ldb.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each thread along K adds its products in
// ascending order of k. 32 partial results per element are added in ascending order.
//
// Launch: dispatchWorkgroups(N / 8, M), workgroup size (128), 1,024 B of shared memory.
// For 1 x 4096 x 4096: 512 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 1u;          // rows of C per thread block
const BN = 8u;          // columns of C per thread block
const BK = 512u;        // k values per iteration of the main loop
const VEC = 4u;         // elements per vectorized access
const LANES_N = 4u;     // threads per block along N
const THREADS_K = 32u;  // threads per block along K
const PARTIALS = 32u;   // partial results per element in shared memory
const THREADS = 128u;   // threads per block

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
  // The threads form a grid along N and K; consecutive threads load consecutive k values.
  let threadK = thread.x % THREADS_K;
  let threadCol = thread.x / THREADS_K;
  let row = blockRow;
  let col = blockCol + threadCol;
  let kThread = threadK * VEC;

  var acc0: f32;
  var acc1: f32;
  var a0: vec4<f32>;
  var a1: vec4<f32>;
  var a2: vec4<f32>;
  var a3: vec4<f32>;
  var b0_0: vec4<f32>;
  var b0_1: vec4<f32>;
  var b0_2: vec4<f32>;
  var b0_3: vec4<f32>;
  var b1_0: vec4<f32>;
  var b1_1: vec4<f32>;
  var b1_2: vec4<f32>;
  var b1_3: vec4<f32>;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Issue all loads before the first FMA, so that they are in flight together.
    a0 = A[(row * params.lda + k0 + kThread) / 4];
    b0_0 = B[(col * params.ldb + k0 + kThread) / 4];
    b1_0 = B[((col + LANES_N) * params.ldb + k0 + kThread) / 4];
    a1 = A[(row * params.lda + k0 + kThread) / 4 + THREADS_K];
    b0_1 = B[(col * params.ldb + k0 + kThread) / 4 + THREADS_K];
    b1_1 = B[((col + LANES_N) * params.ldb + k0 + kThread) / 4 + THREADS_K];
    a2 = A[(row * params.lda + k0 + kThread) / 4 + 2 * THREADS_K];
    b0_2 = B[(col * params.ldb + k0 + kThread) / 4 + 2 * THREADS_K];
    b1_2 = B[((col + LANES_N) * params.ldb + k0 + kThread) / 4 + 2 * THREADS_K];
    a3 = A[(row * params.lda + k0 + kThread) / 4 + 3 * THREADS_K];
    b0_3 = B[(col * params.ldb + k0 + kThread) / 4 + 3 * THREADS_K];
    b1_3 = B[((col + LANES_N) * params.ldb + k0 + kThread) / 4 + 3 * THREADS_K];
    acc0 = fma(a0.x, b0_0.x, acc0);
    acc1 = fma(a0.x, b1_0.x, acc1);
    acc0 = fma(a0.y, b0_0.y, acc0);
    acc1 = fma(a0.y, b1_0.y, acc1);
    acc0 = fma(a0.z, b0_0.z, acc0);
    acc1 = fma(a0.z, b1_0.z, acc1);
    acc0 = fma(a0.w, b0_0.w, acc0);
    acc1 = fma(a0.w, b1_0.w, acc1);
    acc0 = fma(a1.x, b0_1.x, acc0);
    acc1 = fma(a1.x, b1_1.x, acc1);
    acc0 = fma(a1.y, b0_1.y, acc0);
    acc1 = fma(a1.y, b1_1.y, acc1);
    acc0 = fma(a1.z, b0_1.z, acc0);
    acc1 = fma(a1.z, b1_1.z, acc1);
    acc0 = fma(a1.w, b0_1.w, acc0);
    acc1 = fma(a1.w, b1_1.w, acc1);
    acc0 = fma(a2.x, b0_2.x, acc0);
    acc1 = fma(a2.x, b1_2.x, acc1);
    acc0 = fma(a2.y, b0_2.y, acc0);
    acc1 = fma(a2.y, b1_2.y, acc1);
    acc0 = fma(a2.z, b0_2.z, acc0);
    acc1 = fma(a2.z, b1_2.z, acc1);
    acc0 = fma(a2.w, b0_2.w, acc0);
    acc1 = fma(a2.w, b1_2.w, acc1);
    acc0 = fma(a3.x, b0_3.x, acc0);
    acc1 = fma(a3.x, b1_3.x, acc1);
    acc0 = fma(a3.y, b0_3.y, acc0);
    acc1 = fma(a3.y, b1_3.y, acc1);
    acc0 = fma(a3.z, b0_3.z, acc0);
    acc1 = fma(a3.z, b1_3.z, acc1);
    acc0 = fma(a3.w, b0_3.w, acc0);
    acc1 = fma(a3.w, b1_3.w, acc1);
  }

  // Store the partial results to shared memory, and wait until all of them are complete.
  Cs[threadK * BM][threadCol] = acc0;
  Cs[threadK * BM][threadCol + LANES_N] = acc1;
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

// Spec key: gemm-f32-gemv-1x4096x4096-rcr-1x8x512-1x2x16-v4-min1
// @gemm {"entry":"gemm_gemv","version":1,"problem":{"m":1,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"gemv","block":{"m":1,"n":8,"k":512},"thread":{"m":1,"n":2,"k":16},"vector":4,"minBlocksPerSm":1},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 8)","ceil(m / 1)"],"block":[128],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=79e8a612cc440cbc2b70de401f2c19d3d667c3226c1135b4cee956885b1e01cb
