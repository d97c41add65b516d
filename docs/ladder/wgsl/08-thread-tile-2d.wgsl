// thread-tile-2d GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C, with 8 x 8 accumulators per thread in
// registers. The main loop stages 8-deep tiles of A and B in shared memory. Register reuse: 16
// loads from shared memory feed 64 FMAs.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 128, M / 128), workgroup size (256), 8,704 B of shared memory.
// For 4096 x 4096 x 4096: 32 x 32 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 8u;         // K extent of the shared-memory tiles
const TM = 8u;         // rows of C per thread
const TN = 8u;         // columns of C per thread
const PAD_A = 1u;      // row padding of As in elements (avoids bank conflicts)
const THREADS = 256u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<f32, BK + PAD_A>, BM>;
var<workgroup> Bs: array<array<f32, BN>, BK>;

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

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads load consecutive elements.
    for (var i = 0u; i < BM * BK; i += THREADS) {
      let r = (i + thread.x) / BK;
      let c = (i + thread.x) % BK;
      As[r][c] = A[(blockRow + r) * params.lda + k0 + c];
    }
    for (var i = 0u; i < BK * BN; i += THREADS) {
      let r = (i + thread.x) / BN;
      let c = (i + thread.x) % BN;
      Bs[r][c] = B[(k0 + r) * params.ldb + blockCol + c];
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      for (var m = 0u; m < TM; m++) {
        a[m] = As[threadRow + m][k];
      }
      for (var n = 0u; n < TN; n++) {
        b[n] = Bs[k][threadCol + n];
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

  // Epilogue: write this thread's accumulators to C.
  for (var m = 0u; m < TM; m++) {
    let row = blockRow + threadRow + m;
    for (var n = 0u; n < TN; n++) {
      let col = blockCol + threadCol + n;
      C[row * params.ldc + col] = acc[m][n];
    }
  }
}

// Spec key: gemm-f32-thread-tile-2d-4096x4096x4096-rrr-128x128x8-8x8-pad1x0
// @gemm {"entry":"gemm_thread_tile_2d","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"thread-tile-2d","block":{"m":128,"n":128,"k":8},"thread":{"m":8,"n":8},"padding":{"a":1}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=54d3483a23af325aadb186cb9f10e65cfe8e0d8d41e94eb391dd33f79de4e0df
