import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../../src/core/defaults/check';
import { resolve, resolveWithOrigin } from '../../../../src/core/defaults/resolve';
import { warpGroupCandidates } from '../../../../src/core/defaults/wgmma/wgmmaCandidates';
import { predictedSchedules } from '../../../../src/core/defaults/wgmma/wgmmaChoice';
import { WARP_GROUPS } from '../../../../src/core/cost/wgmma/wgmmaCalibration';
import { correctedMilliseconds } from '../../../../src/core/cost/wgmma/wgmmaCorrection';
import { kernelOf } from '../../../../src/core/cost/wgmma/wgmmaKernel';
import { predictWarpGroups, warpGroupMachine } from '../../../../src/core/cost/wgmma/wgmmaModel';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { plan } from '../../../../src/core/plan/planner';
import { workspaceBytes, WORKSPACE_LIMIT_BYTES } from '../../../../src/core/plan/workspace';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { runs } from '../../../helpers/depth';

const layout = fc.constantFrom('row' as const, 'col' as const);
const side = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 2048 }).map(n => 8 * n),
  fc.integer({ min: 1, max: 20_000 }),
);
const short = fc.integer({ min: 1, max: 600 });
const few = fc.integer({ min: 1, max: 16 });
const long = fc.integer({ min: 512, max: 2048 }).map(n => 8 * n);
const problems = fc
  .record({
    extents: fc.oneof(
      { weight: 2, arbitrary: fc.record({ m: side, n: side, k: side }) },
      { weight: 1, arbitrary: fc.record({ m: short, n: short, k: long }) },
      { weight: 1, arbitrary: fc.record({ m: few, n: side, k: side }) },
      { weight: 1, arbitrary: fc.record({ m: side, n: few, k: side }) },
    ),
    batch: fc.constantFrom(1, 1, 1, 3),
    beta: fc.constantFrom(0, 0, 1),
    dtype: fc.constantFrom('bf16' as const, 'f16' as const, 'tf32' as const, 'e4m3' as const),
    a: layout,
    b: layout,
    c: fc.constantFrom('row' as const, 'row' as const, 'col' as const),
  })
  .map(({ extents, batch, beta, dtype, a, b, c }): GemmSpec['problem'] => ({
    ...extents,
    batch,
    beta,
    a: { dtype, layout: a },
    b: { layout: b },
    c: { layout: c, ...(dtype === 'e4m3' ? { dtype: 'bf16' as const } : {}) },
  }));
const cuda = (problem: GemmSpec['problem']): GemmSpec => ({
  problem,
  device: 'h200',
  targets: ['cuda'],
});

const ANY = { workspaceLimitBytes: Number.MAX_SAFE_INTEGER } as const;

describe('the default of a decoding layer with small weights', () => {
  for (const m of [1, 8, 9, 16])
    it(`reduces split-K slices in a cluster, without a workspace: M = ${m}`, () => {
      const spec = resolve(cuda({ m, n: 4608, k: 3584, a: { dtype: 'bf16' } }));
      const planned = plan(spec, 'cuda');
      assert.ok(planned.ok && planned.plan.family === 'wgmma');
      assert.ok(planned.plan.wgmma.splitK > 1);
      assert.equal(planned.plan.wgmma.workspaceBytes, 0);
    });

  it('is a narrow tile of the swapped product', () => {
    const layers = [2048, 4608, 37_888].map(n =>
      resolve(cuda({ m: 5, n, k: 3584, a: { dtype: 'bf16' } })),
    );
    for (const { schedule } of layers)
      assert.deepEqual([schedule.operandOrder, schedule.block?.m], ['ba', 8]);
  });
});

