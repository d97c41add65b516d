import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as v from 'valibot';
import { wgslEstimate, WGSL_TREES } from '../../../../src/core/cost/wgsl/wgslModel';
import { simtMachine } from '../../../../src/core/cost/simt/simtModel';
import { resolve, resolveWithOrigin } from '../../../../src/core/defaults/resolve';
import { wgslCandidates } from '../../../../src/core/defaults/wgsl/wgslCandidates';
import { wgslSchedules } from '../../../../src/core/defaults/wgsl/wgslChoice';
import { deviceOf } from '../../../../src/core/hardware/devices';
import { isLegal, plan } from '../../../../src/core/plan/planner';
import { workspaceBytes, WORKSPACE_LIMIT_BYTES } from '../../../../src/core/plan/workspace';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { runs } from '../../../helpers/depth';

const H100 = { family: 'nvidia', device: 'h100-sxm' } as const;
const of = (m: number, n: number, k: number): GemmSpec => ({
  problem: { m, n, k },
  targets: ['wgsl'],
});
const extent = fc.integer({ min: 64, max: 16_384 });
const shapes = fc
  .tuple(extent, extent, extent)
  .filter(([m, n, k]) => 2 * m * n * k >= 4e8 && 2 * m * n * k <= 3e12);

describe('the predicted schedules in WGSL', () => {
  it('are legal within the default limits of WebGPU, fastest first', () => {
    fc.assert(
      fc.property(shapes, ([m, n, k]) => {
        const base = resolve({ ...of(m, n, k), schedule: { algorithm: 'naive' } });
        const found = wgslSchedules(base.problem, 'h100-sxm', 6);
        assert.equal(found.length, 6);
        for (const [at, { schedule, milliseconds }] of found.entries()) {
          assert.ok(milliseconds > 0 && milliseconds >= (found[at - 1]?.milliseconds ?? 0));
          if (workspaceFits(m, n, schedule.splitK))
            assert.ok(isLegal({ ...base, schedule }, 'wgsl'), JSON.stringify(schedule));
        }
      }),
      runs(100),
    );
  });

  const workspaceFits = (m: number, n: number, splitK = 1): boolean =>
    splitK === 1 || splitK * m * n * 4 <= WORKSPACE_LIMIT_BYTES;

  it('are the default on Hopper adapters, within the workspace limit', () => {
    fc.assert(
      fc.property(shapes, ([m, n, k]) => {
        const { resolved, found } = resolveWithOrigin(of(m, n, k), undefined, H100);
        assert.equal(found?.how, 'predicted');
        const planned = plan(resolved, 'wgsl');
        assert.ok(planned.ok);
        assert.ok(workspaceBytes(planned.plan, 'f32') <= WORKSPACE_LIMIT_BYTES);
      }),
      runs(60),
    );
  });

  it('split K where few tiles would leave SMs idle', () => {
    const { resolved } = resolveWithOrigin(of(192, 688, 7576), undefined, H100);
    assert.ok((resolved.schedule.splitK ?? 1) >= 4);
    const large = resolveWithOrigin(of(7000, 7000, 7000), undefined, H100).resolved;
    assert.equal(large.schedule.splitK, undefined);
  });

  it('are none for problems that the fit does not cover', () => {
    const covered = { m: 1024, n: 1024, k: 1024 } as const;
    const count = (problem: GemmSpec['problem'], device = 'h100-sxm'): number =>
      wgslSchedules(
        resolve({ problem, targets: ['wgsl'], schedule: { algorithm: 'naive' } }).problem,
        device,
        6,
      ).length;
    assert.equal(count(covered), 6);
    for (const other of [
      { ...covered, m: 63 },
      { ...covered, k: 16_385 },
      { m: 128, n: 128, k: 128 },
      { ...covered, batch: 2 },
      { ...covered, b: { layout: 'col' } },
      { ...covered, a: { dtype: 'f16' } },
    ] as const)
      assert.equal(count(other), 0, JSON.stringify(other));
    assert.equal(count(covered, 'no such device'), 0);
  });

  it('leave other adapters their measured schedules', () => {
    for (const adapter of [
      { family: 'swiftshader' } as const,
      { family: 'nvidia', device: 'rtx-4090' } as const,
    ])
      assert.notEqual(
        resolveWithOrigin(of(500, 700, 900), undefined, adapter).found?.how,
        'predicted',
      );
  });

  it('have the features of the table, in their order, and its recorded error', () => {
    const machine = simtMachine(deviceOf('h100-sxm')) ?? assert.fail();
    const { problem } = resolve({ ...of(1001, 999, 5000), schedule: { algorithm: 'naive' } });
    let count = 0;
    for (const schedule of wgslCandidates(problem, machine.multiprocessors)) {
      const { features, milliseconds } = wgslEstimate(problem, schedule, machine);
      assert.deepEqual(Object.keys(features), WGSL_TREES.features);
      assert.ok(Object.values(features).every(Number.isFinite) && milliseconds > 0);
      count++;
    }
    assert.ok(count > 50);
    const { errorPercent } = v.parse(
      v.object({ errorPercent: v.number() }),
      JSON.parse(readFileSync('bench/wgsl-model.json', 'utf8')),
    );
    assert.equal(WGSL_TREES.errorPercent, errorPercent);
  });
});
