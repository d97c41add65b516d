/**
 * cuBLASLt as a baseline: the fastest of what it offers, measured, with a library on the CPU that
 * stands for it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hostileFolder, present } from '../support';
import {
  buildNativeRunner,
  runRequest,
  startNative,
  type Line,
  type NativeRunner,
} from './nativeRunner';

const KERNELS = `#include "cuda_runtime.h"
extern "C" __global__ void gemm(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j];
  c[i * ldc + j] = sum;
}
extern "C" __global__ void idle(int m) { (void)m; }
SHIM_KERNEL_OF_A_CUBIN(gemm)
SHIM_KERNEL_OF_A_CUBIN(idle)
`;

const timing = { warmUpMs: 1, settleMs: 4, batchMs: 1, budgetMs: 60, samples: 3 };

interface Timed {
  readonly id: string;
  readonly name: string;
  readonly algorithms: number;
  readonly withinBound: boolean;
  readonly medianMs: number;
}

describe('cuBLASLt beside a kernel, on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let remove: () => void;
  let native: NativeRunner;
  let libraries: string;
  before(async function () {
    const { path: folder, remove: clean } = hostileFolder();
    remove = clean;
    const built = await buildNativeRunner(folder, KERNELS);
    const compiler = present('g++');
    if (built === undefined || compiler === undefined) return this.skip();
    native = built;
    libraries = path.dirname(folder);
    const source = path.resolve('test/host/fixtures/shim/cublaslt.cpp');
    const library = path.join(libraries, 'libcublasLt.so.13');
    execFileSync(compiler, ['-std=c++17', '-O1', '-shared', '-fPIC', source, '-o', library]);
  });
  after(() => {
    remove();
  });

  const log = () => path.join(libraries, 'log');
  const ask = async (more: object): Promise<Line> => {
    rmSync(log(), { force: true });
    const runner = startNative(native, { SHIM_LT_LOG: log() }, ['--libraries', libraries]);
    try {
      assert.equal((await runner.next())['type'], 'ready');
      return await runner.ask(runRequest(native.cubin, 'gemm', { timing, ...more }));
    } finally {
      runner.child.kill('SIGKILL');
    }
  };
  const baselinesOf = (line: Line) => line['baselines'] as readonly Timed[];

  for (const id of ['cublaslt', 'cublaslt-best']) {
    it(`is the fastest that was measured: ${id}`, async () => {
      const answer = await ask({ mode: 'time', baselines: [id] });
      assert.equal(answer['outcome'], 'correct', String(answer['message']));
      const [found] = baselinesOf(answer);
      assert.deepEqual([found?.id, found?.algorithms, found?.withinBound], [id, 3, true]);
      assert.equal(found?.name, 'cuBLASLt 13.1.2, fastest of 3 algorithms measured');
      const ran = readFileSync(log(), 'utf8');
      // Each was tried; the slow one is left when it is known, and only the fast one races.
      assert.deepEqual([...new Set(ran)].sort(), ['0', '1', '2']);
      assert.match(ran, /2{6}$/);
    });
  }

  it('is its own first choice where that is asked for', async () => {
    const answer = await ask({ mode: 'time', baselines: ['cublaslt-first'] });
    const [found] = baselinesOf(answer);
    assert.equal(found?.name, 'cuBLASLt 13.1.2, its first heuristic');
    assert.ok(found.medianMs >= 3);
    assert.deepEqual([...new Set(readFileSync(log(), 'utf8'))], ['0']);
  });

  it('takes floats of 8 bits with K contiguous in both, summed fast', async () => {
    const request = runRequest(native.cubin, 'gemm', {}) as Record<string, unknown>;
    const { tile, problem } = request;
    const eight = (dtype: string, layout: string) => ({ dtype, layout, ld: 48, batchStride: 0 });
    // What it leaves of C is not right, which is no matter of the library's.
    const launch = { symbol: 'idle', grid: [1, 1, 1], block: [1, 1, 1], dynamicSharedBytes: 0 };
    const launches = [{ ...launch, arguments: ['m'] }];
    const contestants = [{ cubin: native.cubin, tile, launches }];
    const raced = (b: object) =>
      ask({
        type: 'race',
        contestants,
        baselines: ['cublaslt', 'cublas'],
        inputBits: { a: 4, b: 3, c: 24 },
        problem: { ...(problem as object), a: eight('e4m3', 'row'), b },
      });
    const good = await raced(eight('e5m2', 'col'));
    assert.equal(good['type'], 'race', String(good['message']));
    assert.deepEqual(
      baselinesOf(good).map(({ id }) => id),
      ['cublaslt'],
    );
    assert.match(String(good['notes']), /^cublas: cuBLAS does not support 8-bit floats/);
    const bad = await raced(eight('e4m3', 'row'));
    assert.deepEqual(bad['baselines'], []);
    assert.match(String(bad['notes']), /only with row-major A and column-major B/);
  });
});
