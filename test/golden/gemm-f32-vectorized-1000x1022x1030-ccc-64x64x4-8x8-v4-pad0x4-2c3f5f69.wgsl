// vectorized GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 64 x 64 tile of C: 8 x 8 accumulators per thread.
// - Software pipelining: the next 4-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied.
// - B is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Serpentine order: consecutive FMAs share an operand, which reduces register-bank conflicts.
// - B is loaded one element at a time, since ldb = 1030 is not a multiple of 4.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// block.z selects the batch entry. Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 4 for M, lda, strideA, ldc and strideC.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups((N + 63) / 64, (M + 63) / 64, batch), workgroup size (64), 2,112 B of shared memory.
// For 1000 x 1022 x 1030, batch 2: 16 x 16 x 2 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 64u;       // rows of C per thread block
const BN = 64u;       // columns of C per thread block
const BK = 4u;        // K extent of the shared-memory tiles
const VEC = 4u;       // elements per vectorized access
const LANES_M = 8u;   // threads per block along M
const LANES_N = 8u;   // threads per block along N
const LOADS_A = 1u;   // vectors of 4 elements that a thread loads per A tile
const LOADS_B = 1u;   // blocks of 4 x 1 elements that a thread loads per B tile
const PAD_B = 4u;     // row padding of Bs in elements (avoids bank conflicts)
const THREADS = 64u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
  strideA: u32,
  strideB: u32,
  strideC: u32,
  alpha: f32,
  beta: f32,
}

