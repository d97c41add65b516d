// shared-tile GEMM, f32: C = A * B
//
// Each thread block computes a 32 x 32 tile of C, one element per thread. The main loop stages
// 32-deep tiles of A and B in shared memory: each element is loaded from global memory once per
// block and read by all threads of a row or column.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 32 == 0, N % 32 == 0, K % 32 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 32, M / 32), workgroup size (32, 32), 8,192 B of shared memory.
// For 4096 x 4096 x 4096: 128 x 128 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 32u;  // rows of C per thread block
const BN = 32u;  // columns of C per thread block
const BK = 32u;  // K extent of the shared-memory tiles

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

@compute @workgroup_size(BN, BM)
fn gemm_shared_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let threadRow = thread.y;
  let threadCol = thread.x;
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

// Spec key: gemm-f32-shared-tile-2d-4096x4096x4096-rrr-32x32x32-limits1024x16384
// @gemm {"entry":"gemm_shared_tile","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"shared-tile","block":{"m":32,"n":32,"k":32},"variant":"2d"},"device":"h200","targets":["wgsl"],"webgpuLimits":{"invocations":1024,"workgroupStorageBytes":16384},"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[32,32],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=412af9e47e4ffe9f5d37aa10affca5f4e8d5d218050aead4fedb17e611dee1ea
