// naive GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. thread.x selects the row of
// C, so consecutive lanes access elements of A and C with strides of lda and ldc (uncoalesced). All
// lanes with the same thread.y read the same element of B (broadcast).
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 16 == 0, N % 16 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, warp = 32 consecutive invocations, lane = invocation of a
// warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(M / 16, N / 16), workgroup size (16, 16), no shared memory.
// For 1024 x 1024 x 1024: 64 x 64 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 16u;  // rows of C per thread block, one per thread
const BN = 16u;  // columns of C per thread block, one per thread

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

// Spec key: gemm-f32-naive-1024x1024x1024-rrr-16x16
// @gemm {"entry":"gemm_naive","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"naive","block":{"m":16,"n":16}},"device":"h200","targets":["wgsl"],"grid":["ceil(m / 16)","ceil(n / 16)"],"block":[16,16],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=cf9539cd4fc49453a0b532eb0159af5214f997b7874580c1adb8433391360243
