// warp-tile GEMM, f32: C = A * B
//
// Each thread block computes a 64 x 64 tile of C: 32 x 64 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining: the next 8-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - A is loaded one element at a time, and the elements are combined into vectors in registers.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 64 == 0, N % 64 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 64, M / 64), workgroup size (64), 4,224 B of shared memory.
// For 1024 x 1024 x 1024: 16 x 16 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 64u;       // rows of C per thread block
const BN = 64u;       // columns of C per thread block
const BK = 8u;        // K extent of the shared-memory tiles
const WM = 32u;       // rows of C per warp
const WN = 64u;       // columns of C per warp
const VEC = 4u;       // elements per vectorized access
const LANES_M = 4u;   // lanes per warp along M
const LANES_N = 8u;   // lanes per warp along N
const LOADS_A = 2u;   // blocks of 4 x 1 elements that a thread loads per A tile
const LOADS_B = 2u;   // vectors of 4 elements that a thread loads per B tile
const PAD_A = 4u;     // row padding of As in elements (avoids bank conflicts)
const THREADS = 64u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<vec4<f32>, (BM + PAD_A) / 4>, BK>;
var<workgroup> Bs: array<array<vec4<f32>, BN / 4>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_warp_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  let warp = thread.x / 32;
  let lane = thread.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 16) and 2 groups of 4 columns (stride 32).
  let threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  let threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;
  // Tile coordinates of this thread's first copy.
  let rowA = thread.x / BK * VEC;
  let kA = thread.x % BK;
  let kB = thread.x / (BN / VEC);
  let colB = thread.x % (BN / VEC) * VEC;

  var acc0_0: vec4<f32>;
  var acc0_1: vec4<f32>;
  var acc1_0: vec4<f32>;
  var acc1_1: vec4<f32>;
  var acc2_0: vec4<f32>;
  var acc2_1: vec4<f32>;
  var acc3_0: vec4<f32>;
  var acc3_1: vec4<f32>;
  var acc4_0: vec4<f32>;
  var acc4_1: vec4<f32>;
  var acc5_0: vec4<f32>;
  var acc5_1: vec4<f32>;
  var acc6_0: vec4<f32>;
  var acc6_1: vec4<f32>;
  var acc7_0: vec4<f32>;
  var acc7_1: vec4<f32>;
  var a0: vec4<f32>;
  var a1: vec4<f32>;
  var b0: vec4<f32>;
  var b1: vec4<f32>;
  var nextA0_0: f32;
  var nextA0_1: f32;
  var nextA0_2: f32;
  var nextA0_3: f32;
  var nextA1_0: f32;
  var nextA1_1: f32;
  var nextA1_2: f32;
  var nextA1_3: f32;
  var nextB0: vec4<f32>;
  var nextB1: vec4<f32>;

  let tiles = params.K / BK;

  // Prologue: load the first tile.
  for (var i = 0u; i < LOADS_A; i++) {
    let e = i * THREADS + thread.x;
    let r = e / BK * VEC;
    let c = e % BK;
    let v0 = A[(blockRow + r) * params.lda + c];
    let v1 = A[(blockRow + r + 1) * params.lda + c];
    let v2 = A[(blockRow + r + 2) * params.lda + c];
    let v3 = A[(blockRow + r + 3) * params.lda + c];
    As[c][r / 4] = vec4<f32>(v0, v1, v2, v3);
  }
  for (var i = 0u; i < LOADS_B; i++) {
    let e = i * THREADS + thread.x;
    let r = e / (BN / VEC);
    let c = e % (BN / VEC) * VEC;
    Bs[r][c / 4] = B[(r * params.ldb + blockCol + c) / 4];
  }
  workgroupBarrier();

  // Indices of this thread's loads of the next tile; they advance in every iteration.
  var fromA0 = (blockRow + rowA) * params.lda + kA + BK;
  var fromA1 = (blockRow + rowA + 1) * params.lda + kA + BK;
  var fromA2 = (blockRow + rowA + 2) * params.lda + kA + BK;
  var fromA3 = (blockRow + rowA + 3) * params.lda + kA + BK;
  var fromA4 = (blockRow + rowA + THREADS / BK * VEC) * params.lda + kA + BK;
  var fromA5 = (blockRow + rowA + THREADS / BK * VEC + 1) * params.lda + kA + BK;
  var fromA6 = (blockRow + rowA + THREADS / BK * VEC + 2) * params.lda + kA + BK;
  var fromA7 = (blockRow + rowA + THREADS / BK * VEC + 3) * params.lda + kA + BK;
  var fromB0 = ((kB + BK) * params.ldb + blockCol + colB) / 4;
  var fromB1 = ((kB + THREADS / (BN / VEC) + BK) * params.ldb + blockCol + colB) / 4;
  for (var t = 1u; t < tiles; t++) {
    // Prefetch the next tile from global memory into registers.
    nextA0_0 = A[fromA0];
    nextA0_1 = A[fromA1];
    nextA0_2 = A[fromA2];
    nextA0_3 = A[fromA3];
    nextA1_0 = A[fromA4];
    nextA1_1 = A[fromA5];
    nextA1_2 = A[fromA6];
    nextA1_3 = A[fromA7];
    nextB0 = B[fromB0];
    nextB1 = B[fromB1];
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    a0 = As[0][threadRow / 4];
    a1 = As[0][threadRow / 4 + 4];
    b0 = Bs[0][threadCol / 4];
    b1 = Bs[0][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[1][threadRow / 4];
    a1 = As[1][threadRow / 4 + 4];
    b0 = Bs[1][threadCol / 4];
    b1 = Bs[1][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[2][threadRow / 4];
    a1 = As[2][threadRow / 4 + 4];
    b0 = Bs[2][threadCol / 4];
    b1 = Bs[2][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[3][threadRow / 4];
    a1 = As[3][threadRow / 4 + 4];
    b0 = Bs[3][threadCol / 4];
    b1 = Bs[3][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[4][threadRow / 4];
    a1 = As[4][threadRow / 4 + 4];
    b0 = Bs[4][threadCol / 4];
    b1 = Bs[4][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[5][threadRow / 4];
    a1 = As[5][threadRow / 4 + 4];
    b0 = Bs[5][threadCol / 4];
    b1 = Bs[5][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[6][threadRow / 4];
    a1 = As[6][threadRow / 4 + 4];
    b0 = Bs[6][threadCol / 4];
    b1 = Bs[6][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    a0 = As[7][threadRow / 4];
    a1 = As[7][threadRow / 4 + 4];
    b0 = Bs[7][threadCol / 4];
    b1 = Bs[7][threadCol / 4 + LANES_N];
    acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
    acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
    acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
    acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
    acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
    acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
    acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
    acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
    acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
    acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
    acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
    acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
    acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
    acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
    acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
    workgroupBarrier();
    // Store the next tile from registers to shared memory, replacing the current tile.
    As[kA][rowA / 4] = vec4<f32>(nextA0_0, nextA0_1, nextA0_2, nextA0_3);
    As[kA][rowA / 4 + THREADS / BK] = vec4<f32>(nextA1_0, nextA1_1, nextA1_2, nextA1_3);
    Bs[kB][colB / 4] = nextB0;
    Bs[kB + THREADS / (BN / VEC)][colB / 4] = nextB1;
    workgroupBarrier();
    fromA0 += BK;
    fromA1 += BK;
    fromA2 += BK;
    fromA3 += BK;
    fromA4 += BK;
    fromA5 += BK;
    fromA6 += BK;
    fromA7 += BK;
    fromB0 += BK * params.ldb / 4;
    fromB1 += BK * params.ldb / 4;
  }
  // Peeled last iteration: multiply the last tile without prefetching.
  a0 = As[0][threadRow / 4];
  a1 = As[0][threadRow / 4 + 4];
  b0 = Bs[0][threadCol / 4];
  b1 = Bs[0][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[1][threadRow / 4];
  a1 = As[1][threadRow / 4 + 4];
  b0 = Bs[1][threadCol / 4];
  b1 = Bs[1][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[2][threadRow / 4];
  a1 = As[2][threadRow / 4 + 4];
  b0 = Bs[2][threadCol / 4];
  b1 = Bs[2][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[3][threadRow / 4];
  a1 = As[3][threadRow / 4 + 4];
  b0 = Bs[3][threadCol / 4];
  b1 = Bs[3][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[4][threadRow / 4];
  a1 = As[4][threadRow / 4 + 4];
  b0 = Bs[4][threadCol / 4];
  b1 = Bs[4][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[5][threadRow / 4];
  a1 = As[5][threadRow / 4 + 4];
  b0 = Bs[5][threadCol / 4];
  b1 = Bs[5][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[6][threadRow / 4];
  a1 = As[6][threadRow / 4 + 4];
  b0 = Bs[6][threadCol / 4];
  b1 = Bs[6][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
  a0 = As[7][threadRow / 4];
  a1 = As[7][threadRow / 4 + 4];
  b0 = Bs[7][threadCol / 4];
  b1 = Bs[7][threadCol / 4 + LANES_N];
  acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
  acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
  acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
  acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
  acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
  acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
  acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
  acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
  acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
  acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
  acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
  acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
  acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
  acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
  acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
  acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let r0 = row;
  C[(r0 * params.ldc + col) / 4] = acc0_0;
  C[(r0 * params.ldc + col) / 4 + LANES_N] = acc0_1;
  let r1 = row + 1;
  C[(r1 * params.ldc + col) / 4] = acc1_0;
  C[(r1 * params.ldc + col) / 4 + LANES_N] = acc1_1;
  let r2 = row + 2;
  C[(r2 * params.ldc + col) / 4] = acc2_0;
  C[(r2 * params.ldc + col) / 4 + LANES_N] = acc2_1;
  let r3 = row + 3;
  C[(r3 * params.ldc + col) / 4] = acc3_0;
  C[(r3 * params.ldc + col) / 4 + LANES_N] = acc3_1;
  let r4 = row + VEC * LANES_M;
  C[(r4 * params.ldc + col) / 4] = acc4_0;
  C[(r4 * params.ldc + col) / 4 + LANES_N] = acc4_1;
  let r5 = row + VEC * LANES_M + 1;
  C[(r5 * params.ldc + col) / 4] = acc5_0;
  C[(r5 * params.ldc + col) / 4 + LANES_N] = acc5_1;
  let r6 = row + VEC * LANES_M + 2;
  C[(r6 * params.ldc + col) / 4] = acc6_0;
  C[(r6 * params.ldc + col) / 4 + LANES_N] = acc6_1;
  let r7 = row + VEC * LANES_M + 3;
  C[(r7 * params.ldc + col) / 4] = acc7_0;
  C[(r7 * params.ldc + col) / 4 + LANES_N] = acc7_1;
}

// Spec key: gemm-f32-warp-tile-1024x1024x1024-rrr-64x64x8-w32x64-8x8-v4-35de4080
// @gemm {"entry":"gemm_warp_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"warp-tile","block":{"m":64,"n":64,"k":8},"warp":{"m":32,"n":64},"thread":{"m":8,"n":8},"vector":4,"traversal":"row","prefetch":"registers","unroll":"full","padding":{"a":4}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[64],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=67a422d22846fc25dd5b7eed76882cece763b30697a98233094d236a2cb4da39
