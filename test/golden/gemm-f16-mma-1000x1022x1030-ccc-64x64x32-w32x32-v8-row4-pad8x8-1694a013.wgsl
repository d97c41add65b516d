// mma GEMM, f16, f32 accumulation: C = alpha * A * B + beta * C
//
// Each thread block computes a 64 x 64 tile of C, each subgroup a 32 x 32 tile of it. Subgroup
// matrices are 16 x 16.
// - Software pipelining: the next 32-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied from shared memory.
// - Rasterization in groups of 4 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - Requires the experimental feature chromium-experimental-subgroup-matrix and subgroups of 32
//   invocations.
// - B is loaded 2 elements at a time, since ldb = 1030 is not a multiple of 4.
// - Epilogue: accumulators are staged in shared memory, since C cannot be stored as whole subgroup
//   matrices.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 8 for M and lda; multiples of 4 for M and ldc; multiples
// of 2 for K and ldb.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations.
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch: dispatchWorkgroups((N + 63) / 64, (M + 63) / 64), workgroup size (128), 13,824 B of shared memory.
// For 1000 x 1022 x 1030: 16 x 16 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

const BM = 64u;           // rows of C per thread block
const BN = 64u;           // columns of C per thread block
const BK = 32u;           // K extent of the shared-memory tiles
const WM = 32u;           // rows of C per warp
const WN = 32u;           // columns of C per warp
const MMA_M = 16u;        // rows of C and A per MMA
const MMA_N = 16u;        // columns of C and B per MMA
const MMA_K = 16u;        // K extent per MMA (matrix multiply-accumulate)
const VEC = 8u;           // elements per vectorized access
const PASS_ROWS_A = 16u;  // rows of As that the thread block stores per pass
const PASS_ROWS_B = 8u;   // rows of Bs that the thread block stores per pass
const RASTER = 4u;        // tile rows per raster group (L2 reuse)
const PAD_A = 8u;         // row padding of As in elements (avoids bank conflicts)
const PAD_B = 8u;         // row padding of Bs in elements (avoids bank conflicts)
const THREADS = 128u;     // threads per block

