// mma GEMM, f16, summed in f32: C = alpha * A * B + beta * C
//
// Each block computes a 64 x 64 tile of C, a warp 32 x 32 of it in subgroup matrices of 16 x 16, and walks K in
// steps of 32 through shared memory: the next tile is loaded into registers while one is multiplied.
// Needs the experimental feature chromium-experimental-subgroup-matrix, and subgroups of 32 invocations.
// B is loaded 2 elements at a time, since ldb = 1030 is no multiple of 4.
// Sums pass through shared memory, since C is not stored as whole matrices of their own type.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N, column-major (M contiguous).
// Any M, N and K: accesses past the edges are guarded.
// Vector accesses need M a multiple of 8, lda a multiple of 8, K a multiple of 2, ldb a multiple of 2, M a multiple of 4, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1000 x 1022 x 1030: grid 16 x 16, block 128, 13,824 B of shared memory.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.
//
// @gemm {"version":1,"problem":{"m":1000,"n":1022,"k":1030,"a":{"dtype":"f16","layout":"col"},"b":{"dtype":"f16","layout":"col"},"c":{"dtype":"f16","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"mma","block":{"m":64,"n":64,"k":32},"warp":{"m":32,"n":32},"vector":8,"padding":{"a":8,"b":8},"raster":{"group":4},"mma":{"m":16,"n":16,"k":16}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[128],"args":["a","b","c",["m","n","k","lda","ldb","ldc","alpha","beta"]]}
// @gemm-generated v1 sha256=c7e95461a25375f15d864cb44499bf21afe4606a8c8924661eaad896da59f8d4

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

const BM = 64u;        // rows of C a block computes
const BN = 64u;        // columns of C a block computes
const BK = 32u;        // depth of the tiles staged in shared memory
const WM = 32u;        // rows of C a warp computes
const WN = 32u;        // columns of C a warp computes
const MMA_M = 16u;     // rows of a matrix of C, and of A
const MMA_N = 16u;     // columns of a matrix of C, and of B
const MMA_K = 16u;     // depth of a multiply-accumulate
const LINES_A = 16u;   // rows of As that the threads store at a time
const LINES_B = 8u;    // rows of Bs that the threads store at a time
const RASTER = 4u;     // tile rows or columns that blocks walk together
const PAD_A = 8u;      // elements between rows of As, against bank conflicts
const PAD_B = 8u;      // elements between rows of Bs, against bank conflicts
const THREADS = 128u;  // threads a block

alias Left = subgroup_matrix_left<f16, MMA_K, MMA_M>;
alias Right = subgroup_matrix_right<f16, MMA_N, MMA_K>;
alias Sum = subgroup_matrix_result<f32, MMA_N, MMA_M>;

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

@group(0) @binding(0) var<storage, read> A: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> B: array<vec2<f16>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f16>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<vec4<u32>, BK * (BM + PAD_A) / 8>;
var<workgroup> Bs: array<vec2<f16>, BN * (BK + PAD_B) / 2>;
var<workgroup> Cs: array<vec4<f32>, THREADS / 32 * MMA_N * MMA_M / 4>;

