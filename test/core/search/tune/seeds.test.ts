/** What a tuning run measures first. */
import assert from 'node:assert/strict';
import { resolve } from '../../../../src/core/defaults/resolve';
import { isLegal } from '../../../../src/core/plan/planner';
import { seedsOf } from '../../../../src/core/search/tune/seeds';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { fakeBench } from './fakeBench';
import { play } from './playing';

const open = (problem: GemmSpec['problem'], device = 'h200'): GemmSpec => ({
  version: 1,
  problem,
  device,
  targets: ['cuda'],
});
const slow = { algorithm: 'naive' as const, block: { m: 16, n: 16 } };

describe('the seeds of a tuning run', () => {
  for (const dtype of ['f32', 'bf16'] as const)
    it(`are the schedule of the spec, then legal predictions with the default first: ${dtype}`, () => {
      const spec = open({ m: 1000, n: 3000, k: 512, a: { dtype } });
      const resolved = resolve({ ...spec, schedule: slow });
      const [first, second, ...rest] = seedsOf(resolved, 'cuda');
      assert.deepEqual(first, resolved.schedule);
      assert.deepEqual(second, resolve(spec).schedule);
      assert.ok(rest.length >= 2);
      for (const schedule of rest) assert.ok(isLegal({ ...resolved, schedule }, 'cuda'));
    });

  it('include legal predictions for WGSL on Hopper GPUs', () => {
    const problem = { m: 1000, n: 3000, k: 512 };
    const resolved = resolve({ ...open(problem, 'h200'), schedule: slow, targets: ['wgsl'] });
    const [first, ...rest] = seedsOf(resolved, 'wgsl');
    assert.deepEqual(first, resolved.schedule);
    assert.ok(rest.length >= 3);
    for (const schedule of rest) assert.ok(isLegal({ ...resolved, schedule }, 'wgsl'));
  });

  it('are only the schedule of the spec for devices without a model', () => {
    const problem = { m: 1000, n: 3000, k: 512 };
    for (const target of ['cuda', 'wgsl'] as const) {
      const resolved = resolve({
        ...open(problem, 'rtx-4090'),
        schedule: slow,
        targets: [target],
      });
      assert.deepEqual(seedsOf(resolved, target), [resolved.schedule]);
    }
  });

  it('are measured in their order, before the ranked schedules', async () => {
    const resolved = resolve(open({ m: 512, n: 512, k: 512 }));
    const seeds = seedsOf(resolved, 'cuda').slice(0, 4);
    const bench = fakeBench({ timeOf: () => 1 });
    await play(bench, { seeds: [slow, ...seeds], schedules: 8 });
    assert.match(bench.asked[0]?.specKey ?? '', /naive/);
  });
});
