// mma GEMM, f16 to f32, summed in f32: C = A * B
//
// Each block computes a 128 x 128 tile of C, a warp 64 x 64 of it in subgroup matrices of 16 x 16, and walks K in
// steps of 32 through shared memory: the next tile is loaded into registers while one is multiplied.
// Needs the experimental feature chromium-experimental-subgroup-matrix, and subgroups of 32 invocations.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 128, N a multiple of 128, K a multiple of 32: accesses along them are not guarded.
// Vector accesses need lda a multiple of 8, ldb a multiple of 8, ldc a multiple of 4, and matrices that begin at such multiples, as allocations do.
//
// Launch for 1024 x 1024 x 1024: grid 8 x 8, block 128, 18,944 B of shared memory.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.
//
// @gemm {"version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f16","layout":"row"},"b":{"dtype":"f16","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"mma","block":{"m":128,"n":128,"k":32},"warp":{"m":64,"n":64},"vector":8,"padding":{"a":8,"b":8},"mma":{"m":16,"n":16,"k":16}},"device":"h200","targets":["wgsl"],"webgpuLimits":{"invocations":256,"workgroupStorageBytes":32768},"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[128],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=e34fb3943b87ec435b9077c11fa1409288d1c320f42d78836eb373b3b9fb3481

enable f16;
enable subgroups;
enable chromium_experimental_subgroup_matrix;

const BM = 128u;       // rows of C a block computes
const BN = 128u;       // columns of C a block computes
const BK = 32u;        // depth of the tiles staged in shared memory
const WM = 64u;        // rows of C a warp computes
const WN = 64u;        // columns of C a warp computes
const MMA_M = 16u;     // rows of a matrix of C, and of A
const MMA_N = 16u;     // columns of a matrix of C, and of B
const MMA_K = 16u;     // depth of a multiply-accumulate
const LINES_A = 32u;   // rows of As that the threads store at a time
const LINES_B = 8u;    // rows of Bs that the threads store at a time
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
}

