// thread-tile-1d GEMM, f32: C = A * B
//
// Each block computes a 64 x 64 tile of C, 8 x 1 results a thread in registers, and walks K
// in steps of 8 through shared memory: 8 multiply-adds for 9 loads.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 64, N a multiple of 64, K a multiple of 8: accesses along them are not guarded.
//
// Launch for 4096 x 4096 x 4096: grid 64 x 64, block 512, 4,096 B of shared memory.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"thread-tile-1d","block":{"m":64,"n":64,"k":8},"thread":{"m":8}},"device":"h200","targets":["wgsl"],"webgpuLimits":{"invocations":512,"workgroupStorageBytes":16384},"grid":["ceil(n / 64)","ceil(m / 64)"],"block":[512],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=83f7ff63a333b464a443859c250c50213033fdf6456628a6a447fe6f962d36e9

const BM = 64u;        // rows of C a block computes
const BN = 64u;        // columns of C a block computes
const BK = 8u;         // depth of the tiles staged in shared memory
const TM = 8u;         // rows of C a thread computes
const THREADS = 512u;  // threads a block

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
fn gemm_thread_tile_1d(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // The first of this thread's TM results, which are neighbours in a column.
  let threadRow = thread.x / BN * TM;
  let threadCol = thread.x % BN;

  var acc: array<f32, TM>;
  var a: array<f32, TM>;
  var b: f32;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Stage a tile of A and of B in shared memory.
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
    workgroupBarrier();
    // A step of k: 8 + 1 values from shared memory, 8 multiply-adds.
    for (var k = 0u; k < BK; k++) {
      for (var m = 0u; m < TM; m++) {
        a[m] = As[threadRow + m][k];
      }
      b = Bs[k][threadCol];
      for (var m = 0u; m < TM; m++) {
        acc[m] = fma(a[m], b, acc[m]);
      }
    }
    workgroupBarrier();
  }

  // Write this thread's results to C.
  for (var m = 0u; m < TM; m++) {
    let row = blockRow + threadRow + m;
    let col = blockCol + threadCol;
    C[row * params.ldc + col] = acc[m];
  }
}
