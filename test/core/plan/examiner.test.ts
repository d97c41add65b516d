import assert from 'node:assert/strict';
import { LATER_SEEDS, MATRIX_SEEDS, specOf } from '../../../scripts/grid/specs';
import { checkAndPlan } from '../../../src/core/defaults/check';
import { resolve } from '../../../src/core/defaults/resolve';
import { examiner } from '../../../src/core/plan/examiner';
import { examine, plan } from '../../../src/core/plan/planner';
import { TARGETS, type Target } from '../../../src/core/spec/schema';

const SPECS = [0, LATER_SEEDS, MATRIX_SEEDS].flatMap(first =>
  Array.from({ length: 20 }, (_, i) => specOf(first + i)),
);

describe('an examiner', () => {
  it('plans as the planner does, after it examined the spec for other targets', () => {
    for (const spec of SPECS) {
      const resolved = resolve(spec);
      const legality = examiner();
      for (const target of TARGETS) {
        legality.isLegal({ ...resolved, targets: TARGETS }, target);
        assert.deepEqual(legality.plan(resolved, target), plan(resolved, target));
      }
    }
  });

  it('examines a changed problem, device or limit of WebGPU by itself', () => {
    const legality = examiner();
    const resolved = resolve({ problem: { m: 64, n: 64, k: 64 } });
    const others = [
      { ...resolved, problem: { ...resolved.problem, m: 65 } },
      { ...resolved, device: 't4' },
      { ...resolved, webgpuLimits: { invocations: 1, workgroupStorageBytes: 64 } },
    ];
    legality.isLegal(resolved, 'wgsl');
    for (const other of others) assert.deepEqual(legality.plan(other, 'wgsl'), plan(other, 'wgsl'));
  });

  it('examines a spec with a schedule once per target, whether or not its targets are listed', () => {
    const { schedule } = resolve({ problem: { m: 64, n: 64, k: 64 } });
    for (const targets of [undefined, TARGETS]) {
      const examined: Target[] = [];
      const legality = examiner((spec, target) => {
        examined.push(target);
        return examine(spec, target);
      });
      const listed = targets === undefined ? {} : { targets: [...targets] };
      const spec = { problem: { m: 64, n: 64, k: 64 }, schedule, ...listed };
      checkAndPlan(spec, undefined, undefined, legality);
      assert.deepEqual(examined.toSorted(), [...TARGETS].toSorted());
    }
  });

  it('gives a check the plans that the planner makes of its resolved spec', () => {
    for (const { problem } of SPECS) {
      const { report, plans } = checkAndPlan({ problem });
      for (const target of TARGETS) assert.deepEqual(plans[target], plan(report.resolved, target));
    }
  });
});
