// pipelined GEMM, f32: C = alpha * A * B + C
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - Software pipelining: the next 8-deep tiles of A and B are prefetched into registers while the
//   current tiles are multiplied. They are then stored to the other shared-memory stage (double
//   buffering, 2 stages).
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - A is loaded one element at a time, since lda = 8195 is not a multiple of 2.
// - Split-K: K is partitioned into 8 slices of 1,032, computed by separate thread blocks (288
//   instead of 36).
// - Partial results go to a workspace; gemm_pipelined_reduce reduces them.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 4 for N, ldb and strideB.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k within a K slice, then adds the slices in ascending order.
//
// Launches, in order:
//   gemm_pipelined: dispatchWorkgroups((N + 127) / 128, (M + 127) / 128, 8 * batch), workgroup size (256), 16,384 B of shared memory.
//   gemm_pipelined_reduce: dispatchWorkgroups((N + 31) / 32, (M + 7) / 8, batch), workgroup size (32, 8).
// For 500 x 260 x 8195, batch 3: workgroups 3 x 4 x 24, then 9 x 63 x 3.
// Workspace: 12,480,000 B for partial results; it need not be initialized.
// Bindings of group 0:
//   gemm_pipelined: 0 A, 1 B, 2 workspace, 3 Params.
//   gemm_pipelined_reduce: 0 workspace, 1 C, 2 ReduceParams.

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 8u;         // K extent of the shared-memory tiles
const WM = 64u;        // rows of C per warp
const WN = 32u;        // columns of C per warp
const VEC = 4u;        // elements per vectorized access
const LANES_M = 8u;    // lanes per warp along M
const LANES_N = 4u;    // lanes per warp along N
const LOADS_A = 1u;    // blocks of 4 x 1 elements that a thread loads per A tile
const LOADS_B = 1u;    // vectors of 4 elements that a thread loads per B tile
const STAGES = 2u;     // pipeline stages (pairs of A and B tiles in shared memory)
const THREADS = 256u;  // threads per block
const SPLIT_K = 8u;    // split-K slices

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  strideA: u32,
  strideB: u32,
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> workspace: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<array<vec4<f32>, BM / 4>, BK>, STAGES>;
var<workgroup> Bs: array<array<array<vec4<f32>, BN / 4>, BK>, STAGES>;

