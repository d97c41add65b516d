// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C, directly from global memory. Consecutive threads compute
// consecutive columns of C, so consecutive lanes access consecutive elements of B and C
// (coalesced). All lanes in the same row of C read the same element of A (broadcast).
// - block.x selects the row of tiles, so consecutive thread blocks share columns of B.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 8 == 0, N % 32 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, warp = 32 consecutive invocations, lane = invocation of a
// warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(M / 8, N / 32), workgroup size (256), no shared memory.
// For 1024 x 1024 x 1024: 128 x 32 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 8u;         // rows of C per thread block, one per thread
const BN = 32u;        // columns of C per thread block, one per thread
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

@compute @workgroup_size(THREADS)
fn gemm_coalesced(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let row = block.x * BM + thread.x / BN;
  let col = block.y * BN + thread.x % BN;

  var acc: f32;
  for (var k = 0u; k < params.K; k++) {
    acc = fma(A[row * params.lda + k], B[k * params.ldb + col], acc);
  }
  C[row * params.ldc + col] = acc;
}

// Spec key: gemm-f32-coalesced-remap-1024x1024x1024-rrr-8x32-col1
// @gemm {"entry":"gemm_coalesced","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":8,"n":32},"variant":"remap","raster":{"order":"col"}},"device":"h200","targets":["wgsl"],"grid":["ceil(m / 8)","ceil(n / 32)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=465642f988cbd6048128d1773d2b3a360d99bf8699712d083c28ff1880a12930
