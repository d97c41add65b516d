// layout GEMM, f32: C = A * B
//
// Each thread block computes a 128 x 128 tile of C as in CuTe's tutorial. The thread layouts tA and
// tB are repeated over the tiles of A and B to copy them; tC is repeated over the tile of C.
//
// CuTe layouts (shape:stride) of the matrices (m), their tiles (g), the shared-memory tiles (s) and
// the threads (t):
//   mA (5120,4096):(_1,5120)
//   gA (_128,_8,512):(_1,5120,40960)
//   sA (_128,_8):(_1,_128)
//   tA (_32,_8):(_1,_32)
//   mB (5120,4096):(_1,5120)
//   gB (_128,_8,512):(_1,5120,40960)
//   sB (_128,_8):(_1,_128)
//   tB (_32,_8):(_1,_32)
//   gC (_128,_128):(_1,5120)
//   tC (_16,_16):(_1,_16)
//
// A is M x K, column-major (M contiguous); B is K x N, row-major (N contiguous); C is M x N,
// column-major (M contiguous).
// Requires M % 128 == 0, N % 128 == 0, K % 8 == 0: these dimensions are not bounds-checked.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each element of C adds its products in
// ascending order of k.
//
// Launch: dispatchWorkgroups(N / 128, M / 128), workgroup size (256), 8,192 B of shared memory.
// For 5120 x 5120 x 4096: 40 x 40 workgroups.
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
    // Load the A tile into shared memory.
    for (var k = 0u; k < BK; k += TA_K) {
      for (var m = 0u; m < BM; m += TA_M) {
        As[k + aK][m + aM] = A[(k0 + k + aK) * params.lda + blockRow + m + aM];
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
      acc0_1 = fma(a1, b0, acc0_1);
      acc0_2 = fma(a2, b0, acc0_2);
      acc0_3 = fma(a3, b0, acc0_3);
      acc0_4 = fma(a4, b0, acc0_4);
      acc0_5 = fma(a5, b0, acc0_5);
      acc0_6 = fma(a6, b0, acc0_6);
      acc0_7 = fma(a7, b0, acc0_7);
      acc1_0 = fma(a0, b1, acc1_0);
      acc1_1 = fma(a1, b1, acc1_1);
      acc1_2 = fma(a2, b1, acc1_2);
      acc1_3 = fma(a3, b1, acc1_3);
      acc1_4 = fma(a4, b1, acc1_4);
      acc1_5 = fma(a5, b1, acc1_5);
      acc1_6 = fma(a6, b1, acc1_6);
      acc1_7 = fma(a7, b1, acc1_7);
      acc2_0 = fma(a0, b2, acc2_0);
      acc2_1 = fma(a1, b2, acc2_1);
      acc2_2 = fma(a2, b2, acc2_2);
      acc2_3 = fma(a3, b2, acc2_3);
      acc2_4 = fma(a4, b2, acc2_4);
      acc2_5 = fma(a5, b2, acc2_5);
      acc2_6 = fma(a6, b2, acc2_6);
      acc2_7 = fma(a7, b2, acc2_7);
      acc3_0 = fma(a0, b3, acc3_0);
      acc3_1 = fma(a1, b3, acc3_1);
      acc3_2 = fma(a2, b3, acc3_2);
      acc3_3 = fma(a3, b3, acc3_3);
      acc3_4 = fma(a4, b3, acc3_4);
      acc3_5 = fma(a5, b3, acc3_5);
      acc3_6 = fma(a6, b3, acc3_6);
      acc3_7 = fma(a7, b3, acc3_7);
      acc4_0 = fma(a0, b4, acc4_0);
      acc4_1 = fma(a1, b4, acc4_1);
      acc4_2 = fma(a2, b4, acc4_2);
      acc4_3 = fma(a3, b4, acc4_3);
      acc4_4 = fma(a4, b4, acc4_4);
      acc4_5 = fma(a5, b4, acc4_5);
      acc4_6 = fma(a6, b4, acc4_6);
      acc4_7 = fma(a7, b4, acc4_7);
      acc5_0 = fma(a0, b5, acc5_0);
      acc5_1 = fma(a1, b5, acc5_1);
      acc5_2 = fma(a2, b5, acc5_2);
      acc5_3 = fma(a3, b5, acc5_3);
      acc5_4 = fma(a4, b5, acc5_4);
      acc5_5 = fma(a5, b5, acc5_5);
      acc5_6 = fma(a6, b5, acc5_6);
      acc5_7 = fma(a7, b5, acc5_7);
      acc6_0 = fma(a0, b6, acc6_0);
      acc6_1 = fma(a1, b6, acc6_1);
      acc6_2 = fma(a2, b6, acc6_2);
      acc6_3 = fma(a3, b6, acc6_3);
      acc6_4 = fma(a4, b6, acc6_4);
      acc6_5 = fma(a5, b6, acc6_5);
      acc6_6 = fma(a6, b6, acc6_6);
      acc6_7 = fma(a7, b6, acc6_7);
      acc7_0 = fma(a0, b7, acc7_0);
      acc7_1 = fma(a1, b7, acc7_1);
      acc7_2 = fma(a2, b7, acc7_2);
      acc7_3 = fma(a3, b7, acc7_3);
      acc7_4 = fma(a4, b7, acc7_4);
      acc7_5 = fma(a5, b7, acc7_5);
      acc7_6 = fma(a6, b7, acc7_6);
      acc7_7 = fma(a7, b7, acc7_7);
    }
    // Wait until all threads have read the tiles; the next iteration overwrites them.
    workgroupBarrier();
  }

  // Epilogue: write this thread's accumulators to C.
  let row = blockRow + threadRow;
  let col = blockCol + threadCol;
  let c0 = col;
  C[c0 * params.ldc + row] = acc0_0;
  C[c0 * params.ldc + row + LANES_M] = acc0_1;
  C[c0 * params.ldc + row + 2 * LANES_M] = acc0_2;
  C[c0 * params.ldc + row + 3 * LANES_M] = acc0_3;
  C[c0 * params.ldc + row + 4 * LANES_M] = acc0_4;
  C[c0 * params.ldc + row + 5 * LANES_M] = acc0_5;
  C[c0 * params.ldc + row + 6 * LANES_M] = acc0_6;
  C[c0 * params.ldc + row + 7 * LANES_M] = acc0_7;
  let c1 = col + LANES_N;
  C[c1 * params.ldc + row] = acc1_0;
  C[c1 * params.ldc + row + LANES_M] = acc1_1;
  C[c1 * params.ldc + row + 2 * LANES_M] = acc1_2;
  C[c1 * params.ldc + row + 3 * LANES_M] = acc1_3;
  C[c1 * params.ldc + row + 4 * LANES_M] = acc1_4;
  C[c1 * params.ldc + row + 5 * LANES_M] = acc1_5;
  C[c1 * params.ldc + row + 6 * LANES_M] = acc1_6;
  C[c1 * params.ldc + row + 7 * LANES_M] = acc1_7;
  let c2 = col + 2 * LANES_N;
  C[c2 * params.ldc + row] = acc2_0;
  C[c2 * params.ldc + row + LANES_M] = acc2_1;
  C[c2 * params.ldc + row + 2 * LANES_M] = acc2_2;
  C[c2 * params.ldc + row + 3 * LANES_M] = acc2_3;
  C[c2 * params.ldc + row + 4 * LANES_M] = acc2_4;
  C[c2 * params.ldc + row + 5 * LANES_M] = acc2_5;
  C[c2 * params.ldc + row + 6 * LANES_M] = acc2_6;
  C[c2 * params.ldc + row + 7 * LANES_M] = acc2_7;
  let c3 = col + 3 * LANES_N;
  C[c3 * params.ldc + row] = acc3_0;
  C[c3 * params.ldc + row + LANES_M] = acc3_1;
  C[c3 * params.ldc + row + 2 * LANES_M] = acc3_2;
  C[c3 * params.ldc + row + 3 * LANES_M] = acc3_3;
  C[c3 * params.ldc + row + 4 * LANES_M] = acc3_4;
  C[c3 * params.ldc + row + 5 * LANES_M] = acc3_5;
  C[c3 * params.ldc + row + 6 * LANES_M] = acc3_6;
  C[c3 * params.ldc + row + 7 * LANES_M] = acc3_7;
  let c4 = col + 4 * LANES_N;
  C[c4 * params.ldc + row] = acc4_0;
  C[c4 * params.ldc + row + LANES_M] = acc4_1;
  C[c4 * params.ldc + row + 2 * LANES_M] = acc4_2;
  C[c4 * params.ldc + row + 3 * LANES_M] = acc4_3;
  C[c4 * params.ldc + row + 4 * LANES_M] = acc4_4;
  C[c4 * params.ldc + row + 5 * LANES_M] = acc4_5;
  C[c4 * params.ldc + row + 6 * LANES_M] = acc4_6;
  C[c4 * params.ldc + row + 7 * LANES_M] = acc4_7;
  let c5 = col + 5 * LANES_N;
  C[c5 * params.ldc + row] = acc5_0;
  C[c5 * params.ldc + row + LANES_M] = acc5_1;
  C[c5 * params.ldc + row + 2 * LANES_M] = acc5_2;
  C[c5 * params.ldc + row + 3 * LANES_M] = acc5_3;
  C[c5 * params.ldc + row + 4 * LANES_M] = acc5_4;
  C[c5 * params.ldc + row + 5 * LANES_M] = acc5_5;
  C[c5 * params.ldc + row + 6 * LANES_M] = acc5_6;
  C[c5 * params.ldc + row + 7 * LANES_M] = acc5_7;
  let c6 = col + 6 * LANES_N;
  C[c6 * params.ldc + row] = acc6_0;
  C[c6 * params.ldc + row + LANES_M] = acc6_1;
  C[c6 * params.ldc + row + 2 * LANES_M] = acc6_2;
  C[c6 * params.ldc + row + 3 * LANES_M] = acc6_3;
  C[c6 * params.ldc + row + 4 * LANES_M] = acc6_4;
  C[c6 * params.ldc + row + 5 * LANES_M] = acc6_5;
  C[c6 * params.ldc + row + 6 * LANES_M] = acc6_6;
  C[c6 * params.ldc + row + 7 * LANES_M] = acc6_7;
  let c7 = col + 7 * LANES_N;
  C[c7 * params.ldc + row] = acc7_0;
  C[c7 * params.ldc + row + LANES_M] = acc7_1;
  C[c7 * params.ldc + row + 2 * LANES_M] = acc7_2;
  C[c7 * params.ldc + row + 3 * LANES_M] = acc7_3;
  C[c7 * params.ldc + row + 4 * LANES_M] = acc7_4;
  C[c7 * params.ldc + row + 5 * LANES_M] = acc7_5;
  C[c7 * params.ldc + row + 6 * LANES_M] = acc7_6;
  C[c7 * params.ldc + row + 7 * LANES_M] = acc7_7;
}

// Spec key: gemm-f32-layout-5120x5120x4096-crc-128x128x8-8003f9c7
// @gemm {"entry":"gemm_layout","version":1,"problem":{"m":5120,"n":5120,"k":4096,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"row"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32"},"schedule":{"algorithm":"layout","block":{"m":128,"n":128,"k":8},"threadLayout":{"a":"(32,8):(1,32)","b":"(32,8):(1,32)","c":"(16,16):(1,16)"}},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 128)","ceil(m / 128)"],"block":[256],"args":["a","b","c",["m","n","k","lda","ldb","ldc"]]}
// @gemm-generated v1 sha256=99bc20f7e65c112c3a8942604adc5cc47474220d510319d06435270a2308bc91
