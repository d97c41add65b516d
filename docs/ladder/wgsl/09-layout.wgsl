// layout GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C as in CuTe's tutorial. The thread layouts tA and
// tB are repeated over the tiles of A and B to copy them; tC is repeated over the tile of C.
//
// CuTe layouts (shape:stride) of the matrices (m), their tiles (g), the shared-memory tiles (s) and
// the threads (t):
//   mA (4096,4096):(4096,_1)
//   gA (_128,_8,512):(4096,_1,_8)
//   sA (_128,_8):(_1,_128)
//   tA (_32,_8):(_1,_32)
//   mB (4096,4096):(_1,4096)
//   gB (_128,_8,512):(_1,4096,32768)
//   sB (_128,_8):(_1,_128)
//   tB (_32,_8):(_1,_32)
//   gC (_128,_128):(4096,_1)
//   tC (_16,_16):(_1,_16)
//
// A is M x K, row-major (K contiguous); B is K x N, row-major (N contiguous); C is M x N, row-major
// (N contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 128, M / 128), workgroup size (256), 8,192 B of shared memory.
// For 4096 x 4096 x 4096: 32 x 32 workgroups.
// Bindings of group 0: 0 A, 1 B, 2 C, 3 Params.

const BM = 128u;       // rows of C per thread block
const BN = 128u;       // columns of C per thread block
const BK = 8u;         // K extent of the shared-memory tiles
const LANES_M = 16u;   // threads per block along M
const LANES_N = 16u;   // threads per block along N
const TA_M = 32u;      // rows of A copied per repetition of tA
const TA_K = 8u;       // columns of A copied per repetition of tA
const TB_N = 32u;      // columns of B copied per repetition of tB
const TB_K = 8u;       // rows of B copied per repetition of tB
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

var<workgroup> As: array<array<f32, BM>, BK>;
var<workgroup> Bs: array<array<f32, BN>, BK>;

