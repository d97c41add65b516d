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
// Vectorized accesses require multiples of 4 for M, lda, K, ldb and ldc.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups((N + 31) / 32, (M + 31) / 32), workgroup size (64), no shared memory.
// For 500 x 260 x 300: 9 x 16 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 32u;       // rows of C per thread block
const BN = 32u;       // columns of C per thread block
const BK = 8u;        // k values per iteration of the main loop
const VEC = 4u;       // elements per vectorized access
const LANES_N = 8u;   // threads per block along N
const THREADS = 64u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
  alpha: f32,
  beta: f32,
}

@group(0) @binding(0) var<storage, read> A: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(THREADS)
fn gemm_register_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // Each thread owns 4 columns (stride 8).
  let threadRow = thread.x / LANES_N * VEC;
  let threadCol = thread.x % LANES_N;

  let row = blockRow + threadRow;
  let col = blockCol + threadCol;

  var acc0: vec4<f32>;
  var acc1: vec4<f32>;
  var acc2: vec4<f32>;
  var acc3: vec4<f32>;
  var a: vec4<f32>;
  var b0: vec4<f32>;
  var b1: vec4<f32>;
  var b2: vec4<f32>;
  var b3: vec4<f32>;

  // Rows and columns past the edge are clamped; their results are not stored.
  let kTail = params.K / BK * BK;
  for (var k0 = 0u; k0 < kTail; k0 += BK) {
    // Per k: 4 + 4 loads feed 16 FMAs.
    b0 = B[(min(col, params.N - 1) * params.ldb + k0) / 4];
    b1 = B[(min(col + LANES_N, params.N - 1) * params.ldb + k0) / 4];
    b2 = B[(min(col + 2 * LANES_N, params.N - 1) * params.ldb + k0) / 4];
    b3 = B[(min(col + 3 * LANES_N, params.N - 1) * params.ldb + k0) / 4];
    a = A[(k0 * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.x), acc0);
    acc1 = fma(a, vec4<f32>(b1.x), acc1);
    acc2 = fma(a, vec4<f32>(b2.x), acc2);
    acc3 = fma(a, vec4<f32>(b3.x), acc3);
    a = A[((k0 + 1) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.y), acc0);
    acc1 = fma(a, vec4<f32>(b1.y), acc1);
    acc2 = fma(a, vec4<f32>(b2.y), acc2);
    acc3 = fma(a, vec4<f32>(b3.y), acc3);
    a = A[((k0 + 2) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.z), acc0);
    acc1 = fma(a, vec4<f32>(b1.z), acc1);
    acc2 = fma(a, vec4<f32>(b2.z), acc2);
    acc3 = fma(a, vec4<f32>(b3.z), acc3);
    a = A[((k0 + 3) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.w), acc0);
    acc1 = fma(a, vec4<f32>(b1.w), acc1);
    acc2 = fma(a, vec4<f32>(b2.w), acc2);
    acc3 = fma(a, vec4<f32>(b3.w), acc3);
    b0 = B[(min(col, params.N - 1) * params.ldb + k0) / 4 + 1];
    b1 = B[(min(col + LANES_N, params.N - 1) * params.ldb + k0) / 4 + 1];
    b2 = B[(min(col + 2 * LANES_N, params.N - 1) * params.ldb + k0) / 4 + 1];
    b3 = B[(min(col + 3 * LANES_N, params.N - 1) * params.ldb + k0) / 4 + 1];
    a = A[((k0 + 4) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.x), acc0);
    acc1 = fma(a, vec4<f32>(b1.x), acc1);
    acc2 = fma(a, vec4<f32>(b2.x), acc2);
    acc3 = fma(a, vec4<f32>(b3.x), acc3);
    a = A[((k0 + 5) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.y), acc0);
    acc1 = fma(a, vec4<f32>(b1.y), acc1);
    acc2 = fma(a, vec4<f32>(b2.y), acc2);
    acc3 = fma(a, vec4<f32>(b3.y), acc3);
    a = A[((k0 + 6) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.z), acc0);
    acc1 = fma(a, vec4<f32>(b1.z), acc1);
    acc2 = fma(a, vec4<f32>(b2.z), acc2);
    acc3 = fma(a, vec4<f32>(b3.z), acc3);
    a = A[((k0 + 7) * params.lda + min(row, params.M - VEC)) / 4];
    acc0 = fma(a, vec4<f32>(b0.w), acc0);
    acc1 = fma(a, vec4<f32>(b1.w), acc1);
    acc2 = fma(a, vec4<f32>(b2.w), acc2);
    acc3 = fma(a, vec4<f32>(b3.w), acc3);
  }
  // K remainder: the last, partial k-step.
  if (kTail < params.K) {
    for (var k = 0u; k < params.K - kTail; k += 4) {
      b0 = B[(min(col, params.N - 1) * params.ldb + kTail + k) / 4];
      b1 = B[(min(col + LANES_N, params.N - 1) * params.ldb + kTail + k) / 4];
      b2 = B[(min(col + 2 * LANES_N, params.N - 1) * params.ldb + kTail + k) / 4];
      b3 = B[(min(col + 3 * LANES_N, params.N - 1) * params.ldb + kTail + k) / 4];
      a = A[((kTail + k) * params.lda + min(row, params.M - VEC)) / 4];
      acc0 = fma(a, vec4<f32>(b0.x), acc0);
      acc1 = fma(a, vec4<f32>(b1.x), acc1);
      acc2 = fma(a, vec4<f32>(b2.x), acc2);
      acc3 = fma(a, vec4<f32>(b3.x), acc3);
      a = A[((kTail + k + 1) * params.lda + min(row, params.M - VEC)) / 4];
      acc0 = fma(a, vec4<f32>(b0.y), acc0);
      acc1 = fma(a, vec4<f32>(b1.y), acc1);
      acc2 = fma(a, vec4<f32>(b2.y), acc2);
      acc3 = fma(a, vec4<f32>(b3.y), acc3);
      a = A[((kTail + k + 2) * params.lda + min(row, params.M - VEC)) / 4];
      acc0 = fma(a, vec4<f32>(b0.z), acc0);
      acc1 = fma(a, vec4<f32>(b1.z), acc1);
      acc2 = fma(a, vec4<f32>(b2.z), acc2);
      acc3 = fma(a, vec4<f32>(b3.z), acc3);
      a = A[((kTail + k + 3) * params.lda + min(row, params.M - VEC)) / 4];
      acc0 = fma(a, vec4<f32>(b0.w), acc0);
      acc1 = fma(a, vec4<f32>(b1.w), acc1);
      acc2 = fma(a, vec4<f32>(b2.w), acc2);
      acc3 = fma(a, vec4<f32>(b3.w), acc3);
    }
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let c0 = col;
  if (c0 < params.N) {
    if (row < params.M) {
      C[(c0 * params.ldc + row) / 4] = params.alpha * acc0 + params.beta * C[(c0 * params.ldc + row) / 4];
    }
  }
  let c1 = col + LANES_N;
  if (c1 < params.N) {
    if (row < params.M) {
      C[(c1 * params.ldc + row) / 4] = params.alpha * acc1 + params.beta * C[(c1 * params.ldc + row) / 4];
    }
  }
  let c2 = col + 2 * LANES_N;
  if (c2 < params.N) {
    if (row < params.M) {
      C[(c2 * params.ldc + row) / 4] = params.alpha * acc2 + params.beta * C[(c2 * params.ldc + row) / 4];
    }
  }
  let c3 = col + 3 * LANES_N;
  if (c3 < params.N) {
    if (row < params.M) {
      C[(c3 * params.ldc + row) / 4] = params.alpha * acc3 + params.beta * C[(c3 * params.ldc + row) / 4];
    }
  }
}

// Spec key: gemm-f32-register-tile-500x260x300-ccc-32x32x8-4x4-v4-alpha2-beta0.5
// @gemm {"entry":"gemm_register_tile","version":1,"problem":{"m":500,"n":260,"k":300,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"register-tile","block":{"m":32,"n":32,"k":8},"thread":{"m":4,"n":4},"vector":4},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[64],"args":["a","b","c",["m","n","k","lda","ldb","ldc","alpha","beta"]]}
// @gemm-generated v1 sha256=601707fdf588da29bf4099531a06d7836e2575a67112808093c5aa4e977da6b9