alias Left = subgroup_matrix_left<f16, MMA_K, MMA_M>;
alias Right = subgroup_matrix_right<f16, MMA_N, MMA_K>;
alias Accumulator = subgroup_matrix_result<f32, MMA_N, MMA_M>;

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
  // Rasterization in groups of RASTER tile rows (L2 reuse); the last group may be smaller.
  let tilesM = (params.M + BM - 1) / BM;
  let tilesN = (params.N + BN - 1) / BN;
  let linearTile = block.y * tilesN + block.x;
  let firstTileRow = linearTile / (RASTER * tilesN) * RASTER;
  let groupRows = min(tilesM - firstTileRow, RASTER);
  let blockRow = (firstTileRow + linearTile % (RASTER * tilesN) % groupRows) * BM;
  let blockCol = linearTile % (RASTER * tilesN) / groupRows * BN;
  let warpRow = warp / (BN / WN) * WM;
  let warpCol = warp % (BN / WN) * WN;
  // Tile coordinates of this thread's first copy.
  let kA = thread.x / (BM / VEC);
  let rowA = thread.x % (BM / VEC) * VEC;
  let colB = thread.x / (BK / 2);
  let kB = thread.x % (BK / 2) * 2;

  var acc0_0: Accumulator;
  var acc0_1: Accumulator;
  var acc1_0: Accumulator;
  var acc1_1: Accumulator;
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

  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  let skip = BK - 1 - (params.K - 1) % BK;
  if (skip <= kA) {
    nextA0 = A[((kA - skip) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
  } else {
    nextA0 = vec4<u32>(0u);
  }
  if (skip <= kA + PASS_ROWS_A) {
    nextA1 = A[((kA + PASS_ROWS_A - skip) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
  } else {
    nextA1 = vec4<u32>(0u);
  }
  if (skip <= kB) {
    nextB0 = B[(min(blockCol + colB, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB0 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB1 = B[(min(blockCol + colB + PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB1 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB2 = B[(min(blockCol + colB + 2 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB2 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB3 = B[(min(blockCol + colB + 3 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB3 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB4 = B[(min(blockCol + colB + 4 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB4 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB5 = B[(min(blockCol + colB + 5 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB5 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB6 = B[(min(blockCol + colB + 6 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB6 = vec2<f16>(0.0);
  }
  if (skip <= kB) {
    nextB7 = B[(min(blockCol + colB + 7 * PASS_ROWS_B, params.N - 1) * params.ldb + kB - skip) / 2];
  } else {
    nextB7 = vec2<f16>(0.0);
  }
  As[(kA * (BM + PAD_A) + rowA) / 8] = nextA0;
  As[((kA + PASS_ROWS_A) * (BM + PAD_A) + rowA) / 8] = nextA1;
  Bs[(colB * (BK + PAD_B) + kB) / 2] = nextB0;
  Bs[((colB + PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB1;
  Bs[((colB + 2 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB2;
  Bs[((colB + 3 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB3;
  Bs[((colB + 4 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB4;
  Bs[((colB + 5 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB5;
  Bs[((colB + 6 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB6;
  Bs[((colB + 7 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB7;
  workgroupBarrier();
  for (var k0 = BK - skip; k0 < params.K; k0 += BK) {
    // Prefetch the next tile from global memory into registers.
    nextA0 = A[((k0 + kA) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
    nextA1 = A[((k0 + kA + PASS_ROWS_A) * params.lda + min(blockRow + rowA, params.M - 8)) / 8];
    nextB0 = B[(min(blockCol + colB, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB1 = B[(min(blockCol + colB + PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB2 = B[(min(blockCol + colB + 2 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB3 = B[(min(blockCol + colB + 3 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB4 = B[(min(blockCol + colB + 4 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB5 = B[(min(blockCol + colB + 5 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB6 = B[(min(blockCol + colB + 6 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    nextB7 = B[(min(blockCol + colB + 7 * PASS_ROWS_B, params.N - 1) * params.ldb + k0 + kB) / 2];
    // k-step of 16: 4 MMAs on 2 + 2 matrices from shared memory.
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
    // All threads have read the current tile: replace it with the next tile.
    As[(kA * (BM + PAD_A) + rowA) / 8] = nextA0;
    As[((kA + PASS_ROWS_A) * (BM + PAD_A) + rowA) / 8] = nextA1;
    Bs[(colB * (BK + PAD_B) + kB) / 2] = nextB0;
    Bs[((colB + PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB1;
    Bs[((colB + 2 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB2;
    Bs[((colB + 3 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB3;
    Bs[((colB + 4 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB4;
    Bs[((colB + 5 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB5;
    Bs[((colB + 6 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB6;
    Bs[((colB + 7 * PASS_ROWS_B) * (BK + PAD_B) + kB) / 2] = nextB7;
    workgroupBarrier();
  }

  // Peeled last iteration: multiply the last tile without prefetching.
  // k-step of 16: 4 MMAs on 2 + 2 matrices from shared memory.
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

  // Epilogue: write this subgroup's accumulators to C, one matrix at a time through shared
  // memory.
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

// Spec key: gemm-f16-mma-1000x1022x1030-ccc-64x64x32-w32x32-v8-row4-pad8x8-1694a013
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1000,"n":1022,"k":1030,"a":{"dtype":"f16","layout":"col"},"b":{"dtype":"f16","layout":"col"},"c":{"dtype":"f16","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"mma","block":{"m":64,"n":64,"k":32},"warp":{"m":32,"n":32},"vector":8,"padding":{"a":8,"b":8},"raster":{"group":4},"mma":{"m":16,"n":16,"k":16}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[128],"args":["a","b","c",["m","n","k","lda","ldb","ldc","alpha","beta"]]}
// @gemm-generated v1 sha256=19d83851e12ab69c1f4210746d359f46329b3756c6c78194bd042b90f25aadec
