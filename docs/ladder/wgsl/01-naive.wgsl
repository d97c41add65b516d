// naive GEMM, f32: C = A * B
//
// Each thread computes one element of C from global memory; threadIdx.x walks rows, so a warp touches
// A and C a leading dimension apart: uncoalesced.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 32, N a multiple of 32: accesses along them are not guarded.
//
// Launch for 4096 x 4096 x 4096: grid 128 x 128, block 32 x 32, no shared memory.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.
//
// @gemm {"version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"naive","block":{"m":32,"n":32}},"device":"h200","targets":["wgsl"],"webgpuLimits":{"invocations":1024,"workgroupStorageBytes":16384},"grid":["ceil(m / 32)","ceil(n / 32)"],"block":[32,32],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=63bb3070ac86d5ed2703c25e853091b74e2841799cea03f725b3ea7ff37fce3d

const BM = 32u;  // rows of C a block computes, one a thread
const BN = 32u;  // columns of C a block computes, one a thread

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

@compute @workgroup_size(BM, BN)
fn gemm_naive(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let row = block.x * BM + thread.x;
  let col = block.y * BN + thread.y;

  var acc: f32;
  for (var k = 0u; k < params.K; k++) {
    acc = fma(A[row * params.lda + k], B[k * params.ldb + col], acc);
  }
  C[row * params.ldc + col] = acc;
}
