// warp-tile GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 128 x 128 tile of C: 64 x 32 per warp and 8 x 8 accumulators per
// thread.
// - The main loop stages 8-deep tiles of A and B in shared memory with vectorized loads.
// - A is transposed on the way to shared memory, so that threads read fragments as vectors.
// - Rasterization in groups of 8 tile rows: concurrent thread blocks reuse tiles of A and B from
//   the L2 cache.
// - A is loaded one element at a time, since lda = 1030 is not a multiple of 4.
// - B is loaded 2 elements at a time, since ldb = 1022 is not a multiple of 4.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N,
// column-major (M contiguous).
// M, N and K need not be multiples of the tile sizes: loads past the last row or column are clamped
// to it, and stores are bounds-checked.
// Vectorized accesses require multiples of 4 for M and ldc; multiples of 2 for N and ldb.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups((N + 127) / 128, (M + 127) / 128), workgroup size (256), 8,320 B of shared memory.
// For 1000 x 1022 x 1030: 8 x 8 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 8u;         // K extent of the shared-memory tiles
const WM = 64u;        // rows of C per warp
const WN = 32u;        // columns of C per warp
const VEC = 4u;        // elements per vectorized access
const LANES_M = 8u;    // lanes per warp along M
const LANES_N = 4u;    // lanes per warp along N
const LOADS_A = 1u;    // blocks of 4 x 1 elements that a thread loads per A tile
const LOADS_B = 1u;    // groups of 2 vectors of 2 elements that a thread loads per B tile
const RASTER = 8u;     // tile rows per raster group (L2 reuse)
const PAD_A = 4u;      // row padding of As in elements (avoids bank conflicts)
const THREADS = 256u;  // threads per block

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

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<vec4<f32>, (BM + PAD_A) / 4>, BK>;
var<workgroup> Bs: array<array<vec4<f32>, BN / 4>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_warp_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  // Rasterization in groups of RASTER tile rows (L2 reuse); the last group may be smaller.
  let tilesM = (params.M + BM - 1) / BM;
  let tilesN = (params.N + BN - 1) / BN;
  let linearTile = block.y * tilesN + block.x;
  let firstTileRow = linearTile / (RASTER * tilesN) * RASTER;
  let groupRows = min(tilesM - firstTileRow, RASTER);
  let blockRow = (firstTileRow + linearTile % (RASTER * tilesN) % groupRows) * BM;
  let blockCol = linearTile % (RASTER * tilesN) / groupRows * BN;
  let warp = thread.x / 32;
  let lane = thread.x % 32;
  // Each thread owns 2 groups of 4 rows (stride 32) and 2 groups of 4 columns (stride 16).
  let threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC;
  let threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC;

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

  // Rows and columns past the edge are clamped; their results are not stored.
  let kTail = params.K / BK * BK;
  for (var k0 = 0u; k0 < kTail; k0 += BK) {
    // Load the A tile into shared memory, transposed in blocks of 4 x 1 elements.
    for (var i = 0u; i < LOADS_A; i++) {
      let e = i * THREADS + thread.x;
      let r = e / BK * VEC;
      let c = e % BK;
      let v0 = A[min(blockRow + r, params.M - 1) * params.lda + k0 + c];
      let v1 = A[min(blockRow + r + 1, params.M - 1) * params.lda + k0 + c];
      let v2 = A[min(blockRow + r + 2, params.M - 1) * params.lda + k0 + c];
      let v3 = A[min(blockRow + r + 3, params.M - 1) * params.lda + k0 + c];
      As[c][r / 4] = vec4<f32>(v0, v1, v2, v3);
    }
    // Load the B tile into shared memory.
    for (var i = 0u; i < LOADS_B; i++) {
      let e = i * THREADS + thread.x;
      let r = e / (BN / VEC);
      let c = e % (BN / VEC) * VEC;
      let v0 = B[((k0 + r) * params.ldb + min(blockCol + c, params.N - 2)) / 2];
      let v1 = B[((k0 + r) * params.ldb + min(blockCol + c + 2, params.N - 2)) / 2];
      Bs[r][c / 4] = vec4<f32>(v0.x, v0.y, v1.x, v1.y);
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      a0 = As[k][threadRow / 4];
      a1 = As[k][threadRow / 4 + LANES_M];
      b0 = Bs[k][threadCol / 4];
      b1 = Bs[k][threadCol / 4 + 4];
      acc0_0 = fma(a0, vec4<f32>(b0.x), acc0_0);
      acc0_1 = fma(a1, vec4<f32>(b0.x), acc0_1);
      acc1_0 = fma(a0, vec4<f32>(b0.y), acc1_0);
      acc1_1 = fma(a1, vec4<f32>(b0.y), acc1_1);
      acc2_0 = fma(a0, vec4<f32>(b0.z), acc2_0);
      acc2_1 = fma(a1, vec4<f32>(b0.z), acc2_1);
      acc3_0 = fma(a0, vec4<f32>(b0.w), acc3_0);
      acc3_1 = fma(a1, vec4<f32>(b0.w), acc3_1);
      acc4_0 = fma(a0, vec4<f32>(b1.x), acc4_0);
      acc4_1 = fma(a1, vec4<f32>(b1.x), acc4_1);
      acc5_0 = fma(a0, vec4<f32>(b1.y), acc5_0);
      acc5_1 = fma(a1, vec4<f32>(b1.y), acc5_1);
      acc6_0 = fma(a0, vec4<f32>(b1.z), acc6_0);
      acc6_1 = fma(a1, vec4<f32>(b1.z), acc6_1);
      acc7_0 = fma(a0, vec4<f32>(b1.w), acc7_0);
      acc7_1 = fma(a1, vec4<f32>(b1.w), acc7_1);
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }
  // K remainder: the last, partial tile.
  if (kTail < params.K) {
    // Load the A tile into shared memory, transposed in blocks of 4 x 1 elements.
    for (var i = 0u; i < LOADS_A; i++) {
      let e = i * THREADS + thread.x;
      let r = e / BK * VEC;
      let c = e % BK;
      if (kTail + c < params.K) {
        let v0 = A[min(blockRow + r, params.M - 1) * params.lda + kTail + c];
        let v1 = A[min(blockRow + r + 1, params.M - 1) * params.lda + kTail + c];
        let v2 = A[min(blockRow + r + 2, params.M - 1) * params.lda + kTail + c];
        let v3 = A[min(blockRow + r + 3, params.M - 1) * params.lda + kTail + c];
        As[c][r / 4] = vec4<f32>(v0, v1, v2, v3);
      }
    }
    // Load the B tile into shared memory.
    for (var i = 0u; i < LOADS_B; i++) {
      let e = i * THREADS + thread.x;
      let r = e / (BN / VEC);
      let c = e % (BN / VEC) * VEC;
      if (kTail + r < params.K) {
        let v0 = B[((kTail + r) * params.ldb + min(blockCol + c, params.N - 2)) / 2];
        let v1 = B[((kTail + r) * params.ldb + min(blockCol + c + 2, params.N - 2)) / 2];
        Bs[r][c / 4] = vec4<f32>(v0.x, v0.y, v1.x, v1.y);
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < params.K - kTail; k++) {
      a0 = As[k][threadRow / 4];
      a1 = As[k][threadRow / 4 + LANES_M];
      b0 = Bs[k][threadCol / 4];
      b1 = Bs[k][threadCol / 4 + 4];
      acc0_0 = fma(a0, vec4<f32>(b0.x), acc0_0);
      acc0_1 = fma(a1, vec4<f32>(b0.x), acc0_1);
      acc1_0 = fma(a0, vec4<f32>(b0.y), acc1_0);
      acc1_1 = fma(a1, vec4<f32>(b0.y), acc1_1);
      acc2_0 = fma(a0, vec4<f32>(b0.z), acc2_0);
      acc2_1 = fma(a1, vec4<f32>(b0.z), acc2_1);
      acc3_0 = fma(a0, vec4<f32>(b0.w), acc3_0);
      acc3_1 = fma(a1, vec4<f32>(b0.w), acc3_1);
      acc4_0 = fma(a0, vec4<f32>(b1.x), acc4_0);
      acc4_1 = fma(a1, vec4<f32>(b1.x), acc4_1);
      acc5_0 = fma(a0, vec4<f32>(b1.y), acc5_0);
      acc5_1 = fma(a1, vec4<f32>(b1.y), acc5_1);
      acc6_0 = fma(a0, vec4<f32>(b1.z), acc6_0);
      acc6_1 = fma(a1, vec4<f32>(b1.z), acc6_1);
      acc7_0 = fma(a0, vec4<f32>(b1.w), acc7_0);
      acc7_1 = fma(a1, vec4<f32>(b1.w), acc7_1);
    }
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let c0 = col;
  if (c0 < params.N) {
    if (row < params.M) {
      C[(c0 * params.ldc + row) / 4] = params.alpha * acc0_0 + params.beta * C[(c0 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c0 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc0_1 + params.beta * C[(c0 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c1 = col + 1;
  if (c1 < params.N) {
    if (row < params.M) {
      C[(c1 * params.ldc + row) / 4] = params.alpha * acc1_0 + params.beta * C[(c1 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c1 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc1_1 + params.beta * C[(c1 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c2 = col + 2;
  if (c2 < params.N) {
    if (row < params.M) {
      C[(c2 * params.ldc + row) / 4] = params.alpha * acc2_0 + params.beta * C[(c2 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c2 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc2_1 + params.beta * C[(c2 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c3 = col + 3;
  if (c3 < params.N) {
    if (row < params.M) {
      C[(c3 * params.ldc + row) / 4] = params.alpha * acc3_0 + params.beta * C[(c3 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c3 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc3_1 + params.beta * C[(c3 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c4 = col + VEC * LANES_N;
  if (c4 < params.N) {
    if (row < params.M) {
      C[(c4 * params.ldc + row) / 4] = params.alpha * acc4_0 + params.beta * C[(c4 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c4 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc4_1 + params.beta * C[(c4 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c5 = col + VEC * LANES_N + 1;
  if (c5 < params.N) {
    if (row < params.M) {
      C[(c5 * params.ldc + row) / 4] = params.alpha * acc5_0 + params.beta * C[(c5 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c5 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc5_1 + params.beta * C[(c5 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c6 = col + VEC * LANES_N + 2;
  if (c6 < params.N) {
    if (row < params.M) {
      C[(c6 * params.ldc + row) / 4] = params.alpha * acc6_0 + params.beta * C[(c6 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c6 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc6_1 + params.beta * C[(c6 * params.ldc + row) / 4 + LANES_M];
    }
  }
  let c7 = col + VEC * LANES_N + 3;
  if (c7 < params.N) {
    if (row < params.M) {
      C[(c7 * params.ldc + row) / 4] = params.alpha * acc7_0 + params.beta * C[(c7 * params.ldc + row) / 4];
    }
    if (row + 4 * LANES_M < params.M) {
      C[(c7 * params.ldc + row) / 4 + LANES_M] = params.alpha * acc7_1 + params.beta * C[(c7 * params.ldc + row) / 4 + LANES_M];
    }
  }
}

// Spec key: gemm-f32-warp-tile-1000x1022x1030-rrc-128x128x8-w64x32-8x8-v4-e8cfbb9e
// @gemm {"entry":"gemm_warp_tile","version":1,"problem":{"m":1000,"n":1022,"k":1030,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"warp-tile","block":{"m":128,"n":128,"k":8},"warp":{"m":64,"n":32},"thread":{"m":8,"n":8},"vector":4,"padding":{"a":4},"raster":{"group":8}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc","alpha","beta"]]}
// @gemm-generated v1 sha256=b077216151ff8c477541c815033de5f9ec8f77fe5a0f4e3087b3b16f8cc5d8ca
