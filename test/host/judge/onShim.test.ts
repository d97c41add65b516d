/**
 * The judge on the runner's own program, which runs on the CPU shim: names known ways to cheat,
 * also those that need several sets of matrices or many launches.
 */
import assert from 'node:assert/strict';
import type { Measurement } from '../../../src/core/measure/measurement';
import type { Runnable } from '../../../src/core/kernel/kernel';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import { rejects } from '../../../src/core/verify/judge/ids';
import { measurementBuilder } from '../../../src/host/cuda/result';
import { measurementOf } from '../../../src/host/cuda/runner/measured';
import { decodeLine, type Ready } from '../../../src/host/cuda/runner/protocol';
import { runBody } from '../../../src/host/cuda/runner/runBody';
import { buildNativeRunner, startNative, type Line, type NativeRunner } from '../cuda/nativeRunner';
import { hostileFolder } from '../support';
import { cheats, type Cheat } from './cheats';

/** The shim has neither PTX nor memory faults. */
const judged = cheats.filter(
  ({ name, findings }) => findings.cuda !== 'none' && name !== 'clockSkip.cu',
);

const HONEST = `__global__ void gemm(int m, int n, int k, const float *a, const float *b, float *c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}`;

const symbolOf = (name: string): string => `gemm_${name.replace('.cu', '')}`;

/** Several files in one library: each in a namespace, with a name of its own for its kernel. */
const sectionOf = (name: string, source: string): string => {
  const [symbol, includes] = [symbolOf(name), source.match(/^#include .*$/gm) ?? []];
  const device = source
    .replace(/^#include .*$/gm, '')
    .split(/\n(?:void launch|float elapsed)\(/)[0];
  return [
    ...includes,
    `namespace of_${symbol} {`,
    device?.replaceAll(/\bgemm\(/g, `${symbol}(`).replaceAll(/\bnanf\(/g, '::nanf(') ?? '',
    '}',
    `using of_${symbol}::${symbol};`,
    `SHIM_KERNEL_OF_A_CUBIN(${symbol})`,
  ].join('\n');
};

describe('the judge on the native runner (needs g++ on Linux)', function () {
  this.timeout(60_000);
  let remove: () => void;
  let native: NativeRunner;
  let runner: ReturnType<typeof startNative> | undefined;
  let ready: Ready;
  before(async function () {
    const folder = hostileFolder();
    ({ remove } = folder);
    const kernels = [
      '#include "cuda_runtime.h"',
      '#include <cmath>',
      sectionOf('honest', HONEST),
      ...judged.map(({ name, runnable }) => sectionOf(name, runnable.source)),
    ];
    const built = await buildNativeRunner(folder.path, kernels.join('\n'));
    if (built === undefined) return this.skip();
    native = built;
    runner = startNative(native);
    const greeting = decodeLine(JSON.stringify(await runner.next()), 0);
    assert.ok(greeting?.type === 'ready');
    ready = greeting;
  });
  after(() => {
    runner?.child.kill('SIGKILL');
    remove();
  });

  const run = async (
    name: string,
    runnable: Runnable,
    mode: 'verify' | 'time',
  ): Promise<Measurement> => {
    const request = { runnable, mode, seed: 1 } as const;
    const loaded = { cubin: native.cubin, symbols: [symbolOf(name)], cache: 'cold' } as const;
    const timing = { warmUpMs: 5, settleMs: 20, batchMs: 2, budgetMs: 40, samples: 6 };
    const id = 9;
    assert.ok(runner);
    const line: Line = await runner.ask({ ...runBody(request, loaded), id, timing });
    const answer = decodeLine(JSON.stringify(line), id);
    assert.ok(answer?.type === 'result', JSON.stringify([line, answer]));
    const report = measurementBuilder(runnable, 'test');
    return measurementOf(request, answer, { ready, report, more: {}, notes: [] });
  };
  /** Sizes that the shim runs in milliseconds. */
  const small = ({ name, runnable }: Cheat): Runnable => {
    const source = runnable.source.replace('"m":1024,"n":1024,"k":1024', '"m":32,"n":32,"k":1024');
    const read = readKernelFile(source, name);
    assert.ok(read.ok);
    return read.runnable;
  };

  for (const cheat of judged) {
    const { name } = cheat;
    // A CPU keeps the bits of a NaN, so that a sum with the poison value is the poison value.
    const finding = name === 'readsC.cu' ? 'output-not-written' : cheat.findings.cuda;
    it(`names the cheat of ${name} while it is timed: ${finding}`, async () => {
      const measured = await run(name, small(cheat), 'time');
      const found = measured.findings?.find(({ id }) => id === finding);
      assert.ok(found, JSON.stringify([measured.outcome, measured.message, measured.findings]));
      if (!rejects(found)) {
        assert.equal(measured.outcome, 'correct', measured.message);
        return;
      }
      assert.equal(measured.outcome, 'incorrect');
      assert.equal(measured.timing, undefined);
      assert.ok(measured.message?.includes(found.message));
    });
  }

  it('accuses no honest kernel, neither when it is verified nor when it is timed', async () => {
    const [cheat] = cheats;
    assert.ok(cheat);
    const read = readKernelFile(
      `// @gemm {"problem":{"m":45,"n":37,"k":29},"grid":["ceil(n / 16)","ceil(m / 16)"],"block":[16,16],"args":["m","n","k","a","b","c"]}\n${HONEST}`,
      'honest.cu',
    );
    assert.ok(read.ok);
    for (const mode of ['verify', 'time'] as const) {
      const measured = await run('honest', read.runnable, mode);
      assert.deepEqual([measured.outcome, measured.findings], ['correct', undefined]);
      assert.equal(measured.timing !== undefined, mode === 'time');
    }
  });
});
