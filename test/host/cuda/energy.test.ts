/** The energy measurement of the runner, on the CPU shim with an NVML of constant power. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { SHIM, SHIM_FLAGS } from '../shimCompiler';
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
SHIM_KERNEL_OF_A_CUBIN(gemm)
`;

interface Timed {
  readonly energy?: {
    readonly watts: number;
    readonly launchMs: number;
    readonly windowMs: number;
  };
  readonly energyUnknown?: string;
}

describe('the energy of a kernel on the native runner (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let native: NativeRunner;
  let remove: () => void;
  before(async function () {
    const folder = hostileFolder();
    ({ remove } = folder);
    const built = await buildNativeRunner(folder.path, KERNELS);
    const compiler = present('g++');
    if (built === undefined || compiler === undefined) return this.skip();
    native = built;
    const library = path.join(path.dirname(folder.path), 'libnvidia-ml.so.1');
    const args = [...SHIM_FLAGS, '-shared', '-fPIC', path.join(SHIM, 'nvml.cpp'), '-o', library];
    await promisify(execFile)(compiler, args);
  });
  after(() => {
    remove();
  });

  const timed = async (energyMs: number, environment: NodeJS.ProcessEnv): Promise<Timed> => {
    const runner = startNative(native, environment);
    try {
      assert.equal((await runner.next())['type'], 'ready');
      const timing = { warmUpMs: 1, settleMs: 5, batchMs: 1, budgetMs: 5, samples: 3, energyMs };
      const request = runRequest(native.cubin, 'gemm', { mode: 'time', timing });
      const answer: Line = await runner.ask(request);
      assert.equal(answer['outcome'], 'correct', JSON.stringify(answer));
      return answer['timing'] as Timed;
    } finally {
      runner.child.kill('SIGKILL');
    }
  };

  it('is the slope of the counter between its advances', async () => {
    const { energy, energyUnknown } = await timed(1000, { SHIM_BUS: '0000:01:00.0' });
    assert.ok(energy, energyUnknown);
    assert.ok(Math.abs(energy.watts / 500 - 1) < 0.03, JSON.stringify(energy));
    assert.ok(energy.windowMs >= 300 && energy.windowMs <= 1500);
    assert.ok(energy.launchMs > 0);
  });

  it('is unknown over a window that is too short, with the reason', async () => {
    const { energy, energyUnknown } = await timed(100, { SHIM_BUS: '0000:01:00.0' });
    assert.equal(energy, undefined);
    assert.match(energyUnknown ?? '', /too coarse/);
  });

  it('is unknown without a counter, with the reason, and absent where it is not asked for', async () => {
    const { energy, energyUnknown } = await timed(500, {});
    assert.equal(energy, undefined);
    assert.match(energyUnknown ?? '', /does not count/);
    const none = await timed(0, { SHIM_BUS: '0000:01:00.0' });
    assert.deepEqual([none.energy, none.energyUnknown], [undefined, undefined]);
  });
});
