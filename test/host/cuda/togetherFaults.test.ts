/** Kernels timed together with one that destroys the CUDA context, on a fake runner. */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { Measurement } from '../../../src/core/measure/measurement';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import { runTogether, type TogetherRequest } from '../../../src/host/cuda/together';
import { onceInHostileFolder } from '../support';
import { fakeMachine, type FakeMachine } from './fakeMachine';

const kernel = (name: string): Runnable => {
  const read = readKernelFile(
    `// @gemm {"problem":{"m":512,"n":512,"k":512},"grid":[4],"block":[256],"args":["a","b","c"]}
__global__ void ${name}(const float *a, const float *b, float *c) {}`,
    `${name}.cu`,
  );
  assert.ok(read.ok);
  return read.runnable;
};

describe('a benchmark with a kernel that destroys the context (needs a C compiler)', () => {
  let folder: string;
  let machine: FakeMachine;
  onceInHostileFolder(fakeMachine, (at, made) => {
    [folder, machine] = [at, made];
  });
  const together = (
    names: readonly string[],
    more: Partial<TogetherRequest> = {},
    abort = new AbortController(),
  ): Promise<readonly Measurement[]> =>
    runTogether(
      { runnables: names.map(kernel), mode: 'time', seed: 1, ...more },
      {
        search: { setting: machine.nvcc, environment: machine.environment },
        where: 'cli',
        cacheFolder: path.join(folder, 'cache', 'build'),
        ceilings: false,
      },
      { abort: abort.signal, progress: () => undefined },
    );

  it('times the other kernels without it', async () => {
    const found = await together(['first', 'faulty', 'last']);
    assert.deepEqual(
      found.map(({ specKey, outcome, timing }) => [specKey, outcome, timing !== undefined]),
      [
        ['first', 'correct', true],
        ['faulty', 'launch-error', false],
        ['last', 'correct', true],
      ],
    );
    assert.match(found[1]?.message ?? '', /cudaErrorIllegalAddress/);
    const races = machine.requests().filter(({ type }) => type === 'race');
    assert.deepEqual(
      races.map(({ contestants }) => (contestants as readonly unknown[]).length),
      [3, 2],
    );
  });

  it('only verifies in mode verify, and reports a compile error of one kernel', async () => {
    const [good, bad] = await together(['good', 'omega'], { mode: 'verify' });
    assert.deepEqual([good?.outcome, good?.timing], ['correct', undefined]);
    assert.equal(bad?.outcome, 'compile-error');
  });

  it('returns cancelled kernels after an abort', async () => {
    const abort = new AbortController();
    abort.abort();
    const found = await together(['first', 'last'], {}, abort);
    assert.deepEqual(
      found.map(({ outcome }) => outcome),
      ['cancelled', 'cancelled'],
    );
  });
});
