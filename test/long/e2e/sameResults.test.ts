/**
 * The same specs in VS Code's webview and on Dawn, at sizes and layouts that tiles like least.
 * Whole numbers are compared element by element with the exact product, so two right results have
 * the same bits; floating point stays within its bound on either side.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join, resolve as pathOf } from 'node:path';
import { runCommand } from '../../../scripts/vscodeHost';
import { emit } from '../../../src/core/kernel/emit';
import type { Kernel } from '../../../src/core/kernel/kernel';
import { sourceHashOf } from '../../../src/core/text/hash';
import type { Measurement } from '../../../src/core/measure/measurement';
import { plan } from '../../../src/core/plan/planner';
import { isInteger } from '../../../src/core/types/dtype';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { dawnBackend } from '../../../src/host/dawn/backend';
import { readRuns } from '../../helpers/runs';
import { eventually, openVscode } from '../../e2e/session';

type Problem = GemmSpec['problem'];
type Schedule = NonNullable<GemmSpec['schedule']>;

const layoutOf = (letter: string) => (letter === 'c' ? 'col' : 'row');

/** `size` is M x N x K, `layouts` those of A, B and C: r for rows, c for columns. */
function spec(
  [size, layouts, dtype]: readonly [size: string, layouts: string, dtype: 's32' | 'f32'],
  schedule: Schedule,
  rest: Partial<Problem> = {},
): GemmSpec {
  const [m = 1, n = 1, k = 1] = size.split('x').map(Number);
  const [a, b, c] = layouts.split('').map(layoutOf);
  const problem = {
    m,
    n,
    k,
    ...rest,
    a: { dtype, layout: a, ...rest.a },
    b: { dtype, layout: b, ...rest.b },
    c: { dtype, layout: c, ...rest.c },
  };
  return { problem, schedule, targets: ['wgsl'] } as GemmSpec;
}

/** Small tiles, which compile in a second also where a processor is the GPU. */
const thread = { m: 2, n: 4 };
const VECTORS: Schedule = {
  algorithm: 'vectorized',
  block: { m: 16, n: 32, k: 8 },
  thread,
};
const WARPS: Schedule = { ...VECTORS, algorithm: 'warp-tile', warp: { m: 16, n: 16 } };
const PIPELINE: Schedule = { ...WARPS, algorithm: 'pipelined', stages: 2 };
const QUADS: Schedule = { ...VECTORS, algorithm: 'register-tile', sharing: 'quad', vector: 4 };
const GEMV: Schedule = {
  algorithm: 'gemv',
  block: { m: 3, n: 8, k: 128 },
  thread: { m: 3, n: 2, k: 8 },
};
const SPLIT: Schedule = { algorithm: 'shared-tile', block: { m: 8, n: 8, k: 4 }, splitK: 3 };
const scaled = { alpha: 3, beta: -2 };
const apart: Partial<Problem> = {
  batch: 3,
  a: { batchStride: 0 },
  c: { ld: 40, batchStride: 2700 },
};

const SPECS: readonly GemmSpec[] = [
  spec(['1x1x1', 'rrr', 's32'], { algorithm: 'naive' }),
  spec(['1x257x3', 'rcr', 's32'], { algorithm: 'coalesced' }, scaled),
  spec(['257x1x5', 'crc', 's32'], { algorithm: 'shared-tile' }),
  spec(['255x1x1000', 'crr', 's32'], VECTORS),
  spec(['129x65x33', 'ccc', 's32'], VECTORS, scaled),
  spec(['61x63x31', 'ccr', 's32'], { ...VECTORS, raster: { group: 2 } }),
  spec(['65x129x31', 'rcc', 's32'], WARPS),
  spec(['129x65x33', 'rrr', 's32'], PIPELINE, scaled),
  spec(['37x45x29', 'rcr', 's32'], QUADS, scaled),
  spec(['3x45x290', 'rcr', 's32'], GEMV, scaled),
  spec(['33x67x17', 'crc', 's32'], { algorithm: 'thread-tile-2d' }, apart),
  spec(['33x36x90', 'rrr', 's32'], SPLIT),
  spec(['1x1x1', 'ccc', 'f32'], PIPELINE),
  spec(['255x1x1000', 'rcr', 'f32'], WARPS),
  spec(['129x65x33', 'crr', 'f32'], VECTORS, { alpha: 0.5, beta: -0.25 }),
  spec(['61x59x31', 'rrr', 'f32'], QUADS, { batch: 2 }),
];

function kernelOf(one: GemmSpec): Kernel {
  const planned = plan(resolve(one), 'wgsl');
  assert.ok(planned.ok, JSON.stringify([one, planned]));
  return emit(planned.plan);
}

describe('the same spec in the webview and on Dawn', () => {
  const kernels = SPECS.map(kernelOf);
  const session = openVscode({
    files: Object.fromEntries(SPECS.map((one, i) => [`${i}.gemm.json`, JSON.stringify(one)])),
  });

  async function onDawn(): Promise<readonly Measurement[]> {
    const dawn = dawnBackend({ worker: pathOf('dist/dawnWorker.js'), where: 'cli' });
    const context = { abort: new AbortController().signal, progress: () => undefined };
    const measurements: Measurement[] = [];
    for (const runnable of kernels) {
      measurements.push(await dawn.run({ runnable, mode: 'verify', seed: 1 }, context));
    }
    return measurements;
  }

  async function inWebview(): Promise<readonly (Measurement | undefined)[]> {
    const { page, workspace, picture } = session();
    rmSync(join(workspace, 'first.gemm.json'));
    await runCommand(page, 'Testing: Focus on Test Explorer View');
    await page
      .locator('.test-explorer .monaco-list-row')
      .filter({ hasText: '.gemm.json' })
      .last()
      .waitFor();
    await runCommand(page, 'Test: Run All Tests');
    const readMeasurements = async () => (await readRuns(workspace)).measurements;
    // Each spec has its own time limit.
    for (const [i] of SPECS.entries())
      await eventually(readMeasurements, runs => runs.length > i, `${i + 1} specs have run`);
    const measurements = await readMeasurements();
    await picture('same-results');
    return kernels.map(({ specKey }) => measurements.find(one => one.specKey === specKey));
  }

  it('gives whole numbers the same bits, and others within their bound', async () => {
    const [there, here] = await Promise.all([inWebview(), onDawn()]);
    for (const [i, kernel] of kernels.entries()) {
      const pair = [there[i], here[i]];
      const said = JSON.stringify([kernel.specKey, pair]);
      const { m, n, batch, accumulator } = kernel.problem;
      const exact = isInteger(accumulator);
      for (const one of pair) {
        assert.equal(one?.sourceHash, sourceHashOf(kernel), said);
        assert.deepEqual([one.outcome, one.verification.mismatches], ['correct', 0], said);
        assert.equal(one.verification.samples, m * n * batch, said);
        assert.equal(
          one.verification.reference,
          `${exact ? 'exact integer' : 'f64'}, every element`,
        );
        if (exact) assert.equal(one.verification.maxError, 0, said);
      }
      assert.deepEqual(
        pair.map(one => one?.device.where),
        ['webview', 'cli'],
      );
    }
  });
});
