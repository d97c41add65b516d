// shared-tile GEMM, f32: C = A * B
//
// Each thread block computes a 16 x 16 tile of C, one element per thread. The main loop stages
// 16-deep tiles of A and B in shared memory: each element is loaded from global memory once per
// block and read by all threads of a row or column.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 16 == 0, N % 16 == 0, K % 16 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 16, M / 16), workgroup size (256), 2,048 B of shared memory.
// For 1024 x 1024 x 1024: 64 x 64 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 16u;        // rows of C per thread block
const BN = 16u;        // columns of C per thread block
const BK = 16u;        // K extent of the shared-memory tiles
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

var<workgroup> As: array<array<f32, BK>, BM>;
var<workgroup> Bs: array<array<f32, BN>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_shared_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let threadRow = thread.x / BN;
  let threadCol = thread.x % BN;
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;

  var acc: f32;
  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads load consecutive elements.
    As[threadRow][threadCol] = A[row * params.lda + k0 + threadCol];
    Bs[threadRow][threadCol] = B[(k0 + threadRow) * params.ldb + col];
    // Wait until both tiles are complete.
    workgroupBarrier();
    for (var k = 0u; k < BK; k++) {
      acc = fma(As[threadRow][k], Bs[k][threadCol], acc);
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }

  C[row * params.ldc + col] = acc;
}

// Spec key: gemm-f32-shared-tile-1d-1024x1024x1024-rrr-16x16x16
// @gemm {"entry":"gemm_shared_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"shared-tile","block":{"m":16,"n":16,"k":16},"variant":"1d"},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=82f627b564ff59d1ac3ec8082c6aff16fdd1ec7f33877a6c7ff5206fb4758c68
