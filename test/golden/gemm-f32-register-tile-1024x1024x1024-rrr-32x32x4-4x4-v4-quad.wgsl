// register-tile GEMM, f32: C = A * B
//
// Each thread block computes a 32 x 32 tile of C, with 4 x 4 accumulators per thread in registers.
// Threads read A and B through the caches: no shared memory and no barriers. The loop over k is
// unrolled by 4.
// - The four lanes of a quad compute the same rows: each lane loads every fourth k of A and
//   broadcasts the values to the quad.
// - Requires the feature subgroups, and quads of four consecutive invocations, which WGSL does not
//   guarantee.
// - A is loaded one element at a time, each by one lane of the quad.
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 32 == 0, N % 32 == 0, K % 4 == 0: these dimensions are not bounds-checked.
// Vectorized accesses require multiples of 4 for ldb and ldc.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 32, M / 32), workgroup size (64), no shared memory.
// For 1024 x 1024 x 1024: 32 x 32 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

enable subgroups;

const BM = 32u;       // rows of C per thread block
const BN = 32u;       // columns of C per thread block
const BK = 4u;        // k values per iteration of the main loop
const VEC = 4u;       // elements per vectorized access
const LANES_M = 8u;   // threads per block along M
const LANES_N = 8u;   // threads per block along N
const QUAD = 4u;      // lanes per quad, which share their loads of A
const THREADS = 64u;  // threads per block

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  ldc: u32,
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(THREADS)
fn gemm_register_tile(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // Each thread owns 4 rows (stride 8).
  let threadRow = thread.x / LANES_N;
  let threadCol = thread.x % LANES_N * VEC;

  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  // The four lanes of a quad own the same rows: each lane loads every fourth k of A and
  // broadcasts the values.
  let quadLane = thread.x % QUAD;

  var acc0: vec4<f32>;
  var acc1: vec4<f32>;
  var acc2: vec4<f32>;
  var acc3: vec4<f32>;
  var a0: f32;
  var a1: f32;
  var a2: f32;
  var a3: f32;
  var b: vec4<f32>;
  var own0: f32;
  var own1: f32;
  var own2: f32;
  var own3: f32;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Per k: 4 + 4 loads feed 16 FMAs.
    own0 = A[row * params.lda + k0 + quadLane];
    own1 = A[(row + LANES_M) * params.lda + k0 + quadLane];
    own2 = A[(row + 2 * LANES_M) * params.lda + k0 + quadLane];
    own3 = A[(row + 3 * LANES_M) * params.lda + k0 + quadLane];
    a0 = quadBroadcast(own0, 0);
    a1 = quadBroadcast(own1, 0);
    a2 = quadBroadcast(own2, 0);
    a3 = quadBroadcast(own3, 0);
    b = B[(k0 * params.ldb + col) / 4];
    acc0 = fma(vec4<f32>(a0), b, acc0);
    acc1 = fma(vec4<f32>(a1), b, acc1);
    acc2 = fma(vec4<f32>(a2), b, acc2);
    acc3 = fma(vec4<f32>(a3), b, acc3);
    a0 = quadBroadcast(own0, 1);
    a1 = quadBroadcast(own1, 1);
    a2 = quadBroadcast(own2, 1);
    a3 = quadBroadcast(own3, 1);
    b = B[((k0 + 1) * params.ldb + col) / 4];
    acc0 = fma(vec4<f32>(a0), b, acc0);
    acc1 = fma(vec4<f32>(a1), b, acc1);
    acc2 = fma(vec4<f32>(a2), b, acc2);
    acc3 = fma(vec4<f32>(a3), b, acc3);
    a0 = quadBroadcast(own0, 2);
    a1 = quadBroadcast(own1, 2);
    a2 = quadBroadcast(own2, 2);
    a3 = quadBroadcast(own3, 2);
    b = B[((k0 + 2) * params.ldb + col) / 4];
    acc0 = fma(vec4<f32>(a0), b, acc0);
    acc1 = fma(vec4<f32>(a1), b, acc1);
    acc2 = fma(vec4<f32>(a2), b, acc2);
    acc3 = fma(vec4<f32>(a3), b, acc3);
    a0 = quadBroadcast(own0, 3);
    a1 = quadBroadcast(own1, 3);
    a2 = quadBroadcast(own2, 3);
    a3 = quadBroadcast(own3, 3);
    b = B[((k0 + 3) * params.ldb + col) / 4];
    acc0 = fma(vec4<f32>(a0), b, acc0);
    acc1 = fma(vec4<f32>(a1), b, acc1);
    acc2 = fma(vec4<f32>(a2), b, acc2);
    acc3 = fma(vec4<f32>(a3), b, acc3);
  }

  // Epilogue: write this thread's accumulators to C, 4 elements per vectorized store.
  let r0 = row;
  C[(r0 * params.ldc + col) / 4] = acc0;
  let r1 = row + LANES_M;
  C[(r1 * params.ldc + col) / 4] = acc1;
  let r2 = row + 2 * LANES_M;
  C[(r2 * params.ldc + col) / 4] = acc2;
  let r3 = row + 3 * LANES_M;
  C[(r3 * params.ldc + col) / 4] = acc3;
}

// Spec key: gemm-f32-register-tile-1024x1024x1024-rrr-32x32x4-4x4-v4-quad
// @gemm {"entry":"gemm_register_tile","version":1,"problem":{"m":1024,"n":1024,"k":1024,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"register-tile","block":{"m":32,"n":32,"k":4},"thread":{"m":4,"n":4},"vector":4,"sharing":"quad"},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 32)","ceil(m / 32)"],"block":[64],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=301e54627981e206654b714ed2fb150b449c1014bdc12aa673e7db26e3d359d3
