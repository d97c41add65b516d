/**
 * The runner's own program gives kernels tensor maps of its matrices, and floats of 8 bits: on the
 * CPU shim.
 */
import assert from 'node:assert/strict';
import { hostileFolder } from '../support';
import {
  buildNativeRunner,
  runRequest,
  startNative,
  type Line,
  type NativeRunner,
} from './nativeRunner';

/**
 * What a map says is what driver.cpp writes: address, sizes, strides in bytes, box, type, swizzle.
 */
const KERNELS = `#include "cuda_runtime.h"
#include "cuda.h"
#include <cmath>
static const char* elementOf(const CUtensorMap& map, int z, int row, int column, int bytes) {
  return reinterpret_cast<const char*>(map.opaque[0]) + z * map.opaque[5] + row * map.opaque[4] + column * bytes;
}
static float floatAt(const CUtensorMap& map, int z, int row, int column) {
  return *reinterpret_cast<const float*>(elementOf(map, z, row, column, 4));
}
#define HERE const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, z = blockIdx.z; if (i >= m || j >= n || z >= batch) return
extern "C" __global__ void gemm(CUtensorMap a, CUtensorMap b, CUtensorMap c, int m, int n, int k, int batch) {
  HERE;
  if (a.opaque[9] != 7 || a.opaque[10] != 3 || a.opaque[6] != 32 || a.opaque[7] != 16) return;
  if (a.opaque[1] != uint64_t(k) || a.opaque[2] != uint64_t(m) || (batch > 1 && a.opaque[3] != uint64_t(batch))) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += floatAt(a, z, i, l) * floatAt(b, z, l, j);
  const_cast<float&>(reinterpret_cast<const float&>(*elementOf(c, z, i, j, 4))) = sum;
}
extern "C" __global__ void pad(const float* a, int lda, char* workspace, int m, int k) {
  for (int i = 0; i < m; ++i) for (int l = 0; l < k; ++l) reinterpret_cast<float*>(workspace + 64)[i * 36 + l] = a[i * lda + l];
}
extern "C" __global__ void turn(const float* b, int ldb, char* workspace, int n, int k) {
  for (int l = 0; l < k; ++l) for (int j = 0; j < n; ++j) reinterpret_cast<float*>(workspace)[j * 32 + l] = b[l * ldb + j];
}
extern "C" __global__ void transposedGemm(CUtensorMap a, CUtensorMap b, float* c, int ldc, int m, int n, int k, int batch) {
  HERE;
  if (b.opaque[1] != uint64_t(k) || b.opaque[2] != uint64_t(n)) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += floatAt(a, z, i, l) * floatAt(b, z, j, l);
  c[i * ldc + j] = sum;
}
static float fp8(unsigned char bits, int mantissa, int bias) {
  const int exponent = (bits & 127) >> mantissa, rest = bits & ((1 << mantissa) - 1);
  const float size = exponent == 0 ? std::ldexp(float(rest), 1 - bias - mantissa) : std::ldexp(float((1 << mantissa) + rest), exponent - bias - mantissa);
  return bits & 128 ? -size : size;
}
extern "C" __global__ void fp8gemm(CUtensorMap a, CUtensorMap b, float* c, int ldc, int m, int n, int k, int batch) {
  HERE;
  if (a.opaque[9] != 0) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) {
    const unsigned char first = *elementOf(a, z, i, l, 1), second = *elementOf(b, z, j, l, 1);
    sum += fp8(first, 3, 7) * fp8(second, 2, 15);
  }
  c[i * ldc + j] = sum;
}
SHIM_KERNEL_OF_A_CUBIN(gemm)
SHIM_KERNEL_OF_A_CUBIN(pad)
SHIM_KERNEL_OF_A_CUBIN(fp8gemm)
SHIM_KERNEL_OF_A_CUBIN(turn)
SHIM_KERNEL_OF_A_CUBIN(transposedGemm)
`;