@group(0) @binding(0) var<storage, read> A: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<vec4<f32>, BM / 4>, BK>;
var<workgroup> Bs: array<array<vec4<f32>, (BN + PAD_B) / 4>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_vectorized(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  // block.z selects the batch entry.
  let offsetA = block.z * params.strideA;
  let offsetB = block.z * params.strideB;
  let offsetC = block.z * params.strideC;
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 32).
  let threadRow = thread.x / LANES_N * VEC;
  let threadCol = thread.x % LANES_N * VEC;
  // Tile coordinates of this thread's first copy.
  let kA = thread.x / (BM / VEC);
  let rowA = thread.x % (BM / VEC) * VEC;
  let colB = thread.x / BK * VEC;
  let kB = thread.x % BK;

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
  var nextA: vec4<f32>;
  var nextB0: f32;
  var nextB1: f32;
  var nextB2: f32;
  var nextB3: f32;

  let tiles = (params.K + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  let skip = tiles * BK - params.K;

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: load the first tile.
  for (var i = 0u; i < LOADS_A; i++) {
    let e = i * THREADS + thread.x;
    let r = e % (BM / VEC) * VEC;
    let c = e / (BM / VEC);
    if (skip <= c) {
      As[c][r / 4] = A[(offsetA + (c - skip) * params.lda + min(blockRow + r, params.M - VEC)) / 4];
    } else {
      As[c][r / 4] = vec4<f32>(0.0);
    }
  }
  for (var i = 0u; i < LOADS_B; i++) {
    let e = i * THREADS + thread.x;
    let r = e % BK;
    let c = e / BK * VEC;
    if (skip <= r) {
      let v0 = B[offsetB + min(blockCol + c, params.N - 1) * params.ldb + r - skip];
      let v1 = B[offsetB + min(blockCol + c + 1, params.N - 1) * params.ldb + r - skip];
      let v2 = B[offsetB + min(blockCol + c + 2, params.N - 1) * params.ldb + r - skip];
      let v3 = B[offsetB + min(blockCol + c + 3, params.N - 1) * params.ldb + r - skip];
      Bs[r][c / 4] = vec4<f32>(v0, v1, v2, v3);
    } else {
      Bs[r][c / 4] = vec4<f32>(0.0);
    }
  }
  workgroupBarrier();

  // Indices of this thread's loads of the next tile; they advance in every iteration.
  var fromA = (offsetA + (kA + BK - skip) * params.lda + min(blockRow + rowA, params.M - VEC)) / 4;
  var fromB0 = offsetB + min(blockCol + colB, params.N - 1) * params.ldb + kB + BK - skip;
  var fromB1 = offsetB + min(blockCol + colB + 1, params.N - 1) * params.ldb + kB + BK - skip;
  var fromB2 = offsetB + min(blockCol + colB + 2, params.N - 1) * params.ldb + kB + BK - skip;
  var fromB3 = offsetB + min(blockCol + colB + 3, params.N - 1) * params.ldb + kB + BK - skip;
  for (var t = 1u; t < tiles; t++) {
    // Prefetch the next tile from global memory into registers.
    nextA = A[fromA];
    nextB0 = B[fromB0];
    nextB1 = B[fromB1];
    nextB2 = B[fromB2];
    nextB3 = B[fromB3];
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      a0 = As[k][threadRow / 4];
      a1 = As[k][threadRow / 4 + LANES_M];
      b0 = Bs[k][threadCol / 4];
      b1 = Bs[k][threadCol / 4 + LANES_N];
      acc0_0 = fma(a0, vec4<f32>(b0.x), acc0_0);
      acc0_1 = fma(a1, vec4<f32>(b0.x), acc0_1);
      acc1_1 = fma(a1, vec4<f32>(b0.y), acc1_1);
      acc1_0 = fma(a0, vec4<f32>(b0.y), acc1_0);
      acc2_0 = fma(a0, vec4<f32>(b0.z), acc2_0);
      acc2_1 = fma(a1, vec4<f32>(b0.z), acc2_1);
      acc3_1 = fma(a1, vec4<f32>(b0.w), acc3_1);
      acc3_0 = fma(a0, vec4<f32>(b0.w), acc3_0);
      acc4_0 = fma(a0, vec4<f32>(b1.x), acc4_0);
      acc4_1 = fma(a1, vec4<f32>(b1.x), acc4_1);
      acc5_1 = fma(a1, vec4<f32>(b1.y), acc5_1);
      acc5_0 = fma(a0, vec4<f32>(b1.y), acc5_0);
      acc6_0 = fma(a0, vec4<f32>(b1.z), acc6_0);
      acc6_1 = fma(a1, vec4<f32>(b1.z), acc6_1);
      acc7_1 = fma(a1, vec4<f32>(b1.w), acc7_1);
      acc7_0 = fma(a0, vec4<f32>(b1.w), acc7_0);
    }
    workgroupBarrier();
    // Store the next tile from registers to shared memory, replacing the current tile.
    As[kA][rowA / 4] = nextA;
    Bs[kB][colB / 4] = vec4<f32>(nextB0, nextB1, nextB2, nextB3);
    workgroupBarrier();
    fromA += BK * params.lda / 4;
    fromB0 += BK;
    fromB1 += BK;
    fromB2 += BK;
    fromB3 += BK;
  }
  // Peeled last iteration: multiply the last tile without prefetching.
  for (var k = 0u; k < BK; k++) {
    a0 = As[k][threadRow / 4];
    a1 = As[k][threadRow / 4 + LANES_M];
    b0 = Bs[k][threadCol / 4];
    b1 = Bs[k][threadCol / 4 + LANES_N];
    acc0_0 = fma(a0, vec4<f32>(b0.x), acc0_0);
    acc0_1 = fma(a1, vec4<f32>(b0.x), acc0_1);
    acc1_1 = fma(a1, vec4<f32>(b0.y), acc1_1);
    acc1_0 = fma(a0, vec4<f32>(b0.y), acc1_0);
    acc2_0 = fma(a0, vec4<f32>(b0.z), acc2_0);
    acc2_1 = fma(a1, vec4<f32>(b0.z), acc2_1);
    acc3_1 = fma(a1, vec4<f32>(b0.w), acc3_1);
    acc3_0 = fma(a0, vec4<f32>(b0.w), acc3_0);
    acc4_0 = fma(a0, vec4<f32>(b1.x), acc4_0);
    acc4_1 = fma(a1, vec4<f32>(b1.x), acc4_1);
    acc5_1 = fma(a1, vec4<f32>(b1.y), acc5_1);
    acc5_0 = fma(a0, vec4<f32>(b1.y), acc5_0);
    acc6_0 = fma(a0, vec4<f32>(b1.z), acc6_0);
    acc6_1 = fma(a1, vec4<f32>(b1.z), acc6_1);
    acc7_1 = fma(a1, vec4<f32>(b1.w), acc7_1);
    acc7_0 = fma(a0, vec4<f32>(b1.w), acc7_0);
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let c0 = col;
  if (c0 < params.N) {
    if (row < params.M) {
      C[(offsetC + c0 * params.ldc + row) / 4] = params.alpha * acc0_0 + params.beta * C[(offsetC + c0 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c0 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc0_1 + params.beta * C[(offsetC + c0 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c1 = col + 1;
  if (c1 < params.N) {
    if (row < params.M) {
      C[(offsetC + c1 * params.ldc + row) / 4] = params.alpha * acc1_0 + params.beta * C[(offsetC + c1 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c1 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc1_1 + params.beta * C[(offsetC + c1 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c2 = col + 2;
  if (c2 < params.N) {
    if (row < params.M) {
      C[(offsetC + c2 * params.ldc + row) / 4] = params.alpha * acc2_0 + params.beta * C[(offsetC + c2 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c2 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc2_1 + params.beta * C[(offsetC + c2 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c3 = col + 3;
  if (c3 < params.N) {
    if (row < params.M) {
      C[(offsetC + c3 * params.ldc + row) / 4] = params.alpha * acc3_0 + params.beta * C[(offsetC + c3 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c3 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc3_1 + params.beta * C[(offsetC + c3 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c4 = col + VEC * LANES_N;
  if (c4 < params.N) {
    if (row < params.M) {
      C[(offsetC + c4 * params.ldc + row) / 4] = params.alpha * acc4_0 + params.beta * C[(offsetC + c4 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c4 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc4_1 + params.beta * C[(offsetC + c4 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c5 = col + VEC * LANES_N + 1;
  if (c5 < params.N) {
    if (row < params.M) {
      C[(offsetC + c5 * params.ldc + row) / 4] = params.alpha * acc5_0 + params.beta * C[(offsetC + c5 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c5 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc5_1 + params.beta * C[(offsetC + c5 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c6 = col + VEC * LANES_N + 2;
  if (c6 < params.N) {
    if (row < params.M) {
      C[(offsetC + c6 * params.ldc + row) / 4] = params.alpha * acc6_0 + params.beta * C[(offsetC + c6 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c6 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc6_1 + params.beta * C[(offsetC + c6 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c7 = col + VEC * LANES_N + 3;
  if (c7 < params.N) {
    if (row < params.M) {
      C[(offsetC + c7 * params.ldc + row) / 4] = params.alpha * acc7_0 + params.beta * C[(offsetC + c7 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(offsetC + c7 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc7_1 + params.beta * C[(offsetC + c7 * params.ldc + row) / 4 + LANES_M];
    }
  }
}

// Spec key: gemm-f32-vectorized-1000x1022x1030-ccc-64x64x4-8x8-v4-pad0x4-2c3f5f69
// @gemm {"entry":"gemm_vectorized","version":1,"problem":{"m":1000,"n":1022,"k":1030,"batch":2,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"vectorized","block":{"m":64,"n":64,"k":4},"thread":{"m":8,"n":8},"vector":4,"traversal":"col","prefetch":"registers","padding":{"b":4}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 64)","ceil(m / 64)",2],"block":[64],"args":["a","b","c",["m","n","k","lda","ldb","ldc","strideA","strideB","strideC","alpha","beta"]]}
// @gemm-generated v1 sha256=17555a1ded7cffbf993022439b8d8b6ebca488fb3bf8b530d985f73e99c80a54
