// shared-tile GEMM, s32: C = A * B
//
// Each thread block computes a 16 x 16 tile of C, one element per thread. The main loop stages
// 16-deep tiles of A and B in shared memory: each element is loaded from global memory once per
// block and read by all threads of a row or column.
// - thread.x selects the row of C.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// M, N and K need not be multiples of the tile sizes: accesses to boundary tiles are
// bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups((M + 15) / 16, (N + 15) / 16), workgroup size (16, 16), 2,048 B of shared memory.
// For 1000 x 1000 x 1000: 63 x 63 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 16u;  // rows of C per thread block
const BN = 16u;  // columns of C per thread block
const BK = 16u;  // K extent of the shared-memory tiles

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<i32>;
@group(0) @binding(1) var<storage, read> B: array<i32>;
@group(0) @binding(2) var<storage, read_write> C: array<i32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> As: array<array<i32, BK>, BM>;
var<workgroup> Bs: array<array<i32, BN>, BK>;

@compute @workgroup_size(BM, BN)
fn gemm_shared_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let threadRow = thread.x;
  let threadCol = thread.y;
  let blockRow = block.x * BM;
  let blockCol = block.y * BN;
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;

  var acc: i32;
  let kTail = params.K / BK * BK;
  for (var k0 = 0u; k0 < kTail; k0 += BK) {
    // Load the A and B tiles into shared memory; consecutive threads access consecutive rows.
    // Elements outside the matrices are zero.
    if (row < params.M) {
      As[threadRow][threadCol] = A[row * params.lda + k0 + threadCol];
    } else {
      As[threadRow][threadCol] = 0;
    }
    if (col < params.N) {
      Bs[threadRow][threadCol] = B[(k0 + threadRow) * params.ldb + col];
    } else {
      Bs[threadRow][threadCol] = 0;
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    for (var k = 0u; k < BK; k++) {
      acc += As[threadRow][k] * Bs[k][threadCol];
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }
  // K remainder: the last, partial tile.
  if (kTail < params.K) {
    // Load the A and B tiles into shared memory; consecutive threads access consecutive rows.
    // Elements outside the matrices are zero.
    if (kTail + threadCol < params.K) {
      if (row < params.M) {
        As[threadRow][threadCol] = A[row * params.lda + kTail + threadCol];
      } else {
        As[threadRow][threadCol] = 0;
      }
    }
    if (kTail + threadRow < params.K) {
      if (col < params.N) {
        Bs[threadRow][threadCol] = B[(kTail + threadRow) * params.ldb + col];
      } else {
        Bs[threadRow][threadCol] = 0;
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < params.K - kTail; k++) {
      acc += As[threadRow][k] * Bs[k][threadCol];
    }
  }

  if (row < params.M && col < params.N) {
    C[row * params.ldc + col] = acc;
  }
}

// Spec key: gemm-s32-shared-tile-transposed-1000x1000x1000-rrr-16x16x16
// @gemm {"entry":"gemm_shared_tile","version":1,"problem":{"m":1000,"n":1000,"k":1000,"a":{"dtype":"s32","layout":"row"},"b":{"dtype":"s32","layout":"row"},"c":{"dtype":"s32","layout":"row"},"accumulator":"s32"},"schedule":{"algorithm":"shared-tile","block":{"m":16,"n":16,"k":16},"variant":"transposed"},"device":"h200","targets":["wgsl"],"grid":["ceil(m / 16)","ceil(n / 16)"],"block":[16,16],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=14c1cb4f7c05c96679335ecb9a0763c00b8f30d3a832f7c0cb49fdaf3a4ce1a1
