// mma GEMM, f16: C = A * B
//
// Each thread block computes a 128 x 128 tile of C, each subgroup a 64 x 64 tile of it. Subgroup
// matrices are 16 x 16.
// - Software pipelining: the next 16-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied from shared memory.
// - Requires the experimental feature chromium-experimental-subgroup-matrix and subgroups of 32
//   invocations.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 8 for lda, ldb and ldc.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations.
// Results are bitwise reproducible and batch-invariant. Each element of C adds the results of its K
// = 16 instructions in ascending order of k.
//
// Launch: dispatchWorkgroups(N / 128, M / 128), workgroup size (128), 10,496 B of shared memory.
// For 1024 x 1024 x 1024: 8 x 8 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

const BM = 128u;          // rows of C per thread block
const BN = 128u;          // columns of C per thread block
const BK = 16u;           // K extent of the shared-memory tiles
const WM = 64u;           // rows of C per warp
const WN = 64u;           // columns of C per warp
const MMA_M = 16u;        // rows of C and A per MMA
const MMA_N = 16u;        // columns of C and B per MMA
const MMA_K = 16u;        // K extent per MMA (matrix multiply-accumulate)
const VEC = 8u;           // elements per vectorized access
const PASS_ROWS_A = 64u;  // rows of As that the thread block stores per pass
const PASS_ROWS_B = 8u;   // rows of Bs that the thread block stores per pass
const PAD_A = 8u;         // row padding of As in elements (avoids bank conflicts)
const PAD_B = 8u;         // row padding of Bs in elements (avoids bank conflicts)
const THREADS = 128u;     // threads per block

alias Left = subgroup_matrix_left<f16, MMA_K, MMA_M>;
alias Right = subgroup_matrix_right<f16, MMA_N, MMA_K>;
alias Accumulator = subgroup_matrix_result<f16, MMA_N, MMA_M>;

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> C: array<f16>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<vec4<u32>, BM * (BK + PAD_A) / 8>;
var<workgroup> Bs: array<vec4<u32>, BK * (BN + PAD_B) / 8>;