@compute @workgroup_size(THREADS)
fn gemm_pipelined(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  // block.z selects the batch entry and the split-K slice.
  let offsetA = block.z / SPLIT_K * params.strideA;
  let offsetB = block.z / SPLIT_K * params.strideB;
  let slice = block.z % SPLIT_K;
  let kSlice = (params.K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  let kBegin = min(slice * kSlice, params.K);
  let kEnd = min(kBegin + kSlice, params.K);

  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  let warp = thread.x / 32;
  let lane = thread.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
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
  var nextA0: f32;
  var nextA1: f32;
  var nextA2: f32;
  var nextA3: f32;
  var nextB: vec4<f32>;

  let tiles = (kEnd - kBegin + BK - 1) / BK;
  // Peel the K remainder first (zero-filled), so that the main loop multiplies only full tiles.
  let skip = tiles * BK - (kEnd - kBegin);

  // Rows and columns past the edge are clamped; their results are not stored.
  // Prologue: load the first tile.
  if (0 < tiles) {
    for (var i = 0u; i < LOADS_A; i++) {
      let e = i * THREADS + thread.x;
      let r = e / BK * VEC;
      let c = e % BK;
      if (skip <= c) {
        let v0 = A[offsetA + min(blockRow + r, params.M - 1) * params.lda + kBegin + c - skip];
        let v1 = A[offsetA + min(blockRow + r + 1, params.M - 1) * params.lda + kBegin + c - skip];
        let v2 = A[offsetA + min(blockRow + r + 2, params.M - 1) * params.lda + kBegin + c - skip];
        let v3 = A[offsetA + min(blockRow + r + 3, params.M - 1) * params.lda + kBegin + c - skip];
        As[0][c][r / 4] = vec4<f32>(v0, v1, v2, v3);
      } else {
        As[0][c][r / 4] = vec4<f32>(0.0);
      }
    }
    for (var i = 0u; i < LOADS_B; i++) {
      let e = i * THREADS + thread.x;
      let r = e / (BN / VEC);
      let c = e % (BN / VEC) * VEC;
      if (skip <= r) {
        Bs[0][r][c / 4] = B[(offsetB + (kBegin + r - skip) * params.ldb + min(blockCol + c, params.N - VEC)) / 4];
      } else {
        Bs[0][r][c / 4] = vec4<f32>(0.0);
      }
    }
  }
  workgroupBarrier();

  // Indices of this thread's loads of the next tile; they advance in every iteration.
  var fromA0 = offsetA + min(blockRow + rowA, params.M - 1) * params.lda + kA + kBegin + BK - skip;
  var fromA1 = offsetA + min(blockRow + rowA + 1, params.M - 1) * params.lda + kA + kBegin + BK - skip;
  var fromA2 = offsetA + min(blockRow + rowA + 2, params.M - 1) * params.lda + kA + kBegin + BK - skip;
  var fromA3 = offsetA + min(blockRow + rowA + 3, params.M - 1) * params.lda + kA + kBegin + BK - skip;
  var fromB = (offsetB + (kB + kBegin + BK - skip) * params.ldb + min(blockCol + colB, params.N - VEC)) / 4;
  for (var t = 1u; t < tiles; t++) {
    let stage = (t - 1) % STAGES;
    let into = t % STAGES;
    // Prefetch the next tile from global memory into registers.
    nextA0 = A[fromA0];
    nextA1 = A[fromA1];
    nextA2 = A[fromA2];
    nextA3 = A[fromA3];
    nextB = B[fromB];
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      a0 = As[stage][k][threadRow / 4];
      a1 = As[stage][k][threadRow / 4 + LANES_M];
      b0 = Bs[stage][k][threadCol / 4];
      b1 = Bs[stage][k][threadCol / 4 + 4];
      acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
      acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
      acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
      acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
      acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
      acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
      acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
      acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
      acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
      acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
      acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
      acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
      acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
      acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
      acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
      acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    }
    // Store the next tile from registers to the other stage.
    As[into][kA][rowA / 4] = vec4<f32>(nextA0, nextA1, nextA2, nextA3);
    Bs[into][kB][colB / 4] = nextB;
    // After this barrier the next tile is complete, and no thread reads the current tile any
    // longer.
    workgroupBarrier();
    fromA0 += BK;
    fromA1 += BK;
    fromA2 += BK;
    fromA3 += BK;
    fromB += BK * params.ldb / 4;
  }
  // Peeled last iteration: multiply the last tile without prefetching.
  if (0 < tiles) {
    for (var k = 0u; k < BK; k++) {
      a0 = As[(tiles - 1) % STAGES][k][threadRow / 4];
      a1 = As[(tiles - 1) % STAGES][k][threadRow / 4 + LANES_M];
      b0 = Bs[(tiles - 1) % STAGES][k][threadCol / 4];
      b1 = Bs[(tiles - 1) % STAGES][k][threadCol / 4 + 4];
      acc0_0 = fma(vec4<f32>(a0.x), b0, acc0_0);
      acc0_1 = fma(vec4<f32>(a0.x), b1, acc0_1);
      acc1_0 = fma(vec4<f32>(a0.y), b0, acc1_0);
      acc1_1 = fma(vec4<f32>(a0.y), b1, acc1_1);
      acc2_0 = fma(vec4<f32>(a0.z), b0, acc2_0);
      acc2_1 = fma(vec4<f32>(a0.z), b1, acc2_1);
      acc3_0 = fma(vec4<f32>(a0.w), b0, acc3_0);
      acc3_1 = fma(vec4<f32>(a0.w), b1, acc3_1);
      acc4_0 = fma(vec4<f32>(a1.x), b0, acc4_0);
      acc4_1 = fma(vec4<f32>(a1.x), b1, acc4_1);
      acc5_0 = fma(vec4<f32>(a1.y), b0, acc5_0);
      acc5_1 = fma(vec4<f32>(a1.y), b1, acc5_1);
      acc6_0 = fma(vec4<f32>(a1.z), b0, acc6_0);
      acc6_1 = fma(vec4<f32>(a1.z), b1, acc6_1);
      acc7_0 = fma(vec4<f32>(a1.w), b0, acc7_0);
      acc7_1 = fma(vec4<f32>(a1.w), b1, acc7_1);
    }
  }

  // Epilogue: write this thread's accumulators to the workspace, 4 elements per vectorized
  // store.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let r0 = row;
  if (r0 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r0) * params.N + col) / 4] = acc0_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r0) * params.N + col) / 4 + 4] = acc0_1;
    }
  }
  let r1 = row + 1;
  if (r1 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r1) * params.N + col) / 4] = acc1_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r1) * params.N + col) / 4 + 4] = acc1_1;
    }
  }
  let r2 = row + 2;
  if (r2 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r2) * params.N + col) / 4] = acc2_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r2) * params.N + col) / 4 + 4] = acc2_1;
    }
  }
  let r3 = row + 3;
  if (r3 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r3) * params.N + col) / 4] = acc3_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r3) * params.N + col) / 4 + 4] = acc3_1;
    }
  }
  let r4 = row + VEC * LANES_M;
  if (r4 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r4) * params.N + col) / 4] = acc4_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r4) * params.N + col) / 4 + 4] = acc4_1;
    }
  }
  let r5 = row + VEC * LANES_M + 1;
  if (r5 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r5) * params.N + col) / 4] = acc5_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r5) * params.N + col) / 4 + 4] = acc5_1;
    }
  }
  let r6 = row + VEC * LANES_M + 2;
  if (r6 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r6) * params.N + col) / 4] = acc6_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r6) * params.N + col) / 4 + 4] = acc6_1;
    }
  }
  let r7 = row + VEC * LANES_M + 3;
  if (r7 < params.M) {
    if (col < params.N) {
      workspace[((block.z * params.M + r7) * params.N + col) / 4] = acc7_0;
    }
    if (col + 4 * LANES_N < params.N) {
      workspace[((block.z * params.M + r7) * params.N + col) / 4 + 4] = acc7_1;
    }
  }
}