const operand = (ld: number, more: object = {}) => ({
  dtype: 'f32',
  layout: 'row',
  ld,
  batchStride: 0,
  ...more,
});
const problemOf = (more: object = {}) => ({
  m: 45,
  n: 37,
  k: 29,
  batch: 1,
  alpha: 1,
  beta: 0,
  accumulator: 'f32',
  a: operand(32),
  b: operand(40),
  c: operand(40),
  ...more,
});
const tensorMaps = {
  a: { box: [32, 16], swizzleBytes: 128 },
  b: { box: [32, 32], swizzleBytes: 128 },
  c: { box: [16, 64], swizzleBytes: 64 },
};
const launchOf = (more: object = {}) => ({
  symbol: 'gemm',
  grid: [2, 37, 1],
  block: [32, 1, 1],
  dynamicSharedBytes: 0,
  arguments: ['tensorMapA', 'tensorMapB', 'tensorMapC', 'm', 'n', 'k', 'batch'],
  tensorMaps,
  ...more,
});

describe('tensor maps of the native runner on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let remove: () => void;
  let native: NativeRunner;
  before(async function () {
    const { path: folder, remove: clean } = hostileFolder();
    remove = clean;
    const built = await buildNativeRunner(folder, KERNELS);
    if (built === undefined) return this.skip();
    native = built;
  });
  after(() => {
    remove();
  });

  const ask = async (more: object, environment: NodeJS.ProcessEnv = {}): Promise<Line> => {
    const runner = startNative(native, environment);
    try {
      assert.equal((await runner.next())['type'], 'ready');
      return await runner.ask(
        runRequest(native.cubin, 'gemm', { problem: problemOf(), launches: [launchOf()], ...more }),
      );
    } finally {
      runner.child.kill('SIGKILL');
    }
  };
  const saidOf = async (more: object, environment: NodeJS.ProcessEnv = {}) => {
    const { outcome, message } = await ask(more, environment);
    return `${String(outcome)}: ${String(message)}`;
  };

  it('are of the matrices as they lie, of each of their copies', async () => {
    assert.equal(await saidOf({}), 'correct: ');
    const timing = { warmUpMs: 1, settleMs: 2, batchMs: 1, budgetMs: 10, samples: 3 };
    const timed = await ask({ mode: 'time', timing });
    assert.deepEqual([timed['outcome'], timed['message']], ['correct', '']);
    assert.ok((timed['timing'] as { sets: number }).sets >= 2);
  });

  it('have a third dimension where there is a batch', async () => {
    const stride = (ld: number, rows: number) => operand(ld, { batchStride: ld * rows + 4 });
    const batched = problemOf({
      batch: 2,
      a: stride(32, 45),
      b: stride(40, 29),
      c: stride(40, 45),
    });
    assert.equal(
      await saidOf({ problem: batched, launches: [launchOf({ grid: [2, 37, 2] })] }),
      'correct: ',
    );
    const odd = { ...batched, b: operand(40, { batchStride: 40 * 29 + 2 }) };
    assert.match(
      await saidOf({ problem: odd, launches: [launchOf({ grid: [2, 37, 2] })] }),
      /^constraint: No tensor map for B of gemm: its batch stride is 4648 bytes; TMA requires a multiple of 16/,
    );
  });

  it('may be of the workspace, into which a launch before has laid a matrix', async () => {
    const problem = problemOf({ a: operand(29) });
    const padding = {
      symbol: 'pad',
      grid: [1, 1, 1],
      block: [1, 1, 1],
      dynamicSharedBytes: 0,
      arguments: ['a', 'lda', 'workspace', 'm', 'k'],
    };
    const a = { ...tensorMaps.a, workspaceOffset: 64, ld: 36 };
    const launches = [padding, launchOf({ tensorMaps: { ...tensorMaps, a } })];
    const workspaceBytes = 64 + (44 * 36 + 29) * 4;
    assert.equal(await saidOf({ problem, launches, workspaceBytes }), 'correct: ');
    assert.match(
      await saidOf({ problem, launches, workspaceBytes: workspaceBytes - 1 }),
      /^constraint: Matrix a exceeds the workspace/,
    );
    assert.match(
      await saidOf({ problem }),
      /^constraint: No tensor map for A of gemm: its leading dimension is 116 bytes; TMA requires a multiple of 16/,
    );
  });

  it('may be of the workspace, into which a launch before has transposed a matrix', async () => {
    const turning = {
      symbol: 'turn',
      grid: [1, 1, 1],
      block: [1, 1, 1],
      dynamicSharedBytes: 0,
      arguments: ['b', 'ldb', 'workspace', 'n', 'k'],
    };
    const b = { ...tensorMaps.b, workspaceOffset: 0, ld: 32, transposed: true };
    const maps = { a: tensorMaps.a, b };
    const multiplying = launchOf({
      symbol: 'transposedGemm',
      arguments: ['tensorMapA', 'tensorMapB', 'c', 'ldc', 'm', 'n', 'k', 'batch'],
      tensorMaps: maps,
    });
    const launches = [turning, multiplying];
    const workspaceBytes = (36 * 32 + 29) * 4;
    assert.equal(await saidOf({ launches, workspaceBytes }), 'correct: ');
    assert.match(
      await saidOf({ launches, workspaceBytes: workspaceBytes - 1 }),
      /^constraint: Matrix b exceeds the workspace/,
    );
  });

  it('are refused with the operand and the rule', async () => {
    const mapped = (a: object) => ({ launches: [launchOf({ tensorMaps: { ...tensorMaps, a } })] });
    for (const [request, said] of [
      [
        mapped({ box: [64, 16], swizzleBytes: 128 }),
        /A of gemm: its box is 64 x 16; rows of 256 bytes exceed/,
      ],
      [
        mapped({ box: [30, 16], swizzleBytes: 128 }),
        /expected rows of a multiple of 16 bytes, got 120/,
      ],
      [
        mapped({ box: [32, 257], swizzleBytes: 128 }),
        /its box is 32 x 257; expected sides of 1 to 256/,
      ],
      [mapped({ box: [8, 16], swizzleBytes: 48 }), /expected a swizzle of 0, 32, 64 or 128 bytes/],
      [mapped({ box: [8], swizzleBytes: 128 }), /Expected two extents for the box of a tensor map/],
      [{ launches: [launchOf({ tensorMaps: {} })] }, /no box and swizzle for tensorMapA/],
      [
        { launches: [launchOf({ arguments: ['m', 'n', 'k'] })] },
        /expected m, an integer of 4 or 8 bytes/,
      ],
      [
        { launches: [launchOf({ arguments: ['a', 'b', 'c', 'm', 'n', 'k', 'batch'] })] },
        /has 128 bytes; expected a, a pointer/,
      ],
    ] as const) {
      const answer = await saidOf(request);
      assert.match(answer, /^constraint: /);
      assert.match(answer, said);
    }
    assert.match(
      await saidOf({}, { SHIM_NO_TENSOR_MAPS: '1' }),
      /^constraint: No tensor map for A of gemm: cuTensorMapEncodeTiled returned 1 for a matrix of 29 x 45/,
    );
  });

  it('move floats of 8 bits, which the runner makes and multiplies', async () => {
    const problem = problemOf({
      a: operand(32, { dtype: 'e4m3' }),
      b: operand(32, { dtype: 'e5m2', layout: 'col' }),
    });
    const maps = { a: { box: [32, 16], swizzleBytes: 32 }, b: { box: [32, 16], swizzleBytes: 32 } };
    const launches = [
      launchOf({
        symbol: 'fp8gemm',
        arguments: ['tensorMapA', 'tensorMapB', 'c', 'ldc', 'm', 'n', 'k', 'batch'],
        tensorMaps: maps,
      }),
    ];
    const answer = await ask({ problem, launches, inputBits: { a: 4, b: 3, c: 24 } });
    assert.deepEqual([answer['outcome'], answer['message']], ['correct', '']);
    const { maxError } = answer['verification'] as { maxError: number };
    // Products of so few bits are summed exactly: what is made is what is read.
    assert.equal(maxError, 0);
  });
});
