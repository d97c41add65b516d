/** The limit of the workspace: of chosen and of given schedules, and both sides of it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../src/core/defaults/check';
import { resolve } from '../../../src/core/defaults/resolve';
import { plan } from '../../../src/core/plan/planner';
import { WORKSPACE_LIMIT_BYTES } from '../../../src/core/plan/workspace';
import { toSpec } from '../../../src/core/spec/toSpec';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { runs } from '../../helpers/depth';

const splitSpec = (workspaceLimitBytes?: number): GemmSpec => ({
  version: 1,
  problem: { m: 64, n: 64, k: 64 },
  schedule: {
    algorithm: 'thread-tile-2d',
    block: { m: 32, n: 32, k: 8 },
    thread: { m: 4, n: 4 },
    splitK: 4,
  },
  targets: ['cuda'],
  ...(workspaceLimitBytes === undefined ? {} : { workspaceLimitBytes }),
});
/** Four slices of 64 x 64 partial results of 4 bytes. */
const SPLIT_BYTES = 4 * 64 * 64 * 4;

const workspaceOf = (spec: GemmSpec): number => {
  const { ok, kernels, violations } = check(spec);
  assert.ok(ok, JSON.stringify(violations));
  return kernels[0]?.workspaceBytes ?? assert.fail();
};

describe('the workspace of a kernel', () => {
  it('is legal up to the limit of the spec, and a violation names the needed limit', () => {
    assert.equal(workspaceOf(splitSpec(SPLIT_BYTES)), SPLIT_BYTES);
    const planned = plan(resolve(splitSpec(SPLIT_BYTES - 1)), 'cuda');
    assert.ok(!planned.ok);
    assert.deepEqual(planned.violations, [
      {
        target: 'cuda',
        rule: 'workspace-limit',
        path: 'workspaceLimitBytes',
        message:
          'The partial results of 4 split-K slices need a workspace of 65,536 B > 65,535 B (limit of the spec).',
        nearest: SPLIT_BYTES,
      },
    ]);
  });

  it('has a default limit of 256 MiB, which also applies to a given schedule', () => {
    const spec = splitSpec();
    const large = { ...spec, problem: { m: 4096, n: 4096, k: 64 } };
    assert.equal(workspaceOf(large), WORKSPACE_LIMIT_BYTES);
    const larger = plan(resolve({ ...spec, problem: { m: 4096, n: 4128, k: 64 } }), 'cuda');
    assert.ok(!larger.ok);
    assert.deepEqual(
      larger.violations.map(({ rule, nearest }) => [rule, nearest]),
      [['workspace-limit', 4 * 4 * 4096 * 4128]],
    );
    assert.match(larger.violations[0]?.message ?? '', /268,435,456 B \(default limit\)/);
  });

  it('suggests no split-K if no limit is large enough', () => {
    const schedule = { algorithm: 'naive' as const, splitK: 20_000 };
    const problem = { m: 600_000_000, n: 256, k: 20_000 };
    const planned = plan(resolve({ version: 1, problem, schedule, targets: ['cuda'] }), 'cuda');
    assert.ok(!planned.ok);
    const violation = planned.violations.find(({ rule }) => rule === 'workspace-limit');
    assert.deepEqual([violation?.path, violation?.nearest], ['schedule.splitK', 1]);
  });

  it('counts the repacked operands of wgmma', () => {
    const problem = {
      m: 1000,
      n: 1000,
      k: 1001,
      a: { dtype: 'bf16' as const },
      b: { dtype: 'bf16' as const, layout: 'col' as const },
    };
    const schedule = { algorithm: 'wgmma' as const };
    const spec: GemmSpec = { version: 1, problem, schedule, targets: ['cuda'] };
    const needed = workspaceOf(spec);
    assert.ok(needed >= 2 * 1000 * 1001 * 2);
    const planned = plan(resolve({ ...spec, workspaceLimitBytes: needed - 1 }), 'cuda');
    assert.ok(!planned.ok);
    assert.match(planned.violations[0]?.message ?? '', /^The repacked operands need/);
  });

  it('counts the repacked operands and the partial results of wgmma', () => {
    const schedule = {
      algorithm: 'wgmma' as const,
      block: { m: 64, n: 64 },
      kernelSchedule: 'cooperative' as const,
      splitK: 4,
      splitKReduction: 'two-pass' as const,
    };
    const of = (k: number, limit?: number): GemmSpec => ({
      version: 1,
      problem: { m: 128, n: 64, k, a: { dtype: 'bf16' }, b: { layout: 'col' } },
      schedule,
      targets: ['cuda'],
      ...(limit === undefined ? {} : { workspaceLimitBytes: limit }),
    });
    const partials = 4 * 128 * 64 * 4;
    assert.equal(workspaceOf(of(512)), partials);
    // Rows of 500 elements are copied with a pitch of 512 elements.
    const all = (128 + 64) * 512 * 2 + partials;
    assert.equal(workspaceOf(of(500)), all);
    const messageOf = (k: number, limit: number): string => {
      const planned = plan(resolve(of(k, limit)), 'cuda');
      assert.ok(!planned.ok);
      assert.deepEqual(
        planned.violations.map(({ path, nearest }) => [path, nearest]),
        [['workspaceLimitBytes', limit + 1]],
      );
      return planned.violations[0]?.message ?? '';
    };
    assert.match(messageOf(512, partials - 1), /^The partial results of 4 split-K slices need/);
    assert.match(messageOf(500, all - 1), /^The repacked operands and the partial results of 4/);
  });

  it('stays within the limit of the spec for every default', () => {
    const side = fc.integer({ min: 1, max: 6000 });
    const problems = fc.record({
      m: side,
      n: side,
      k: side,
      a: fc.record({ dtype: fc.constantFrom('f32' as const, 'bf16' as const, 'tf32' as const) }),
      b: fc.record({ layout: fc.constantFrom('row' as const, 'col' as const) }),
    });
    fc.assert(
      fc.property(problems, fc.integer({ min: 0, max: 2 ** 24 }), (problem, limit) => {
        const spec: GemmSpec = {
          version: 1,
          problem,
          device: 'h200',
          targets: ['cuda'],
          workspaceLimitBytes: limit,
        };
        assert.ok(workspaceOf(spec) <= limit);
      }),
      { ...runs(100) },
    );
  }).timeout(60_000);

  it('keeps the limit of a spec when the resolved spec becomes a spec again', () => {
    assert.equal(toSpec(resolve(splitSpec(70_000))).workspaceLimitBytes, 70_000);
    assert.equal(toSpec(resolve(splitSpec())).workspaceLimitBytes, undefined);
  });
});
