/**
 * The cuda backend with the real runner, both ends of their protocol: on the CPU, where a shim
 * stands for the GPU.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import * as v from 'valibot';
import { emit } from '../../../src/core/kernel/emit';
import type { Runnable } from '../../../src/core/kernel/kernel';
import type { ResolvedSpec } from '../../../src/core/spec/resolved';
import type { RunRequest } from '../../../src/core/measure/backend';
import { measurementSchema, type Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { cudaBackend } from '../../../src/host/cuda/backend';
import { onWholeMachine } from './wholeMachine';

describe('the cuda backend with its own runner, on the CPU shim (needs g++ on Linux)', function () {
  this.timeout(120_000);
  let folder: string;
  let nvcc: string;
  onWholeMachine((...made) => {
    [folder, nvcc] = made;
  });

  const spec = resolve({
    problem: { m: 33, n: 50, k: 21, alpha: 2, beta: -1, c: { ld: 60 } },
    schedule: { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 8 } },
    targets: ['cuda'],
  });
  const gated = resolve({
    problem: {
      m: 33,
      n: 50,
      k: 21,
      batch: 2,
      alpha: 2,
      epilogue: [
        { op: 'gate', act: 'gelu', ld: 53 },
        { op: 'bias', along: 'n' },
      ],
    },
    schedule: { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 8 } },
    targets: ['cuda'],
  });
  const kernel = (
    edit: (source: string) => string = source => source,
    of: ResolvedSpec = spec,
  ): Runnable => {
    const planned = plan(of, 'cuda');
    assert.ok(planned.ok);
    const runnable = emit(planned.plan);
    return { ...runnable, source: edit(runnable.source) };
  };
  const run = async (runnable: Runnable, more: Partial<RunRequest> = {}): Promise<Measurement> => {
    const backend = cudaBackend({
      search: { setting: nvcc, environment: { PATH: path.dirname(nvcc) } },
      where: 'cli',
      cacheFolder: path.join(folder, 'cache', 'build'),
      ceilings: false,
    });
    const measurement = await backend.run(
      { runnable, mode: 'verify', seed: 7, ...more },
      { abort: new AbortController().signal, progress: () => undefined },
    );
    assert.ok(v.is(measurementSchema, measurement), JSON.stringify(measurement));
    return measurement;
  };

  it('verifies and times a right kernel, and says why there is no library beside it', async () => {
    const verified = await run(kernel());
    assert.deepEqual([verified.outcome, verified.message], ['correct', undefined]);
    assert.deepEqual([verified.device.name, verified.verification.samples], ['CPU shim', 33 * 50]);
    const timed = await run(kernel(), { mode: 'time', baselines: ['cublas', 'cublaslt-best'] });
    assert.equal(timed.outcome, 'correct');
    assert.ok(timed.timing !== undefined && timed.timing.medianMs > 0 && timed.timing.samples >= 3);
    assert.match(timed.message ?? '', /cuBLAS was not found.*cuBLASLt was not found/s);
  });

  it('verifies a gate with both products, and counts the work of both', async () => {
    const timed = await run(kernel(undefined, gated), { mode: 'time' });
    assert.deepEqual([timed.outcome, timed.message], ['correct', undefined]);
    const { gflops = 0, medianMs = 0 } = timed.timing ?? {};
    assert.ok(Math.abs((gflops * medianMs * 1e6) / (4 * 2 * 33 * 50 * 21) - 1) < 1e-6);
    const wrong = await run(
      kernel(source => {
        const edited = source.replace('alpha * accUp', '(row == 9 ? 3 : alpha) * accUp');
        assert.notEqual(edited, source);
        return edited;
      }, gated),
    );
    assert.equal(wrong.outcome, 'incorrect');
    // GELU is nearly zero for the other elements of the row.
    const { mismatches, first } = wrong.verification;
    assert.ok(mismatches > 50 && mismatches <= 100, `${mismatches} mismatches`);
    assert.equal(first?.row, 9);
  });

  it('maps what is wrong of C', async () => {
    const wrong = await run(
      kernel(source => source.replace('alpha * acc', '(row == 9 && col == 17 ? 3 : alpha) * acc')),
    );
    assert.equal(wrong.outcome, 'incorrect');
    const { first, mismatches, wrong: map } = wrong.verification;
    assert.deepEqual([mismatches, first?.row, first?.column], [1, 9, 17]);
    assert.ok(map !== undefined);
    assert.deepEqual(map.tile, { m: 8, n: 8 });
    assert.deepEqual(
      map.examples.map(({ row, column }) => [row, column]),
      [[9, 17]],
    );
  });
});
