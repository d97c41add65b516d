/**
 * The cpu backend: emitted CUDA, compiled by the machine's C++ compiler, is right, and what is
 * wrong with it is found.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readKernelFile } from '../../../src/core/source/kernelFile';
import type { RunProgress } from '../../../src/core/measure/backend';
import { CONTEXT } from '../../helpers/context';
import { hostileFolder } from '../support';
import type { Measurement } from '../../../src/core/measure/measurement';
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { DType } from '../../../src/core/types/dtype';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { cudaKernel, edited, hasCxx, lineOf, runAll, runOne } from './support';

const problem = { m: 45, n: 37, k: 29 };
const tiles = { block: { m: 32, n: 32, k: 8 }, thread: { m: 4, n: 4 } } as const;
const warps = { ...tiles, warp: { m: 16, n: 32 } } as const;
const typed = (a: DType, c: DType, accumulator?: DType): GemmSpec => ({
  problem: {
    m: 48,
    n: 40,
    k: 36,
    alpha: 2,
    beta: 1,
    a: { dtype: a },
    b: { dtype: a },
    c: { dtype: c },
    ...(accumulator === undefined ? {} : { accumulator }),
  },
  schedule: { algorithm: 'warp-tile', ...warps },
});
const specs: Readonly<Record<string, GemmSpec>> = {
  naive: { problem, schedule: { algorithm: 'naive' } },
  coalesced: { problem, schedule: { algorithm: 'coalesced', variant: 'remap' } },
  'shared-tile': { problem, schedule: { algorithm: 'shared-tile' } },
  'thread-tile-1d': { problem, schedule: { algorithm: 'thread-tile-1d' } },
  'thread-tile-2d': { problem, schedule: { algorithm: 'thread-tile-2d', ...tiles } },
  vectorized: { problem, schedule: { algorithm: 'vectorized', ...tiles } },
  'warp-tile': { problem, schedule: { algorithm: 'warp-tile', ...warps, swizzle: 'xor' } },
  pipelined: { problem, schedule: { algorithm: 'pipelined', ...warps, stages: 3 } },
  prefetched: { problem, device: 't4', schedule: { algorithm: 'pipelined', ...warps } },
  'gemv with shuffles': {
    problem: { m: 3, n: 401, k: 301, alpha: 2, beta: 1, b: { layout: 'col' } },
    schedule: { algorithm: 'gemv' },
  },
  'gemv with partial results in shared memory': {
    problem: { m: 4, n: 150, k: 300, batch: 2, a: { layout: 'col' } },
    schedule: { algorithm: 'gemv', splitK: 2 },
  },
  f64: typed('f64', 'f64'),
  f16: typed('f16', 'f16'),
  'f16, summed in f16': typed('f16', 'f16', 'f16'),
  bf16: typed('bf16', 'f32'),
  s8: typed('s8', 's32'),
  large: {
    problem: { m: 128, n: 128, k: 64 },
    schedule: {
      algorithm: 'pipelined',
      block: { m: 128, n: 128, k: 32 },
      stages: 3,
      warp: { m: 64, n: 32 },
      thread: { m: 8, n: 8 },
    },
  },
};
const kernel = (name: keyof typeof specs): Runnable => cudaKernel(specs[name] ?? { problem });
const told = ({ outcome, message = '', verification }: Measurement): string =>
  `${outcome} ${message} ${JSON.stringify(verification)}`;

(hasCxx ? describe : describe.skip)('the cpu backend (needs g++ or clang++)', function () {
  this.timeout(60_000);

  it('runs one kernel of each algorithm and type with one compilation', async () => {
    const names = Object.keys(specs);
    const measurements = await runAll(names.map(kernel));
    assert.deepEqual(
      measurements.map((measurement, i) => [names[i], told(measurement).split(' ')[0]]),
      names.map(name => [name, 'correct']),
      measurements.map(told).join('\n'),
    );
    assert.ok(measurements.every(({ verification: { samples } }) => samples > 1000));
  });

  it('compiles them once: a text that does not compile costs the others one more', async () => {
    const stages: string[] = [];
    const context = { ...CONTEXT, progress: ({ stage }: RunProgress) => void stages.push(stage) };
    const kernels = [kernel('naive'), kernel('large'), kernel('large')];
    const count = () => stages.filter(stage => stage === 'compile').length;
    assert.ok((await runAll(kernels, { context })).every(({ outcome }) => outcome === 'correct'));
    assert.equal(count(), 1);
    const broken = edited(kernel('naive'), /float sum = 0\.0f;|float acc = 0\.0f;/, 'nothing;');
    const measurements = await runAll([...kernels, broken], { context });
    assert.deepEqual(
      measurements.map(({ outcome }) => outcome),
      ['correct', 'correct', 'correct', 'compile-error'],
    );
    assert.equal(count(), 1 + 1 + 4);
  });

  it('runs kernels written by hand, as their tutorials print them', async () => {
    const folder = path.resolve('test/fixtures/handWritten');
    for (const name of readdirSync(folder)) {
      const file = readKernelFile(readFileSync(path.join(folder, name), 'utf8'), name);
      assert.ok(file.ok, `${name}: ${file.ok ? '' : file.reason}`);
      assert.equal(file.origin, 'hand-written');
      const measurement = await runOne(file.runnable);
      assert.equal(measurement.outcome, 'correct', `${name}: ${told(measurement)}`);
    }
  });

  it('leaves host code out, and keeps the lines of the kernel', async () => {
    const plain = kernel('naive');
    const host = `#include <cuda_runtime.h>
#define CHECK(call) if ((call) != 0) { exit(1); }
// A launch: gemm<<<1, 2>>>(3);
void run(const float* a, float* c, cudaStream_t stream) {
  for (int i = 0; i < 3; ++i) { CHECK(cudaMalloc((void**)&c, 4)); }
  ${plain.entry}<<<dim3(1), dim3(2), 0, stream>>>(a, c);
}
namespace inside { struct Timer { cudaEvent_t start; void stop() { cudaEventRecord(start); } }; }
int main() { run(nullptr, nullptr, nullptr); cudaDeviceSynchronize(); return 0; }
`;
    const whole = { ...plain, source: plain.source + host };
    assert.equal((await runOne(whole)).outcome, 'correct');
    const wrong = edited(
      { ...whole, source: host.replace('gemm_naive<<<', 'nobody<<<') + plain.source },
      'row < M && col < N',
      'true',
    );
    const measurement = await runOne(wrong);
    assert.equal(measurement.outcome, 'launch-error');
    const [, line = ''] = /in line (\d+)/.exec(told(measurement)) ?? [];
    assert.match(wrong.source.split('\n')[Number(line) - 1] ?? '', /[ABC]\[/);
  });

  it('works in folders with hostile names, and keeps what it compiled', async () => {
    const folder = hostileFolder();
    try {
      const cacheFolder = path.join(folder.path, 'cache');
      const first = await runOne(kernel('vectorized'), { cacheFolder });
      assert.equal(first.outcome, 'correct', told(first));
      assert.equal(readdirSync(cacheFolder).length, 2);
      assert.equal((await runOne(kernel('vectorized'), { cacheFolder })).outcome, 'correct');
      assert.equal(readdirSync(cacheFolder).length, 2);
    } finally {
      folder.remove();
    }
  });

  it('can be cancelled while a kernel runs, and leaves no process', async () => {
    const endless = edited(kernel('naive'), /\+\+k\)/, 'k += 0)');
    const cancelled = new AbortController();
    const progress = ({ stage, fraction }: RunProgress) => {
      if (stage === 'run' && fraction !== undefined) cancelled.abort();
    };
    const measurement = await runOne(endless, { context: { abort: cancelled.signal, progress } });
    assert.equal(measurement.outcome, 'cancelled', told(measurement));
  });

  const outcomes: readonly (readonly [
    string,
    () => Runnable,
    Measurement['outcome'],
    (kernel: Runnable) => RegExp,
  ])[] = [
    [
      'a barrier that is not there',
      () => edited(kernel('shared-tile'), /__syncthreads\(\);/, ''),
      'incorrect',
      () =>
        /race: thread \(\d+, \d+\) of block \(\d, \d\) (reads|writes) 4 bytes of shared memory at byte \d+ in line \d+; thread .* in line \d+ without a barrier/,
    ],
    [
      'a read past the edge',
      () => edited(kernel('naive'), /row < M && col < N/, 'true'),
      'launch-error',
      () =>
        /out-of-bounds: thread \(\d+, \d+\) of block .* of [ABC] at element \d+ of \d+ in line \d+/,
    ],
    [
      'a wait that is not there',
      () => edited(kernel('pipelined'), /__pipeline_wait_prior\(\d\);/, ''),
      'incorrect',
      () =>
        /in-flight: thread .* before waiting for the asynchronous copy of thread .* in line \d+/,
    ],
    [
      'a vector between two',
      () =>
        edited(
          kernel('large'),
          /copy4\(&b\[n\], &Bs\[stage\]\[k\]\[threadCol/,
          'copy4(&b[n], &Bs[stage][k][1 + threadCol',
        ),
      'launch-error',
      of =>
        new RegExp(
          `misaligned: .* 16 bytes at an address .* in line ${lineOf(of, 'reinterpret_cast<float4*>(to)')}`,
        ),
    ],
    [
      'a barrier that some threads pass by',
      () =>
        edited(
          kernel('shared-tile'),
          /__syncthreads\(\);/,
          'if (threadIdx.x > 2) __syncthreads();',
        ),
      'launch-error',
      of =>
        new RegExp(
          `deadlock: thread \\(0, 0\\) of block \\(\\d, \\d\\) waits for its block in line \\d+, but thread \\(3, 0\\) .* never arrives: it waits in line ${lineOf(of, 'if (threadIdx.x > 2)')}`,
        ),
    ],
    [
      'threads that end before a barrier',
      () =>
        edited(
          kernel('shared-tile'),
          /__syncthreads\(\);/,
          'if (threadIdx.y == 1) return; __syncthreads();',
        ),
      'launch-error',
      () =>
        /deadlock: thread \(0, 0\) .* thread \(0, 1\) of block \(\d, \d\) never arrives: it has ended/,
    ],
    [
      'a kernel that never ends',
      () => edited(kernel('naive'), /\+\+k\)/, 'k += 0)'),
      'timeout',
      () => /timeout: the kernel exceeded the time limit; thread .* was in line \d+/,
    ],
    [
      'a result that is stored elsewhere',
      () => edited(kernel('naive'), /C\[row \* ldc/, 'C[(M - 1 - row) * ldc'),
      'incorrect',
      () => /"first":\{"row":0,"column":0/,
    ],
    [
      'an input that is written',
      () =>
        edited(kernel('naive'), /C\[row \* ldc/, 'const_cast<float*>(A)[0] = 1.0f; C[row * ldc'),
      'launch-error',
      () => /written-input: .* of A at element 0 /,
    ],
    [
      'a text that is no C++',
      () =>
        edited(kernel('naive'), /float sum = 0\.0f;|float acc = 0\.0f;/, 'float acc = nothing;'),
      'compile-error',
      of => new RegExp(`Line ${lineOf(of, 'nothing')}, column 17: .nothing. was not declared`),
    ],
    [
      'arguments that are too few',
      () => ({ ...kernel('naive'), arguments: ['a', 'b', 'c'] }),
      'compile-error',
      () => /@gemm comment does not match the kernel: the number of entries in args differs/,
    ],
    [
      'inline PTX',
      () => edited(kernel('naive'), /if \(row < M/, 'asm volatile("bar.sync 0;");\n  if (row < M'),
      'compile-error',
      of =>
        new RegExp(
          `Line ${lineOf(of, 'asm volatile')} contains inline PTX \\(bar\\.sync\\), which requires a GPU`,
        ),
    ],
  ];
  for (const [name, make, outcome, message] of outcomes) {
    it(`finds ${name}: ${outcome}`, async () => {
      const wrong = make();
      const measurement = await runOne(wrong, { runTimeoutMs: 1500 });
      assert.equal(measurement.outcome, outcome, told(measurement));
      assert.match(told(measurement), message(wrong));
    });
  }
});