@compute @workgroup_size(THREADS)
fn gemm_mma(
  @builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u,
  @builtin(subgroup_id) warp: u32
) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  let warpRow = warp / (BN / WN) * WM;
  let warpCol = warp % (BN / WN) * WN;
  // Tile coordinates of this thread's first copy.
  let rowA = thread.x / (BK / VEC);
  let kA = thread.x % (BK / VEC) * VEC;
  let kB = thread.x / (BN / VEC);
  let colB = thread.x % (BN / VEC) * VEC;

  var acc0_0: Accumulator;
  var acc0_1: Accumulator;
  var acc0_2: Accumulator;
  var acc0_3: Accumulator;
  var acc1_0: Accumulator;
  var acc1_1: Accumulator;
  var acc1_2: Accumulator;
  var acc1_3: Accumulator;
  var acc2_0: Accumulator;
  var acc2_1: Accumulator;
  var acc2_2: Accumulator;
  var acc2_3: Accumulator;
  var acc3_0: Accumulator;
  var acc3_1: Accumulator;
  var acc3_2: Accumulator;
  var acc3_3: Accumulator;
  var a0: Left;
  var a1: Left;
  var a2: Left;
  var a3: Left;
  var b0: Right;
  var b1: Right;
  var b2: Right;
  var b3: Right;
  var nextA0: vec4<u32>;
  var nextA1: vec4<u32>;
  var nextB0: vec4<u32>;
  var nextB1: vec4<u32>;

  // Prologue: load the first tile.
  nextA0 = A[((blockRow + rowA) * params.lda + kA) / 8];
  nextA1 = A[((blockRow + rowA + PASS_ROWS_A) * params.lda + kA) / 8];
  nextB0 = B[(kB * params.ldb + blockCol + colB) / 8];
  nextB1 = B[((kB + PASS_ROWS_B) * params.ldb + blockCol + colB) / 8];
  As[(rowA * (BK + PAD_A) + kA) / 8] = nextA0;
  As[((rowA + PASS_ROWS_A) * (BK + PAD_A) + kA) / 8] = nextA1;
  Bs[(kB * (BN + PAD_B) + colB) / 8] = nextB0;
  Bs[((kB + PASS_ROWS_B) * (BN + PAD_B) + colB) / 8] = nextB1;
  workgroupBarrier();
  for (var k0 = BK; k0 < params.K; k0 += BK) {
    // Prefetch the next tile from global memory into registers.
    nextA0 = A[((blockRow + rowA) * params.lda + k0 + kA) / 8];
    nextA1 = A[((blockRow + rowA + PASS_ROWS_A) * params.lda + k0 + kA) / 8];
    nextB0 = B[((k0 + kB) * params.ldb + blockCol + colB) / 8];
    nextB1 = B[((k0 + kB + PASS_ROWS_B) * params.ldb + blockCol + colB) / 8];
    // k-step of 16: 16 MMAs on 4 + 4 matrices from shared memory.
    a0 = subgroupMatrixLoad<Left, row_major>(&As, warpRow * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
    a1 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
    a2 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + 2 * MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
    a3 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + 3 * MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
    b0 = subgroupMatrixLoad<Right, row_major>(&Bs, warpCol / 8, (BN + PAD_B) / 8);
    b1 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + MMA_N) / 8, (BN + PAD_B) / 8);
    b2 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + 2 * MMA_N) / 8, (BN + PAD_B) / 8);
    b3 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + 3 * MMA_N) / 8, (BN + PAD_B) / 8);
    acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
    acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
    acc0_2 = subgroupMatrixMultiplyAccumulate(a0, b2, acc0_2);
    acc0_3 = subgroupMatrixMultiplyAccumulate(a0, b3, acc0_3);
    acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
    acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);
    acc1_2 = subgroupMatrixMultiplyAccumulate(a1, b2, acc1_2);
    acc1_3 = subgroupMatrixMultiplyAccumulate(a1, b3, acc1_3);
    acc2_0 = subgroupMatrixMultiplyAccumulate(a2, b0, acc2_0);
    acc2_1 = subgroupMatrixMultiplyAccumulate(a2, b1, acc2_1);
    acc2_2 = subgroupMatrixMultiplyAccumulate(a2, b2, acc2_2);
    acc2_3 = subgroupMatrixMultiplyAccumulate(a2, b3, acc2_3);
    acc3_0 = subgroupMatrixMultiplyAccumulate(a3, b0, acc3_0);
    acc3_1 = subgroupMatrixMultiplyAccumulate(a3, b1, acc3_1);
    acc3_2 = subgroupMatrixMultiplyAccumulate(a3, b2, acc3_2);
    acc3_3 = subgroupMatrixMultiplyAccumulate(a3, b3, acc3_3);
    workgroupBarrier();
    // All threads have read the current tile: replace it with the next tile.
    As[(rowA * (BK + PAD_A) + kA) / 8] = nextA0;
    As[((rowA + PASS_ROWS_A) * (BK + PAD_A) + kA) / 8] = nextA1;
    Bs[(kB * (BN + PAD_B) + colB) / 8] = nextB0;
    Bs[((kB + PASS_ROWS_B) * (BN + PAD_B) + colB) / 8] = nextB1;
    workgroupBarrier();
  }

  // Peeled last iteration: multiply the last tile without prefetching.
  // k-step of 16: 16 MMAs on 4 + 4 matrices from shared memory.
  a0 = subgroupMatrixLoad<Left, row_major>(&As, warpRow * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
  a1 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
  a2 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + 2 * MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
  a3 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow + 3 * MMA_M) * (BK + PAD_A) / 8, (BK + PAD_A) / 8);
  b0 = subgroupMatrixLoad<Right, row_major>(&Bs, warpCol / 8, (BN + PAD_B) / 8);
  b1 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + MMA_N) / 8, (BN + PAD_B) / 8);
  b2 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + 2 * MMA_N) / 8, (BN + PAD_B) / 8);
  b3 = subgroupMatrixLoad<Right, row_major>(&Bs, (warpCol + 3 * MMA_N) / 8, (BN + PAD_B) / 8);
  acc0_0 = subgroupMatrixMultiplyAccumulate(a0, b0, acc0_0);
  acc0_1 = subgroupMatrixMultiplyAccumulate(a0, b1, acc0_1);
  acc0_2 = subgroupMatrixMultiplyAccumulate(a0, b2, acc0_2);
  acc0_3 = subgroupMatrixMultiplyAccumulate(a0, b3, acc0_3);
  acc1_0 = subgroupMatrixMultiplyAccumulate(a1, b0, acc1_0);
  acc1_1 = subgroupMatrixMultiplyAccumulate(a1, b1, acc1_1);
  acc1_2 = subgroupMatrixMultiplyAccumulate(a1, b2, acc1_2);
  acc1_3 = subgroupMatrixMultiplyAccumulate(a1, b3, acc1_3);
  acc2_0 = subgroupMatrixMultiplyAccumulate(a2, b0, acc2_0);
  acc2_1 = subgroupMatrixMultiplyAccumulate(a2, b1, acc2_1);
  acc2_2 = subgroupMatrixMultiplyAccumulate(a2, b2, acc2_2);
  acc2_3 = subgroupMatrixMultiplyAccumulate(a2, b3, acc2_3);
  acc3_0 = subgroupMatrixMultiplyAccumulate(a3, b0, acc3_0);
  acc3_1 = subgroupMatrixMultiplyAccumulate(a3, b1, acc3_1);
  acc3_2 = subgroupMatrixMultiplyAccumulate(a3, b2, acc3_2);
  acc3_3 = subgroupMatrixMultiplyAccumulate(a3, b3, acc3_3);

  // Epilogue: write this subgroup's accumulators to C.
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow) * params.ldc + blockCol + warpCol, acc0_0, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow) * params.ldc + blockCol + warpCol + MMA_N, acc0_1, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow) * params.ldc + blockCol + warpCol + 2 * MMA_N, acc0_2, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow) * params.ldc + blockCol + warpCol + 3 * MMA_N, acc0_3, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + MMA_M) * params.ldc + blockCol + warpCol, acc1_0, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + MMA_M) * params.ldc + blockCol + warpCol + MMA_N, acc1_1, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + MMA_M) * params.ldc + blockCol + warpCol + 2 * MMA_N, acc1_2, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + MMA_M) * params.ldc + blockCol + warpCol + 3 * MMA_N, acc1_3, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 2 * MMA_M) * params.ldc + blockCol + warpCol, acc2_0, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 2 * MMA_M) * params.ldc + blockCol + warpCol + MMA_N, acc2_1, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 2 * MMA_M) * params.ldc + blockCol + warpCol + 2 * MMA_N, acc2_2, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 2 * MMA_M) * params.ldc + blockCol + warpCol + 3 * MMA_N, acc2_3, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 3 * MMA_M) * params.ldc + blockCol + warpCol, acc3_0, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 3 * MMA_M) * params.ldc + blockCol + warpCol + MMA_N, acc3_1, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 3 * MMA_M) * params.ldc + blockCol + warpCol + 2 * MMA_N, acc3_2, params.ldc);
  subgroupMatrixStore<row_major>(&C, (blockRow + warpRow + 3 * MMA_M) * params.ldc + blockCol + warpCol + 3 * MMA_N, acc3_3, params.ldc);
}

// Spec key: gemm-f16f16f16f16-mma-1024x1024x1024-rrr-128x128x16-w64x64-v8-pad8x8
// @gemm {"entry":"gemm_mma","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f16","layout":"row"},"accumulator":"f16"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":16},"warp":{"m":64,"n":64},"vector":8,"padding":{"a":8,"b":8},"mma":{"m":16,"n":16,"k":16}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[128],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=e82582bcabca021df0beabb5a8d8f6d7599beb9e7413cefc72792c43c9049546