const RM = 8u;   // rows of C per block of the reduction kernel
const RN = 32u;  // columns of C per block of the reduction kernel

struct ReduceParams {
  M: u32,
  N: u32,
  ldc: u32,
  strideC: u32,
  alpha: f32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> C: array<f32>;
@group(0) @binding(2) var<uniform> reduceParams: ReduceParams;

@compute @workgroup_size(RN, RM)
fn gemm_pipelined_reduce(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let offsetC = block.z * reduceParams.strideC;
  let row = block.y * RM + thread.y;
  let col = block.x * RN + thread.x;
  if (row < reduceParams.M && col < reduceParams.N) {
    var acc: f32;
    for (var s = 0u; s < SPLIT_K; s++) {
      acc += partials[((block.z * SPLIT_K + s) * reduceParams.M + row) * reduceParams.N + col];
    }
    C[offsetC + row * reduceParams.ldc + col] = reduceParams.alpha * acc + C[offsetC + row * reduceParams.ldc + col];
  }
}

// Spec key: gemm-f32-pipelined-500x260x8195-rrr-128x128x8-w64x32-8x8-v4-s2-1e14fdb8
// @gemm {"entry":"gemm_pipelined","version":1,"problem":{"m":500,"n":260,"k":8195,"batch":3,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":1},"schedule":{"algorithm":"pipelined","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"stages":2,"splitK":8,"splitKReduction":"two-pass"},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)",24],"block":[256],"args":["a","b","workspace",["m","n","k","lda","ldb","strideA","strideB"]],"after":[{"entry":"gemm_pipelined_reduce","grid":["ceil(n / 32)","ceil(m / 8)",3],"block":[32,8],"args":["workspace","c",["m","n","ldc","strideC","alpha"]]}],"workspaceBytes":12480000}
// @gemm-generated v1 sha256=451424554df11d3451eb7133fd07fabb1866c944aae5c2959e7c5d0927402241
