/**
 * Runs beside the saw-tooth: those of the same schedule, text and machine at other sizes, and no
 * others.
 */
import assert from 'node:assert/strict';
import { kernelOf } from '../../../../scripts/grid/properties';
import type { Kernel } from '../../../../src/core/kernel/kernel';
import { sourceHashOf } from '../../../../src/core/text/hash';
import type { Measurement } from '../../../../src/core/measure/measurement';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { measuredSizes } from '../../../../src/core/search/sweep/measuredSizes';
import { timed } from '../../../helpers/measurements';

const schedule = {
  algorithm: 'thread-tile-2d',
  block: { m: 64, n: 64, k: 8 },
  thread: { m: 8, n: 8 },
} as const;

function kernelFor(problem: GemmSpec['problem'], other: GemmSpec['schedule'] = schedule): Kernel {
  const kernel = kernelOf({ problem, schedule: other }, 'cuda');
  assert.ok(kernel !== null);
  return kernel;
}

const measurementOf = (kernel: Kernel, gflops: number): Measurement =>
  timed({ gflops, sourceHash: sourceHashOf(kernel), resolved: kernel.spec });

const own = kernelFor({ m: 512, n: 256, k: 128 });
const sizesOf = (runs: readonly Measurement[], axis: 'm' | 'n' | 'k' | 'mnk' = 'm') =>
  measuredSizes({ plan: own.plan, device: 'h200', axis, runs }).map(({ size, tflops }) => [
    size,
    tflops,
  ]);

describe('measured sizes', () => {
  const at = (m: number, gflops: number) => measurementOf(kernelFor({ m, n: 256, k: 128 }), gflops);

  it('are ascending, the newest run of each', () => {
    assert.deepEqual(sizesOf([at(640, 3000), at(512, 1000), at(640, 4000)]), [
      [512, 1],
      [640, 4],
    ]);
  });

  it('are on the axis: the other sizes as they are', () => {
    const runs = [at(640, 1000), measurementOf(kernelFor({ m: 512, n: 256, k: 256 }), 2000)];
    assert.deepEqual(sizesOf(runs, 'm'), [[640, 1]]);
    assert.deepEqual(sizesOf(runs, 'k'), [[256, 2]]);
    assert.deepEqual(sizesOf(runs, 'mnk'), []);
  });

  it('are of this schedule, its text and this machine', () => {
    const run = at(640, 1000);
    const others: readonly Measurement[] = [
      measurementOf(
        kernelFor({ m: 640, n: 256, k: 128 }, { ...schedule, block: { m: 64, n: 64, k: 16 } }),
        2000,
      ),
      measurementOf(kernelFor({ m: 640, n: 256, k: 128, alpha: 2 }), 2000),
      { ...run, sourceHash: sourceHashOf(own) },
      { ...run, backend: 'webgpu' },
      { ...run, device: { ...run.device, name: 'NVIDIA A10', adapter: 'NVIDIA A10' } },
    ];
    assert.deepEqual(sizesOf(others), []);
    assert.deepEqual(sizesOf([run]), [[640, 1]]);
  });
});