@compute @workgroup_size(THREADS)
fn gemm_layout(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // Coordinates of this thread in the layouts tA, tB and tC.
  let aM = thread.x % TA_M;
  let aK = thread.x / TA_M;
  let bN = thread.x % TB_N;
  let bK = thread.x / TB_N;
  let threadRow = thread.x % LANES_M;
  let threadCol = thread.x / LANES_M;

  var acc0_0: f32;
  var acc0_1: f32;
  var acc0_2: f32;
  var acc0_3: f32;
  var acc0_4: f32;
  var acc0_5: f32;
  var acc0_6: f32;
  var acc0_7: f32;
  var acc1_0: f32;
  var acc1_1: f32;
  var acc1_2: f32;
  var acc1_3: f32;
  var acc1_4: f32;
  var acc1_5: f32;
  var acc1_6: f32;
  var acc1_7: f32;
  var acc2_0: f32;
  var acc2_1: f32;
  var acc2_2: f32;
  var acc2_3: f32;
  var acc2_4: f32;
  var acc2_5: f32;
  var acc2_6: f32;
  var acc2_7: f32;
  var acc3_0: f32;
  var acc3_1: f32;
  var acc3_2: f32;
  var acc3_3: f32;
  var acc3_4: f32;
  var acc3_5: f32;
  var acc3_6: f32;
  var acc3_7: f32;
  var acc4_0: f32;
  var acc4_1: f32;
  var acc4_2: f32;
  var acc4_3: f32;
  var acc4_4: f32;
  var acc4_5: f32;
  var acc4_6: f32;
  var acc4_7: f32;
  var acc5_0: f32;
  var acc5_1: f32;
  var acc5_2: f32;
  var acc5_3: f32;
  var acc5_4: f32;
  var acc5_5: f32;
  var acc5_6: f32;
  var acc5_7: f32;
  var acc6_0: f32;
  var acc6_1: f32;
  var acc6_2: f32;
  var acc6_3: f32;
  var acc6_4: f32;
  var acc6_5: f32;
  var acc6_6: f32;
  var acc6_7: f32;
  var acc7_0: f32;
  var acc7_1: f32;
  var acc7_2: f32;
  var acc7_3: f32;
  var acc7_4: f32;
  var acc7_5: f32;
  var acc7_6: f32;
  var acc7_7: f32;
  var a0: f32;
  var a1: f32;
  var a2: f32;
  var a3: f32;
  var a4: f32;
  var a5: f32;
  var a6: f32;
  var a7: f32;
  var b0: f32;
  var b1: f32;
  var b2: f32;
  var b3: f32;
  var b4: f32;
  var b5: f32;
  var b6: f32;
  var b7: f32;

  for (var k0 = 0u; k0 < params.K; k0 += BK) {
    // Load the A tile into shared memory, transposed.
    for (var k = 0u; k < BK; k += TA_K) {
      for (var m = 0u; m < BM; m += TA_M) {
        As[k + aK][m + aM] = A[(blockRow + m + aM) * params.lda + k0 + k + aK];
      }
    }
    // Load the B tile into shared memory.
    for (var k = 0u; k < BK; k += TB_K) {
      for (var n = 0u; n < BN; n += TB_N) {
        Bs[k + bK][n + bN] = B[(k0 + k + bK) * params.ldb + blockCol + n + bN];
      }
    }
    // Wait until both tiles are complete.
    workgroupBarrier();
    // Per k: 8 + 8 values from shared memory feed 64 FMAs.
    for (var k = 0u; k < BK; k++) {
      a0 = As[k][threadRow];
      a1 = As[k][threadRow + LANES_M];
      a2 = As[k][threadRow + 2 * LANES_M];
      a3 = As[k][threadRow + 3 * LANES_M];
      a4 = As[k][threadRow + 4 * LANES_M];
      a5 = As[k][threadRow + 5 * LANES_M];
      a6 = As[k][threadRow + 6 * LANES_M];
      a7 = As[k][threadRow + 7 * LANES_M];
      b0 = Bs[k][threadCol];
      b1 = Bs[k][threadCol + LANES_N];
      b2 = Bs[k][threadCol + 2 * LANES_N];
      b3 = Bs[k][threadCol + 3 * LANES_N];
      b4 = Bs[k][threadCol + 4 * LANES_N];
      b5 = Bs[k][threadCol + 5 * LANES_N];
      b6 = Bs[k][threadCol + 6 * LANES_N];
      b7 = Bs[k][threadCol + 7 * LANES_N];
      acc0_0 = fma(a0, b0, acc0_0);
      acc0_1 = fma(a0, b1, acc0_1);
      acc0_2 = fma(a0, b2, acc0_2);
      acc0_3 = fma(a0, b3, acc0_3);
      acc0_4 = fma(a0, b4, acc0_4);
      acc0_5 = fma(a0, b5, acc0_5);
      acc0_6 = fma(a0, b6, acc0_6);
      acc0_7 = fma(a0, b7, acc0_7);
      acc1_0 = fma(a1, b0, acc1_0);
      acc1_1 = fma(a1, b1, acc1_1);
      acc1_2 = fma(a1, b2, acc1_2);
      acc1_3 = fma(a1, b3, acc1_3);
      acc1_4 = fma(a1, b4, acc1_4);
      acc1_5 = fma(a1, b5, acc1_5);
      acc1_6 = fma(a1, b6, acc1_6);
      acc1_7 = fma(a1, b7, acc1_7);
      acc2_0 = fma(a2, b0, acc2_0);
      acc2_1 = fma(a2, b1, acc2_1);
      acc2_2 = fma(a2, b2, acc2_2);
      acc2_3 = fma(a2, b3, acc2_3);
      acc2_4 = fma(a2, b4, acc2_4);
      acc2_5 = fma(a2, b5, acc2_5);
      acc2_6 = fma(a2, b6, acc2_6);
      acc2_7 = fma(a2, b7, acc2_7);
      acc3_0 = fma(a3, b0, acc3_0);
      acc3_1 = fma(a3, b1, acc3_1);
      acc3_2 = fma(a3, b2, acc3_2);
      acc3_3 = fma(a3, b3, acc3_3);
      acc3_4 = fma(a3, b4, acc3_4);
      acc3_5 = fma(a3, b5, acc3_5);
      acc3_6 = fma(a3, b6, acc3_6);
      acc3_7 = fma(a3, b7, acc3_7);
      acc4_0 = fma(a4, b0, acc4_0);
      acc4_1 = fma(a4, b1, acc4_1);
      acc4_2 = fma(a4, b2, acc4_2);
      acc4_3 = fma(a4, b3, acc4_3);
      acc4_4 = fma(a4, b4, acc4_4);
      acc4_5 = fma(a4, b5, acc4_5);
      acc4_6 = fma(a4, b6, acc4_6);
      acc4_7 = fma(a4, b7, acc4_7);
      acc5_0 = fma(a5, b0, acc5_0);
      acc5_1 = fma(a5, b1, acc5_1);
      acc5_2 = fma(a5, b2, acc5_2);
      acc5_3 = fma(a5, b3, acc5_3);
      acc5_4 = fma(a5, b4, acc5_4);
      acc5_5 = fma(a5, b5, acc5_5);
      acc5_6 = fma(a5, b6, acc5_6);
      acc5_7 = fma(a5, b7, acc5_7);
      acc6_0 = fma(a6, b0, acc6_0);
      acc6_1 = fma(a6, b1, acc6_1);
      acc6_2 = fma(a6, b2, acc6_2);
      acc6_3 = fma(a6, b3, acc6_3);
      acc6_4 = fma(a6, b4, acc6_4);
      acc6_5 = fma(a6, b5, acc6_5);
      acc6_6 = fma(a6, b6, acc6_6);
      acc6_7 = fma(a6, b7, acc6_7);
      acc7_0 = fma(a7, b0, acc7_0);
      acc7_1 = fma(a7, b1, acc7_1);
      acc7_2 = fma(a7, b2, acc7_2);
      acc7_3 = fma(a7, b3, acc7_3);
      acc7_4 = fma(a7, b4, acc7_4);
      acc7_5 = fma(a7, b5, acc7_5);
      acc7_6 = fma(a7, b6, acc7_6);
      acc7_7 = fma(a7, b7, acc7_7);
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }

  // Epilogue: write this thread's accumulators to C.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let r0 = row;
  C[r0 * params.ldc + col] = acc0_0;
  C[r0 * params.ldc + col + LANES_N] = acc0_1;
  C[r0 * params.ldc + col + 2 * LANES_N] = acc0_2;
  C[r0 * params.ldc + col + 3 * LANES_N] = acc0_3;
  C[r0 * params.ldc + col + 4 * LANES_N] = acc0_4;
  C[r0 * params.ldc + col + 5 * LANES_N] = acc0_5;
  C[r0 * params.ldc + col + 6 * LANES_N] = acc0_6;
  C[r0 * params.ldc + col + 7 * LANES_N] = acc0_7;
  let r1 = row + LANES_M;
  C[r1 * params.ldc + col] = acc1_0;
  C[r1 * params.ldc + col + LANES_N] = acc1_1;
  C[r1 * params.ldc + col + 2 * LANES_N] = acc1_2;
  C[r1 * params.ldc + col + 3 * LANES_N] = acc1_3;
  C[r1 * params.ldc + col + 4 * LANES_N] = acc1_4;
  C[r1 * params.ldc + col + 5 * LANES_N] = acc1_5;
  C[r1 * params.ldc + col + 6 * LANES_N] = acc1_6;
  C[r1 * params.ldc + col + 7 * LANES_N] = acc1_7;
  let r2 = row + 2 * LANES_M;
  C[r2 * params.ldc + col] = acc2_0;
  C[r2 * params.ldc + col + LANES_N] = acc2_1;
  C[r2 * params.ldc + col + 2 * LANES_N] = acc2_2;
  C[r2 * params.ldc + col + 3 * LANES_N] = acc2_3;
  C[r2 * params.ldc + col + 4 * LANES_N] = acc2_4;
  C[r2 * params.ldc + col + 5 * LANES_N] = acc2_5;
  C[r2 * params.ldc + col + 6 * LANES_N] = acc2_6;
  C[r2 * params.ldc + col + 7 * LANES_N] = acc2_7;
  let r3 = row + 3 * LANES_M;
  C[r3 * params.ldc + col] = acc3_0;
  C[r3 * params.ldc + col + LANES_N] = acc3_1;
  C[r3 * params.ldc + col + 2 * LANES_N] = acc3_2;
  C[r3 * params.ldc + col + 3 * LANES_N] = acc3_3;
  C[r3 * params.ldc + col + 4 * LANES_N] = acc3_4;
  C[r3 * params.ldc + col + 5 * LANES_N] = acc3_5;
  C[r3 * params.ldc + col + 6 * LANES_N] = acc3_6;
  C[r3 * params.ldc + col + 7 * LANES_N] = acc3_7;
  let r4 = row + 4 * LANES_M;
  C[r4 * params.ldc + col] = acc4_0;
  C[r4 * params.ldc + col + LANES_N] = acc4_1;
  C[r4 * params.ldc + col + 2 * LANES_N] = acc4_2;
  C[r4 * params.ldc + col + 3 * LANES_N] = acc4_3;
  C[r4 * params.ldc + col + 4 * LANES_N] = acc4_4;
  C[r4 * params.ldc + col + 5 * LANES_N] = acc4_5;
  C[r4 * params.ldc + col + 6 * LANES_N] = acc4_6;
  C[r4 * params.ldc + col + 7 * LANES_N] = acc4_7;
  let r5 = row + 5 * LANES_M;
  C[r5 * params.ldc + col] = acc5_0;
  C[r5 * params.ldc + col + LANES_N] = acc5_1;
  C[r5 * params.ldc + col + 2 * LANES_N] = acc5_2;
  C[r5 * params.ldc + col + 3 * LANES_N] = acc5_3;
  C[r5 * params.ldc + col + 4 * LANES_N] = acc5_4;
  C[r5 * params.ldc + col + 5 * LANES_N] = acc5_5;
  C[r5 * params.ldc + col + 6 * LANES_N] = acc5_6;
  C[r5 * params.ldc + col + 7 * LANES_N] = acc5_7;
  let r6 = row + 6 * LANES_M;
  C[r6 * params.ldc + col] = acc6_0;
  C[r6 * params.ldc + col + LANES_N] = acc6_1;
  C[r6 * params.ldc + col + 2 * LANES_N] = acc6_2;
  C[r6 * params.ldc + col + 3 * LANES_N] = acc6_3;
  C[r6 * params.ldc + col + 4 * LANES_N] = acc6_4;
  C[r6 * params.ldc + col + 5 * LANES_N] = acc6_5;
  C[r6 * params.ldc + col + 6 * LANES_N] = acc6_6;
  C[r6 * params.ldc + col + 7 * LANES_N] = acc6_7;
  let r7 = row + 7 * LANES_M;
  C[r7 * params.ldc + col] = acc7_0;
  C[r7 * params.ldc + col + LANES_N] = acc7_1;
  C[r7 * params.ldc + col + 2 * LANES_N] = acc7_2;
  C[r7 * params.ldc + col + 3 * LANES_N] = acc7_3;
  C[r7 * params.ldc + col + 4 * LANES_N] = acc7_4;
  C[r7 * params.ldc + col + 5 * LANES_N] = acc7_5;
  C[r7 * params.ldc + col + 6 * LANES_N] = acc7_6;
  C[r7 * params.ldc + col + 7 * LANES_N] = acc7_7;
}

// Spec key: gemm-f32-layout-4096x4096x4096-rrr-128x128x8-8003f9c7
// @gemm {"entry":"gemm_layout","version":1,"problem":{"m":4096,"n":4096,"k":4096,"a":{"dtype":"f32","layout":"row"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"row"},"accumulator":"f32"},"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=17508b43bc5f0a2d50b96500c063766e397551f4482e37341fac8feef34bb26d