describe('the predicted schedules of wgmma', () => {
  const machine = warpGroupMachine(deviceOf('h200'));

  it('are legal, fastest first, with the corrected prediction of their plan', () => {
    fc.assert(
      fc.property(problems, problem => {
        const base = resolve({ ...cuda(problem), ...ANY });
        const found = predictedSchedules(base.problem, 'h200', 4);
        assert.ok(found.length > 0 && machine !== null);
        for (const [i, { schedule, milliseconds }] of found.entries()) {
          const planned = plan({ ...base, schedule }, 'cuda');
          assert.ok(planned.ok, JSON.stringify(schedule));
          assert.ok(planned.plan.family === 'wgmma');
          const whole = predictWarpGroups({
            plan: planned.plan,
            machine,
            calibration: WARP_GROUPS,
          });
          const corrected = correctedMilliseconds(kernelOf(planned.plan), whole);
          assert.ok(Math.abs(milliseconds / corrected - 1) < 1e-9);
          assert.ok(milliseconds >= (found[i - 1]?.milliseconds ?? 0));
        }
      }),
      { ...runs(300) },
    );
  }).timeout(120_000);

  it('are the default on tensor cores at every shape, unless all tensor-core kernels exceed the workspace limit', () => {
    fc.assert(
      fc.property(problems, problem => {
        const { resolved } = resolveWithOrigin(cuda(problem));
        const planned = plan(resolved, 'cuda');
        assert.ok(['wgmma', 'mma'].includes(resolved.schedule.algorithm));
        if (planned.ok) {
          const { accumulator } = resolved.problem;
          assert.ok(workspaceBytes(planned.plan, accumulator) <= WORKSPACE_LIMIT_BYTES);
          return;
        }
        // Only wgmma transposes 8-bit operands, in the workspace.
        assert.deepEqual(
          planned.violations.map(({ rule }) => rule),
          ['workspace-limit'],
        );
        assert.ok(plan(resolve({ ...cuda(problem), ...ANY }), 'cuda').ok);
        const other = plan(resolve({ ...cuda(problem), schedule: { algorithm: 'mma' } }), 'cuda');
        assert.ok(!other.ok);
      }),
      { ...runs(300) },
    );
  }).timeout(120_000);

  it('use two-pass split-K for few tiles with a long K, within the workspace limit', () => {
    const spec = cuda({ m: 256, n: 480, k: 10_656, a: { dtype: 'bf16' }, b: { layout: 'row' } });
    const { schedule, problem } = resolve(spec);
    assert.equal(schedule.algorithm, 'wgmma');
    assert.equal(schedule.splitKReduction, 'two-pass');
    const planned = plan(resolve(spec), 'cuda');
    assert.ok(planned.ok);
    const bytes = workspaceBytes(planned.plan, problem.accumulator);
    assert.equal(bytes, (schedule.splitK ?? 1) * problem.m * problem.n * 4);
    assert.ok(bytes <= WORKSPACE_LIMIT_BYTES);
    const limited = resolveWithOrigin({ ...spec, workspaceLimitBytes: bytes - 1 });
    assert.equal(limited.found?.how, 'predicted');
    assert.ok(plan(limited.resolved, 'cuda').ok);
  });

  it('reduce the slices in a cluster if no workspace is allowed', () => {
    for (const [m, n, k] of [
      [256, 480, 10_656],
      [64, 64, 16_384],
      [128, 512, 16_000],
    ] as const) {
      const spec = cuda({ m, n, k, a: { dtype: 'bf16' } });
      assert.equal(resolve(spec).schedule.splitKReduction, 'two-pass');
      const { resolved, found } = resolveWithOrigin({ ...spec, workspaceLimitBytes: 0 });
      assert.equal(found?.how, 'predicted');
      const { algorithm, splitK = 1, splitKReduction } = resolved.schedule;
      assert.deepEqual(
        { algorithm, splitKReduction },
        { algorithm: 'wgmma', splitKReduction: undefined },
      );
      assert.ok(splitK > 1);
      assert.ok(plan(resolved, 'cuda').ok);
    }
  });

  it('have no empty slice of two-pass split-K, whose blocks fill the SMs at most once', () => {
    let twoPasses = 0;
    const deep = { m: 256, n: 256, k: 20_000, a: { dtype: 'bf16' } } as const;
    fc.assert(
      fc.property(problems, given => {
        const { problem } = resolve({ ...cuda(given), ...ANY });
        for (const { kernel } of warpGroupCandidates(problem, 'h200', 132)) {
          const { twoPass, tile, clusters, clusterSize } = kernel;
          if (twoPass === undefined) continue;
          twoPasses++;
          const { slices } = twoPass;
          const steps = Math.ceil(problem.k / tile.k);
          assert.ok(slices >= 2 && (slices - 1) * Math.ceil(steps / slices) < steps);
          assert.ok(clusters * clusterSize <= 132);
        }
      }),
      { ...runs(300), examples: [[deep]] },
    );
    assert.ok(twoPasses > 100, `${twoPasses}`);
  }).timeout(120_000);

  it('replace a repacking kernel by mma if the copies exceed the workspace limit', () => {
    const of = (side: number) =>
      resolve(cuda({ m: side, n: side, k: side, a: { dtype: 'bf16' }, b: { layout: 'col' } }));
    assert.equal(of(1001).schedule.algorithm, 'wgmma');
    assert.equal(of(16_383).schedule.algorithm, 'mma');
  });

  it('come from at most a few thousand candidates, also at the largest extents', () => {
    const most = 2 ** 31 - 1;
    for (const [m, n, k] of [
      [1, most, 1],
      [most, 1, most],
      [most, most, most],
      [1, 1, 1],
      [4096, 4096, 4096],
      [31, 131_071, 8191],
    ] as const) {
      const { problem } = resolve(cuda({ m, n, k, a: { dtype: 'bf16' }, b: { layout: 'col' } }));
      const count = [...warpGroupCandidates(problem, 'h200', 132)].length;
      assert.ok(count > 0 && count < 3000, `${count} at ${m} x ${n} x ${k}`);
      assert.equal(predictedSchedules(problem, 'h200', 1).length, 1);
    }
  });

  it('share loads in clusters and grow if rows are not aligned to cache lines', () => {
    const loadedRows = (k: number): number => {
      const { schedule } = resolve(
        cuda({ m: 8000, n: 8000, k, a: { dtype: 'bf16' }, b: { layout: 'col' } }),
      );
      const { block = {}, cluster = { m: 1, n: 1 } } = schedule;
      const [m, n] = [block.m ?? 0, block.n ?? 0];
      // Rows of A and B that an SM loads per element of its tile.
      return (m / cluster.n + n / cluster.m) / (m * n);
    };
    assert.ok(loadedRows(4104) <= loadedRows(4096));
    assert.ok(loadedRows(4104) < 1 / 80);
  });

  it('state their rate, their error, and another device', () => {
    const problem = {
      m: 1000,
      n: 1000,
      k: 1000,
      a: { dtype: 'bf16' },
      b: { layout: 'col' },
    } as const;
    const on = (device: string) => check({ problem, device, targets: ['cuda'] }).scheduleFrom;
    assert.equal(on('h200').from, 'predicted');
    assert.match(
      on('h200').text,
      /^Fastest prediction of the time model: \d+ TFLOP\/s, with a typical error of \d+ %\. This shape was not measured\.$/,
    );
    assert.match(on('h100-pcie').text, /The model was fitted to measurements on NVIDIA H200\.$/);
  });
});
