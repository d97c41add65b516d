// thread-tile-2d GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 128 x 128 tile of C, with 8 x 8 accumulators per thread in
// registers. The main loop stages 8-deep tiles of A and B in shared memory. Register reuse: 16
// loads from shared memory feed 64 FMAs.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// row-major (N contiguous).
// M, N and K need not be multiples of the tile sizes: accesses to boundary tiles are
// bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups((N + 127) / 128, (M + 127) / 128), workgroup size (256), 8,736 B of shared memory.
// For 1000 x 500 x 300: 4 x 8 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 8u;         // K extent of the shared-memory tiles
const TM = 8u;         // rows of C per thread
const TN = 8u;         // columns of C per thread
const PAD_A = 1u;      // row padding of As in elements (avoids bank conflicts)
const PAD_B = 1u;      // row padding of Bs in elements (avoids bank conflicts)
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
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<f32, BM + PAD_A>, BK>;
var<workgroup> Bs: array<array<f32, BK + PAD_B>, BN>;

@compute @workgroup_size(THREADS)
fn gemm_thread_tile_2d(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // Row and column of the first element of this thread's TM x TN tile of accumulators.
  let threadRow = thread.x / (BN / TN) * TM;
  let threadCol = thread.x % (BN / TN) * TN;

  var acc: array<array<f32, TN>, TM>;
  var a: array<f32, TM>;
  var b: array<f32, TN>;

  let kTail = params.K / BK * BK;
  for (var k0 = 0u; k0 < kTail; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads load consecutive elements.
    // Elements outside the matrices are zero.
    for (var i = 0u; i < BK * BM; i += THREADS) {
      let r = (i + thread.x) % BM;
      let c = (i + thread.x) / BM;
      if (blockRow + r < params.M) {
        As[c][r] = A[(k0 + c) * params.lda + blockRow + r];
      } else {
        As[c][r] = 0.0;
      }
    }
    for (var i = 0u; i < BN * BK; i += THREADS) {
      let r = (i + thread.x) % BK;
      let c = (i + thread.x) / BK;
      if (blockCol + c < params.N) {
        Bs[c][r] = B[(blockCol + c) * params.ldb + k0 + r];
      } else {
        Bs[c][r] = 0.0;
      }
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      for (var m = 0u; m < TM; m++) {
        a[m] = As[k][threadRow + m];
      }
      for (var n = 0u; n < TN; n++) {
        b[n] = Bs[threadCol + n][k];
      }
      for (var m = 0u; m < TM; m++) {
        for (var n = 0u; n < TN; n++) {
          acc[m][n] = fma(a[m], b[n], acc[m][n]);
        }
      }
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }
  // K remainder: the last, partial tile.
  if (kTail < params.K) {
    // Load the A and B tiles into shared memory; consecutive threads load consecutive elements.
    // Elements outside the matrices are zero.
    for (var i = 0u; i < BK * BM; i += THREADS) {
      let r = (i + thread.x) % BM;
      let c = (i + thread.x) / BM;
      if (kTail + c < params.K) {
        if (blockRow + r < params.M) {
          As[c][r] = A[(kTail + c) * params.lda + blockRow + r];
        } else {
          As[c][r] = 0.0;
        }
      }
    }
    for (var i = 0u; i < BN * BK; i += THREADS) {
      let r = (i + thread.x) % BK;
      let c = (i + thread.x) / BK;
      if (kTail + r < params.K) {
        if (blockCol + c < params.N) {
          Bs[c][r] = B[(blockCol + c) * params.ldb + kTail + r];
        } else {
          Bs[c][r] = 0.0;
        }
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < params.K - kTail; k++) {
      for (var m = 0u; m < TM; m++) {
        a[m] = As[k][threadRow + m];
      }
      for (var n = 0u; n < TN; n++) {
        b[n] = Bs[threadCol + n][k];
      }
      for (var m = 0u; m < TM; m++) {
        for (var n = 0u; n < TN; n++) {
          acc[m][n] = fma(a[m], b[n], acc[m][n]);
        }
      }
    }
  }

  // Epilogue: write this thread's accumulators to C.
  for (var m = 0u; m < TM; m++) {
    let row = blockRow + threadRow + m;
    for (var n = 0u; n < TN; n++) {
      let col = blockCol + threadCol + n;
      if (row < params.M && col < params.N) {
        C[row * params.ldc + col] = params.alpha * acc[m][n] + params.beta * C[row * params.ldc + col];
      }
    }
  }
}

// Spec key: gemm-f32-thread-tile-2d-1000x500x300-ccr-128x128x8-8x8-pad1x1-9bb3b872
// @gemm {"entry":"gemm_thread_tile_2d","version":1,"problem":{"m":1000,"n":500,"k":300,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1,"b":1},"minBlocksPerSm":2},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc","alpha","beta"]]}
// @gemm-generated v1 sha256=4f9d5b5dcb0e96dfdd7360ae11d69f36cecfc6dc266b4c7f61f2210344d6705e