@compute @workgroup_size(THREADS)
fn gemm_mma(
  @builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u,
  @builtin(subgroup_id) warp: u32, @builtin(subgroup_invocation_id) lane: u32
) {
  // Blocks walk the tiles of C in groups of 4 rows, so that those that run together share
  // their tiles of A and B in the L2 cache.
  let tilesM = (params.M + BM - 1) / BM;
  let tilesN = (params.N + BN - 1) / BN;
  let tile = block.y * tilesN + block.x;
  let first = tile / (RASTER * tilesN) * RASTER;
  let width = min(tilesM - first, RASTER);
  let blockRow = (first + tile % (RASTER * tilesN) % width) * BM;
  let blockCol = tile % (RASTER * tilesN) / width * BN;
  let warpRow = warp / (BN / WN) * WM;
  let warpCol = warp % (BN / WN) * WN;
  // Where this thread's copies begin in a tile.
  let depthA = thread.x / (BM / 8);
  let rowA = thread.x % (BM / 8) * 8;
  let colB = thread.x / (BK / 2);
  let depthB = thread.x % (BK / 2) * 2;

  var acc0_0: Sum;
  var acc0_1: Sum;
  var acc1_0: Sum;
  var acc1_1: Sum;
  var a0: Left;
  var a1: Left;
  var b0: Right;
  var b1: Right;
  var nextA0: vec4<u32>;
  var nextA1: vec4<u32>;
  var nextB0: vec2<f16>;
  var nextB1: vec2<f16>;
  var nextB2: vec2<f16>;
  var nextB3: vec2<f16>;
  var nextB4: vec2<f16>;
  var nextB5: vec2<f16>;
  var nextB6: vec2<f16>;
  var nextB7: vec2<f16>;

  // The first tile is filled up with zeros in front, so that all others are whole.
  let skip = BK - 1 - (params.K - 1) % BK;
  if (skip <= depthA) {
    nextA0 = A[((depthA - skip) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
  } else {
    nextA0 = vec4<u32>(0u);
  }
  if (skip <= depthA + LINES_A) {
    nextA1 = A[((depthA + LINES_A - skip) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
  } else {
    nextA1 = vec4<u32>(0u);
  }
  if (skip <= depthB) {
    nextB0 = B[(min(blockCol + colB, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB0 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB1 = B[(min(blockCol + colB + LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB1 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB2 = B[(min(blockCol + colB + 2 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB2 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB3 = B[(min(blockCol + colB + 3 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB3 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB4 = B[(min(blockCol + colB + 4 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB4 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB5 = B[(min(blockCol + colB + 5 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB5 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB6 = B[(min(blockCol + colB + 6 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB6 = vec2<f16>(0.0);
  }
  if (skip <= depthB) {
    nextB7 = B[(min(blockCol + colB + 7 * LINES_B, params.N - 1) * params.ldb + depthB - skip) / 2];
  } else {
    nextB7 = vec2<f16>(0.0);
  }
  As[(depthA * (BM + PAD_A) + rowA) / 8] = nextA0;
  As[((depthA + LINES_A) * (BM + PAD_A) + rowA) / 8] = nextA1;
  Bs[(colB * (BK + PAD_B) + depthB) / 2] = nextB0;
  Bs[((colB + LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB1;
  Bs[((colB + 2 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB2;
  Bs[((colB + 3 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB3;
  Bs[((colB + 4 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB4;
  Bs[((colB + 5 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB5;
  Bs[((colB + 6 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB6;
  Bs[((colB + 7 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB7;
  workgroupBarrier();
  for (var k0 = BK - skip; k0 < params.K; k0 += BK) {
    // The next tile, from global memory into registers.
    nextA0 = A[((k0 + depthA) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
    nextA1 = A[((k0 + depthA + LINES_A) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
    nextB0 = B[(min(blockCol + colB, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB1 = B[(min(blockCol + colB + LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB2 = B[(min(blockCol + colB + 2 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB3 = B[(min(blockCol + colB + 3 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB4 = B[(min(blockCol + colB + 4 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB5 = B[(min(blockCol + colB + 5 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB6 = B[(min(blockCol + colB + 6 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    nextB7 = B[(min(blockCol + colB + 7 * LINES_B, params.N - 1) * params.ldb + k0 + depthB) / 2];
    // 16 depths: 2 + 2 matrices from shared memory, 4 products.
    a0 = subgroupMatrixLoad<Left, col_major>(&As, warpRow / 8, (BM + PAD_A) / 8);
    a1 = subgroupMatrixLoad<Left, col_major>(&As, (warpRow + MMA_M) / 8, (BM + PAD_A) / 8);
    b0 = subgroupMatrixLoad<Right, col_major>(&Bs, warpCol * (BK + PAD_B) / 2, (BK + PAD_B) / 2);
    b1 = subgroupMatrixLoad<Right, col_major>(&Bs, (warpCol + MMA_N) * (BK + PAD_B) / 2, (BK + PAD_B) / 2);
    acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
    acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
    acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
    acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);
    a0 = subgroupMatrixLoad<Left, col_major>(&As, (16 * (BM + PAD_A) + warpRow) / 8, (BM + PAD_A) / 8);
    a1 = subgroupMatrixLoad<Left, col_major>(&As, (16 * (BM + PAD_A) + warpRow + MMA_M) / 8, (BM + PAD_A) / 8);
    b0 = subgroupMatrixLoad<Right, col_major>(&Bs, (warpCol * (BK + PAD_B) + 16) / 2, (BK + PAD_B) / 2);
    b1 = subgroupMatrixLoad<Right, col_major>(&Bs, ((warpCol + MMA_N) * (BK + PAD_B) + 16) / 2, (BK + PAD_B) / 2);
    acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
    acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
    acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
    acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);
    workgroupBarrier();
    // Nobody reads this tile any more: the next one takes its place.
    As[(depthA * (BM + PAD_A) + rowA) / 8] = nextA0;
    As[((depthA + LINES_A) * (BM + PAD_A) + rowA) / 8] = nextA1;
    Bs[(colB * (BK + PAD_B) + depthB) / 2] = nextB0;
    Bs[((colB + LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB1;
    Bs[((colB + 2 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB2;
    Bs[((colB + 3 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB3;
    Bs[((colB + 4 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB4;
    Bs[((colB + 5 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB5;
    Bs[((colB + 6 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB6;
    Bs[((colB + 7 * LINES_B) * (BK + PAD_B) + depthB) / 2] = nextB7;
    workgroupBarrier();
  }

  // The last tile.
  // 16 depths: 2 + 2 matrices from shared memory, 4 products.
  a0 = subgroupMatrixLoad<Left, col_major>(&As, warpRow / 8, (BM + PAD_A) / 8);
  a1 = subgroupMatrixLoad<Left, col_major>(&As, (warpRow + MMA_M) / 8, (BM + PAD_A) / 8);
  b0 = subgroupMatrixLoad<Right, col_major>(&Bs, warpCol * (BK + PAD_B) / 2, (BK + PAD_B) / 2);
  b1 = subgroupMatrixLoad<Right, col_major>(&Bs, (warpCol + MMA_N) * (BK + PAD_B) / 2, (BK + PAD_B) / 2);
  acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
  acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
  acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
  acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);
  a0 = subgroupMatrixLoad<Left, col_major>(&As, (16 * (BM + PAD_A) + warpRow) / 8, (BM + PAD_A) / 8);
  a1 = subgroupMatrixLoad<Left, col_major>(&As, (16 * (BM + PAD_A) + warpRow + MMA_M) / 8, (BM + PAD_A) / 8);
  b0 = subgroupMatrixLoad<Right, col_major>(&Bs, (warpCol * (BK + PAD_B) + 16) / 2, (BK + PAD_B) / 2);
  b1 = subgroupMatrixLoad<Right, col_major>(&Bs, ((warpCol + MMA_N) * (BK + PAD_B) + 16) / 2, (BK + PAD_B) / 2);
  acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
  acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
  acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
  acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);

  // Write this warp's results to C, a matrix at a time through shared memory.
  subgroupMatrixStore<col_major>(&Cs, warp * MMA_N * MMA_M / 4, acc0_0, MMA_M / 4);
  workgroupBarrier();
  for (var i = lane * 4; i < MMA_M * MMA_N; i += 128) {
    let row = blockRow + warpRow + i % MMA_M;
    let col = blockCol + warpCol + i / MMA_M;
    if (row < params.M && col < params.N) {
      C[(col * params.ldc + row) / 4] = vec4<f16>(params.alpha * Cs[((warp * MMA_N + i / MMA_M) * MMA_M + i % MMA_M) / 4] + params.beta * vec4<f32>(C[(col * params.ldc + row) / 4]));
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<col_major>(&Cs, warp * MMA_N * MMA_M / 4, acc0_1, MMA_M / 4);
  workgroupBarrier();
  for (var i = lane * 4; i < MMA_M * MMA_N; i += 128) {
    let row = blockRow + warpRow + i % MMA_M;
    let col = blockCol + warpCol + MMA_N + i / MMA_M;
    if (row < params.M && col < params.N) {
      C[(col * params.ldc + row) / 4] = vec4<f16>(params.alpha * Cs[((warp * MMA_N + i / MMA_M) * MMA_M + i % MMA_M) / 4] + params.beta * vec4<f32>(C[(col * params.ldc + row) / 4]));
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<col_major>(&Cs, warp * MMA_N * MMA_M / 4, acc1_0, MMA_M / 4);
  workgroupBarrier();
  for (var i = lane * 4; i < MMA_M * MMA_N; i += 128) {
    let row = blockRow + warpRow + MMA_M + i % MMA_M;
    let col = blockCol + warpCol + i / MMA_M;
    if (row < params.M && col < params.N) {
      C[(col * params.ldc + row) / 4] = vec4<f16>(params.alpha * Cs[((warp * MMA_N + i / MMA_M) * MMA_M + i % MMA_M) / 4] + params.beta * vec4<f32>(C[(col * params.ldc + row) / 4]));
    }
  }
  workgroupBarrier();
  subgroupMatrixStore<col_major>(&Cs, warp * MMA_N * MMA_M / 4, acc1_1, MMA_M / 4);
  workgroupBarrier();
  for (var i = lane * 4; i < MMA_M * MMA_N; i += 128) {
    let row = blockRow + warpRow + MMA_M + i % MMA_M;
    let col = blockCol + warpCol + MMA_N + i / MMA_M;
    if (row < params.M && col < params.N) {
      C[(col * params.ldc + row) / 4] = vec4<f16>(params.alpha * Cs[((warp * MMA_N + i / MMA_M) * MMA_M + i % MMA_M) / 4] + params.beta * vec4<f32>(C[(col * params.ldc + row) / 4]));
    }
  }
  workgroupBarrier();
}