@group(0) @binding(0) var<storage, read> A: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
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
  // Where this thread's copies begin in a tile.
  let rowA = thread.x / (BK / 8);
  let depthA = thread.x % (BK / 8) * 8;
  let depthB = thread.x / (BN / 8);
  let colB = thread.x % (BN / 8) * 8;

  var acc0_0: Sum;
  var acc0_1: Sum;
  var acc0_2: Sum;
  var acc0_3: Sum;
  var acc1_0: Sum;
  var acc1_1: Sum;
  var acc1_2: Sum;
  var acc1_3: Sum;
  var acc2_0: Sum;
  var acc2_1: Sum;
  var acc2_2: Sum;
  var acc2_3: Sum;
  var acc3_0: Sum;
  var acc3_1: Sum;
  var acc3_2: Sum;
  var acc3_3: Sum;
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
  var nextA2: vec4<u32>;
  var nextA3: vec4<u32>;
  var nextB0: vec4<u32>;
  var nextB1: vec4<u32>;
  var nextB2: vec4<u32>;
  var nextB3: vec4<u32>;

  // The first tile.
  nextA0 = A[((blockRow + rowA) * params.lda + depthA) / 8];
  nextA1 = A[((blockRow + rowA + LINES_A) * params.lda + depthA) / 8];
  nextA2 = A[((blockRow + rowA + 2 * LINES_A) * params.lda + depthA) / 8];
  nextA3 = A[((blockRow + rowA + 3 * LINES_A) * params.lda + depthA) / 8];
  nextB0 = B[(depthB * params.ldb + blockCol + colB) / 8];
  nextB1 = B[((depthB + LINES_B) * params.ldb + blockCol + colB) / 8];
  nextB2 = B[((depthB + 2 * LINES_B) * params.ldb + blockCol + colB) / 8];
  nextB3 = B[((depthB + 3 * LINES_B) * params.ldb + blockCol + colB) / 8];
  As[(rowA * (BK + PAD_A) + depthA) / 8] = nextA0;
  As[((rowA + LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA1;
  As[((rowA + 2 * LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA2;
  As[((rowA + 3 * LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA3;
  Bs[(depthB * (BN + PAD_B) + colB) / 8] = nextB0;
  Bs[((depthB + LINES_B) * (BN + PAD_B) + colB) / 8] = nextB1;
  Bs[((depthB + 2 * LINES_B) * (BN + PAD_B) + colB) / 8] = nextB2;
  Bs[((depthB + 3 * LINES_B) * (BN + PAD_B) + colB) / 8] = nextB3;
  workgroupBarrier();
  for (var k0 = BK; k0 < params.K; k0 += BK) {
    // The next tile, from global memory into registers.
    nextA0 = A[((blockRow + rowA) * params.lda + k0 + depthA) / 8];
    nextA1 = A[((blockRow + rowA + LINES_A) * params.lda + k0 + depthA) / 8];
    nextA2 = A[((blockRow + rowA + 2 * LINES_A) * params.lda + k0 + depthA) / 8];
    nextA3 = A[((blockRow + rowA + 3 * LINES_A) * params.lda + k0 + depthA) / 8];
    nextB0 = B[((k0 + depthB) * params.ldb + blockCol + colB) / 8];
    nextB1 = B[((k0 + depthB + LINES_B) * params.ldb + blockCol + colB) / 8];
    nextB2 = B[((k0 + depthB + 2 * LINES_B) * params.ldb + blockCol + colB) / 8];
    nextB3 = B[((k0 + depthB + 3 * LINES_B) * params.ldb + blockCol + colB) / 8];
    // 16 depths: 4 + 4 matrices from shared memory, 16 products.
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
    a0 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
    a1 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
    a2 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + 2 * MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
    a3 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + 3 * MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
    b0 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol) / 8, (BN + PAD_B) / 8);
    b1 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + MMA_N) / 8, (BN + PAD_B) / 8);
    b2 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + 2 * MMA_N) / 8, (BN + PAD_B) / 8);
    b3 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + 3 * MMA_N) / 8, (BN + PAD_B) / 8);
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
    // Nobody reads this tile any more: the next one takes its place.
    As[(rowA * (BK + PAD_A) + depthA) / 8] = nextA0;
    As[((rowA + LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA1;
    As[((rowA + 2 * LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA2;
    As[((rowA + 3 * LINES_A) * (BK + PAD_A) + depthA) / 8] = nextA3;
    Bs[(depthB * (BN + PAD_B) + colB) / 8] = nextB0;
    Bs[((depthB + LINES_B) * (BN + PAD_B) + colB) / 8] = nextB1;
    Bs[((depthB + 2 * LINES_B) * (BN + PAD_B) + colB) / 8] = nextB2;
    Bs[((depthB + 3 * LINES_B) * (BN + PAD_B) + colB) / 8] = nextB3;
    workgroupBarrier();
  }

  // The last tile.
  // 16 depths: 4 + 4 matrices from shared memory, 16 products.
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
  a0 = subgroupMatrixLoad<Left, row_major>(&As, (warpRow * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
  a1 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
  a2 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + 2 * MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
  a3 = subgroupMatrixLoad<Left, row_major>(&As, ((warpRow + 3 * MMA_M) * (BK + PAD_A) + 16) / 8, (BK + PAD_A) / 8);
  b0 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol) / 8, (BN + PAD_B) / 8);
  b1 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + MMA_N) / 8, (BN + PAD_B) / 8);
  b2 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + 2 * MMA_N) / 8, (BN + PAD_B) / 8);
  b3 = subgroupMatrixLoad<Right, row_major>(&Bs, (16 * (BN + PAD_B) + warpCol + 3 * MMA_N) / 8, (BN + PAD_B) / 8);
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

  // Write this warp's results to C.
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
