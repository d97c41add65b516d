// gemv GEMM, f32: C = alpha * A * B + beta * C
//
// Each thread block computes a 3 x 4 tile of C, and its threads split K: 64 threads along K
// accumulate 3 x 2 partial results each. They load A and B directly from global memory, with all
// loads of a k-iteration in flight together.
// - Reduction: shared memory holds 64 partial results per element, which one thread adds in
//   ascending order.
// - A is loaded one element at a time, since lda = 3 is not a multiple of 2.
// - B is loaded 2 elements at a time, since ldb = 1022 is not a multiple of 4.
// - Split-K: K is partitioned into 2 slices of 512, computed by separate thread blocks (1,024
//   instead of 512).
// - Partial results go to a workspace; gemm_gemv_reduce reduces them.
//
// A is M x K, column-major (M contiguous); B is K x N, column-major (K contiguous); C is M x N,
// column-major (M contiguous).
// Requires M % 3 == 0: these dimensions are not bounds-checked.
// Batch entry i of a matrix starts at i times its batch stride.
// Vectorized accesses require multiples of 2 for K, ldb and strideB.
// CUDA terms: thread block = workgroup, shared memory = workgroup memory, warp = 32 consecutive
// invocations, lane = invocation of a warp.
// Results are bitwise reproducible and batch-invariant. Each thread along K adds its products in
// ascending order of k. 64 partial results per element are added in ascending order. The slices are
// added in ascending order.
//
// Launches, in order:
//   gemm_gemv: dispatchWorkgroups((N + 3) / 4, M / 3, 2 * batch), workgroup size (128), 3,072 B of shared memory.
//   gemm_gemv_reduce: dispatchWorkgroups((M + 31) / 32, (N + 7) / 8, batch), workgroup size (32, 8).
// For 3 x 1021 x 1022, batch 2: workgroups 256 x 1 x 4, then 1 x 128 x 2.
// Workspace: 49,008 B for partial results; it need not be initialized.
// Bindings of group 0:
//   gemm_gemv: 0 A, 1 B, 2 workspace, 3 Params.
//   gemm_gemv_reduce: 0 workspace, 1 C, 2 ReduceParams.

const BM = 3u;          // rows of C per thread block
const BN = 4u;          // columns of C per thread block
const BK = 256u;        // k values per iteration of the main loop
const LANES_N = 2u;     // threads per block along N
const THREADS_K = 64u;  // threads per block along K
const PARTIALS = 64u;   // partial results per element in shared memory
const THREADS = 128u;   // threads per block
const SPLIT_K = 2u;     // split-K slices

