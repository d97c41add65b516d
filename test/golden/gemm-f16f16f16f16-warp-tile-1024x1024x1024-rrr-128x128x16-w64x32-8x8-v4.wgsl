// warp-tile GEMM, f16: C = A * B
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - The main loop stages 16-deep tiles of A and B in shared memory with vectorized loads.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is loaded 2 elements at a time, so that every thread has elements to load.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc; multiples of 2 for lda.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 128, M / 128), workgroup size (256), 8,192 B of shared memory.
// For 1024 x 1024 x 1024: 8 x 8 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

enable f16;

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 16u;        // K extent of the shared-memory tiles
const WM = 64u;        // rows of C per warp
const WN = 32u;        // columns of C per warp
const VEC = 4u;        // elements per vectorized access
const LANES_M = 8u;    // lanes per warp along M
const LANES_N = 4u;    // lanes per warp along N
const LOADS_A = 1u;    // blocks of 4 x 2 elements that a thread loads per A tile
const LOADS_B = 2u;    // vectors of 4 elements that a thread loads per B tile
const THREADS = 256u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<vec2<f16>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f16>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<vec4<f16>, BM / 4>, BK>;
var<workgroup> Bs: array<array<vec4<f16>, BN / 4>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_warp_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  let warp = thread.x / 32;
  let lane = thread.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
  let threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  let threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

  var acc0_0: vec4<f16>;
  var acc0_1: vec4<f16>;
  var acc1_0: vec4<f16>;
  var acc1_1: vec4<f16>;
  var acc2_0: vec4<f16>;
  var acc2_1: vec4<f16>;
  var acc3_0: vec4<f16>;
  var acc3_1: vec4<f16>;
  var acc4_0: vec4<f16>;
  var acc4_1: vec4<f16>;
  var acc5_0: vec4<f16>;
  var acc5_1: vec4<f16>;
  var acc6_0: vec4<f16>;
  var acc6_1: vec4<f16>;
  var acc7_0: vec4<f16>;
  var acc7_1: vec4<f16>;
  var a0: vec4<f16>;
  var a1: vec4<f16>;
  var b0: vec4<f16>;
  var b1: vec4<f16>;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Load the A tile into shared memory, transposed in blocks of 4 x 2 elements.
    for (var i = 0u; i < LOADS_A; i++) {
      let e = i * THREADS + thread.x;
      let r = e / (BK / 2) * VEC;
      let c = e % (BK / 2) * 2;
      let v0 = A[((blockRow + r) * params.lda + k0 + c) / 2];
      let v1 = A[((blockRow + r + 1) * params.lda + k0 + c) / 2];
      let v2 = A[((blockRow + r + 2) * params.lda + k0 + c) / 2];
      let v3 = A[((blockRow + r + 3) * params.lda + k0 + c) / 2];
      As[c][r / 4] = vec4<f16>(v0.x, v1.x, v2.x, v3.x);
      As[c + 1][r / 4] = vec4<f16>(v0.y, v1.y, v2.y, v3.y);
    }
    // Load the B tile into shared memory.
    for (var i = 0u; i < LOADS_B; i++) {
      let e = i * THREADS + thread.x;
      let r = e / (BN / VEC);
      let c = e % (BN / VEC) * VEC;
      Bs[r][c / 4] = B[((k0 + r) * params.ldb + blockCol + c) / 4];
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      a0 = As[k][threadRow / 4];
      a1 = As[k][threadRow / 4 + LANES_M];
      b0 = Bs[k][threadCol / 4];
      b1 = Bs[k][threadCol / 4 + 4];
      acc0_0 = fma(vec4<f16>(a0.x), b0, acc0_0);
      acc0_1 = fma(vec4<f16>(a0.x), b1, acc0_1);
      acc1_0 = fma(vec4<f16>(a0.y), b0, acc1_0);
      acc1_1 = fma(vec4<f16>(a0.y), b1, acc1_1);
      acc2_0 = fma(vec4<f16>(a0.z), b0, acc2_0);
      acc2_1 = fma(vec4<f16>(a0.z), b1, acc2_1);
      acc3_0 = fma(vec4<f16>(a0.w), b0, acc3_0);
      acc3_1 = fma(vec4<f16>(a0.w), b1, acc3_1);
      acc4_0 = fma(vec4<f16>(a1.x), b0, acc4_0);
      acc4_1 = fma(vec4<f16>(a1.x), b1, acc4_1);
      acc5_0 = fma(vec4<f16>(a1.y), b0, acc5_0);
      acc5_1 = fma(vec4<f16>(a1.y), b1, acc5_1);
      acc6_0 = fma(vec4<f16>(a1.z), b0, acc6_0);
      acc6_1 = fma(vec4<f16>(a1.z), b1, acc6_1);
      acc7_0 = fma(vec4<f16>(a1.w), b0, acc7_0);
      acc7_1 = fma(vec4<f16>(a1.w), b1, acc7_1);
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let r0 = row;
  C[(r0 * params.ldc + col) / 4] = acc0_0;
  C[(r0 * params.ldc + col) / 4 + 4] = acc0_1;
  let r1 = row + 1;
  C[(r1 * params.ldc + col) / 4] = acc1_0;
  C[(r1 * params.ldc + col) / 4 + 4] = acc1_1;
  let r2 = row + 2;
  C[(r2 * params.ldc + col) / 4] = acc2_0;
  C[(r2 * params.ldc + col) / 4 + 4] = acc2_1;
  let r3 = row + 3;
  C[(r3 * params.ldc + col) / 4] = acc3_0;
  C[(r3 * params.ldc + col) / 4 + 4] = acc3_1;
  let r4 = row + VEC * LANES_M;
  C[(r4 * params.ldc + col) / 4] = acc4_0;
  C[(r4 * params.ldc + col) / 4 + 4] = acc4_1;
  let r5 = row + VEC * LANES_M + 1;
  C[(r5 * params.ldc + col) / 4] = acc5_0;
  C[(r5 * params.ldc + col) / 4 + 4] = acc5_1;
  let r6 = row + VEC * LANES_M + 2;
  C[(r6 * params.ldc + col) / 4] = acc6_0;
  C[(r6 * params.ldc + col) / 4 + 4] = acc6_1;
  let r7 = row + VEC * LANES_M + 3;
  C[(r7 * params.ldc + col) / 4] = acc7_0;
  C[(r7 * params.ldc + col) / 4 + 4] = acc7_1;
}

// Spec key: gemm-f16f16f16f16-warp-tile-1024x1024x1024-rrr-128x128x16-w64x32-8x8-v4
// @gemm {"entry":"gemm_warp_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"row"},"accumulator":"f16"},"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=16c1a8f2251209c3e61fb63b789ebd0538439c5a1d856bafd191da5fd5686384
