// coalesced GEMM, f32: C = A * B
//
// Each thread computes one element of C from global memory; threadIdx.x walks columns, so a warp touches
// neighbouring elements of B and C: coalesced.
// blockIdx.x selects the row of tiles, so consecutive blocks share columns of B.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major (N contiguous).
// Needs M a multiple of 8, N a multiple of 32: accesses along them are not guarded.
//
// Launch for 1024 x 1024 x 1024: grid 128 x 32, block 256, no shared memory.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.
//
// @gemm {"version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"coalesced","block":{"m":8,"n":32},"variant":"remap","raster":{"order":"col"}},"device":"h200","targets":["wgsl"],"grid":["ceil(m / 8)","ceil(n / 32)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=4c8760b0c704336848d50391925bc68232f943663defb5f305e1be5a18dade36

const BM = 8u;         // rows of C a block computes, one a thread
const BN = 32u;        // columns of C a block computes, one a thread
const THREADS = 256u;  // threads a block

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