struct Params {
  M: u32,
  N: u32,
  K: u32,
  lda: u32,
  ldb: u32,
  strideA: u32,
  strideB: u32,
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> workspace: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> Cs: array<array<f32, BN>, PARTIALS * BM>;

@compute @workgroup_size(THREADS)
fn gemm_gemv(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  // block.z selects the batch entry and the split-K slice.
  let offsetA = block.z / SPLIT_K * params.strideA;
  let offsetB = block.z / SPLIT_K * params.strideB;
  let slice = block.z % SPLIT_K;
  let kSlice = (params.K + SPLIT_K * BK - 1) / (SPLIT_K * BK) * BK;
  let kBegin = min(slice * kSlice, params.K);
  let kEnd = min(kBegin + kSlice, params.K);

  let blockRow = block.y * BM;
  let blockCol = block.x * BN;
  // The threads form a grid along N and K; consecutive threads load consecutive k values.
  let threadK = thread.x % THREADS_K;
  let threadCol = thread.x / THREADS_K;
  let row = blockRow;
  let col = blockCol + threadCol;
  let kThread = threadK * 2;

  var acc0_0: f32;
  var acc0_1: f32;
  var acc0_2: f32;
  var acc1_0: f32;
  var acc1_1: f32;
  var acc1_2: f32;
  var a0_0: f32;
  var a0_1: f32;
  var a0_2: f32;
  var a1_0: f32;
  var a1_1: f32;
  var a1_2: f32;
  var a2_0: f32;
  var a2_1: f32;
  var a2_2: f32;
  var a3_0: f32;
  var a3_1: f32;
  var a3_2: f32;
  var b0_0: vec2<f32>;
  var b0_1: vec2<f32>;
  var b1_0: vec2<f32>;
  var b1_1: vec2<f32>;

  // Rows and columns past the edge are clamped; their results are not stored.
  let kTail = kBegin + (kEnd - kBegin) / BK * BK;
  for (var k0 = kBegin; k0 < kTail; k0 += BK) {
    // Issue all loads before the first FMA, so that they are in flight together.
    a0_0 = A[offsetA + (k0 + kThread) * params.lda + row];
    a0_1 = A[offsetA + (k0 + kThread) * params.lda + row + 1];
    a0_2 = A[offsetA + (k0 + kThread) * params.lda + row + 2];
    a1_0 = A[offsetA + (k0 + kThread + 1) * params.lda + row];
    a1_1 = A[offsetA + (k0 + kThread + 1) * params.lda + row + 1];
    a1_2 = A[offsetA + (k0 + kThread + 1) * params.lda + row + 2];
    b0_0 = B[(offsetB + min(col, params.N - 1) * params.ldb + k0 + kThread) / 2];
    b1_0 = B[(offsetB + min(col + LANES_N, params.N - 1) * params.ldb + k0 + kThread) / 2];
    a2_0 = A[offsetA + (k0 + kThread + 2 * THREADS_K) * params.lda + row];
    a2_1 = A[offsetA + (k0 + kThread + 2 * THREADS_K) * params.lda + row + 1];
    a2_2 = A[offsetA + (k0 + kThread + 2 * THREADS_K) * params.lda + row + 2];
    a3_0 = A[offsetA + (k0 + kThread + 2 * THREADS_K + 1) * params.lda + row];
    a3_1 = A[offsetA + (k0 + kThread + 2 * THREADS_K + 1) * params.lda + row + 1];
    a3_2 = A[offsetA + (k0 + kThread + 2 * THREADS_K + 1) * params.lda + row + 2];
    b0_1 = B[(offsetB + min(col, params.N - 1) * params.ldb + k0 + kThread) / 2 + THREADS_K];
    b1_1 = B[(offsetB + min(col + LANES_N, params.N - 1) * params.ldb + k0 + kThread) / 2 + THREADS_K];
    acc0_0 = fma(a0_0, b0_0.x, acc0_0);
    acc0_1 = fma(a0_1, b0_0.x, acc0_1);
    acc0_2 = fma(a0_2, b0_0.x, acc0_2);
    acc1_0 = fma(a0_0, b1_0.x, acc1_0);
    acc1_1 = fma(a0_1, b1_0.x, acc1_1);
    acc1_2 = fma(a0_2, b1_0.x, acc1_2);
    acc0_0 = fma(a1_0, b0_0.y, acc0_0);
    acc0_1 = fma(a1_1, b0_0.y, acc0_1);
    acc0_2 = fma(a1_2, b0_0.y, acc0_2);
    acc1_0 = fma(a1_0, b1_0.y, acc1_0);
    acc1_1 = fma(a1_1, b1_0.y, acc1_1);
    acc1_2 = fma(a1_2, b1_0.y, acc1_2);
    acc0_0 = fma(a2_0, b0_1.x, acc0_0);
    acc0_1 = fma(a2_1, b0_1.x, acc0_1);
    acc0_2 = fma(a2_2, b0_1.x, acc0_2);
    acc1_0 = fma(a2_0, b1_1.x, acc1_0);
    acc1_1 = fma(a2_1, b1_1.x, acc1_1);
    acc1_2 = fma(a2_2, b1_1.x, acc1_2);
    acc0_0 = fma(a3_0, b0_1.y, acc0_0);
    acc0_1 = fma(a3_1, b0_1.y, acc0_1);
    acc0_2 = fma(a3_2, b0_1.y, acc0_2);
    acc1_0 = fma(a3_0, b1_1.y, acc1_0);
    acc1_1 = fma(a3_1, b1_1.y, acc1_1);
    acc1_2 = fma(a3_2, b1_1.y, acc1_2);
  }
  // K remainder: the last, partial k-step.
  if (kTail < kEnd) {
    if (kTail + kThread < kEnd) {
      a0_0 = A[offsetA + (kTail + kThread) * params.lda + row];
      a0_1 = A[offsetA + (kTail + kThread) * params.lda + row + 1];
      a0_2 = A[offsetA + (kTail + kThread) * params.lda + row + 2];
      a1_0 = A[offsetA + (kTail + kThread + 1) * params.lda + row];
      a1_1 = A[offsetA + (kTail + kThread + 1) * params.lda + row + 1];
      a1_2 = A[offsetA + (kTail + kThread + 1) * params.lda + row + 2];
      b0_0 = B[(offsetB + min(col, params.N - 1) * params.ldb + kTail + kThread) / 2];
      b1_0 = B[(offsetB + min(col + LANES_N, params.N - 1) * params.ldb + kTail + kThread) / 2];
    } else {
      a0_0 = 0.0;
      a0_1 = 0.0;
      a0_2 = 0.0;
      a1_0 = 0.0;
      a1_1 = 0.0;
      a1_2 = 0.0;
      b0_0 = vec2<f32>(0.0);
      b1_0 = vec2<f32>(0.0);
    }
    if (kTail + kThread + 2 * THREADS_K < kEnd) {
      a2_0 = A[offsetA + (kTail + kThread + 2 * THREADS_K) * params.lda + row];
      a2_1 = A[offsetA + (kTail + kThread + 2 * THREADS_K) * params.lda + row + 1];
      a2_2 = A[offsetA + (kTail + kThread + 2 * THREADS_K) * params.lda + row + 2];
      a3_0 = A[offsetA + (kTail + kThread + 2 * THREADS_K + 1) * params.lda + row];
      a3_1 = A[offsetA + (kTail + kThread + 2 * THREADS_K + 1) * params.lda + row + 1];
      a3_2 = A[offsetA + (kTail + kThread + 2 * THREADS_K + 1) * params.lda + row + 2];
      b0_1 = B[(offsetB + min(col, params.N - 1) * params.ldb + kTail + kThread) / 2 + THREADS_K];
      b1_1 = B[(offsetB + min(col + LANES_N, params.N - 1) * params.ldb + kTail + kThread) / 2 + THREADS_K];
    } else {
      a2_0 = 0.0;
      a2_1 = 0.0;
      a2_2 = 0.0;
      a3_0 = 0.0;
      a3_1 = 0.0;
      a3_2 = 0.0;
      b0_1 = vec2<f32>(0.0);
      b1_1 = vec2<f32>(0.0);
    }
    acc0_0 = fma(a0_0, b0_0.x, acc0_0);
    acc0_1 = fma(a0_1, b0_0.x, acc0_1);
    acc0_2 = fma(a0_2, b0_0.x, acc0_2);
    acc1_0 = fma(a0_0, b1_0.x, acc1_0);
    acc1_1 = fma(a0_1, b1_0.x, acc1_1);
    acc1_2 = fma(a0_2, b1_0.x, acc1_2);
    acc0_0 = fma(a1_0, b0_0.y, acc0_0);
    acc0_1 = fma(a1_1, b0_0.y, acc0_1);
    acc0_2 = fma(a1_2, b0_0.y, acc0_2);
    acc1_0 = fma(a1_0, b1_0.y, acc1_0);
    acc1_1 = fma(a1_1, b1_0.y, acc1_1);
    acc1_2 = fma(a1_2, b1_0.y, acc1_2);
    acc0_0 = fma(a2_0, b0_1.x, acc0_0);
    acc0_1 = fma(a2_1, b0_1.x, acc0_1);
    acc0_2 = fma(a2_2, b0_1.x, acc0_2);
    acc1_0 = fma(a2_0, b1_1.x, acc1_0);
    acc1_1 = fma(a2_1, b1_1.x, acc1_1);
    acc1_2 = fma(a2_2, b1_1.x, acc1_2);
    acc0_0 = fma(a3_0, b0_1.y, acc0_0);
    acc0_1 = fma(a3_1, b0_1.y, acc0_1);
    acc0_2 = fma(a3_2, b0_1.y, acc0_2);
    acc1_0 = fma(a3_0, b1_1.y, acc1_0);
    acc1_1 = fma(a3_1, b1_1.y, acc1_1);
    acc1_2 = fma(a3_2, b1_1.y, acc1_2);
  }

  // Store the partial results to shared memory, and wait until all of them are complete.
  Cs[threadK * BM][threadCol] = acc0_0;
  Cs[threadK * BM + 1][threadCol] = acc0_1;
  Cs[threadK * BM + 2][threadCol] = acc0_2;
  Cs[threadK * BM][threadCol + LANES_N] = acc1_0;
  Cs[threadK * BM + 1][threadCol + LANES_N] = acc1_1;
  Cs[threadK * BM + 2][threadCol + LANES_N] = acc1_2;
  workgroupBarrier();

  // Epilogue: add the partial results in ascending order, and write the results to the
  // workspace.
  for (var e = thread.x; e < BM * BN; e += THREADS) {
    let r = blockRow + e / BN;
    let c = blockCol + e % BN;
    if (c < params.N) {
      var sum: f32;
      sum = Cs[e / BN][e % BN];
      for (var p = 1u; p < PARTIALS; p++) {
        sum += Cs[p * BM + e / BN][e % BN];
      }
      workspace[(block.z * params.N + c) * params.M + r] = sum;
    }
  }
}

const RM = 32u;  // rows of C per block of the reduction kernel
const RN = 8u;   // columns of C per block of the reduction kernel

struct ReduceParams {
  M: u32,
  N: u32,
  ldc: u32,
  strideC: u32,
  alpha: f32,
  beta: f32,
}

@group(0) @binding(0) var<storage, read> partials: array<f32>;
@group(0) @binding(1) var<storage, read_write> C: array<f32>;
@group(0) @binding(2) var<uniform> reduceParams: ReduceParams;

@compute @workgroup_size(RM, RN)
fn gemm_gemv_reduce(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  let offsetC = block.z * reduceParams.strideC;
  let row = block.x * RM + thread.x;
  let col = block.y * RN + thread.y;
  if (row < reduceParams.M && col < reduceParams.N) {
    var acc: f32;
    for (var s = 0u; s < SPLIT_K; s++) {
      acc += partials[((block.z * SPLIT_K + s) * reduceParams.N + col) * reduceParams.M + row];
    }
    C[offsetC + col * reduceParams.ldc + row] = reduceParams.alpha * acc + reduceParams.beta * C[offsetC + col * reduceParams.ldc + row];
  }
}

// Spec key: gemm-f32-gemv-3x1021x1022-ccc-3x4x256-3x2x4-v4-split2-min1-d42de518
// @gemm {"entry":"gemm_gemv","version":1,"problem":{"m":3,"n":1021,"k":1022,"batch":2,"a":{"dtype":"f32","layout":"col"},"b":{"dtype":"f32","layout":"col"},"c":{"dtype":"f32","layout":"col"},"accumulator":"f32","alpha":2,"beta":0.5},"schedule":{"algorithm":"gemv","block":{"m":3,"n":4,"k":256},"thread":{"m":3,"n":2,"k":4},"vector":4,"splitK":2,"splitKReduction":"two-pass","minBlocksPerSm":1},"device":"h200","targets":["wgsl"],"grid":["ceil(n / 4)","ceil(m / 3)",4],"block":[128],"args":["a","b","workspace",["m","n","k","lda","ldb","strideA","strideB"]],"after":[{"entry":"gemm_gemv_reduce","grid":["ceil(m / 32)","ceil(n / 8)",2],"block":[32,8],"args":["workspace","c",["m","n","ldc","strideC","alpha","beta"]]}],"workspaceBytes":49008}
// @gemm-generated v1 sha256=d623e8183641eaf668a7e5d0736d7cee4efa479d9a58bcf8a946ae804430e36d
