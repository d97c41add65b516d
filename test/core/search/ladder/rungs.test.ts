import assert from 'node:assert/strict';
import { emit } from '../../../../src/core/kernel/emit';
import { fitRungs } from '../../../../src/core/search/ladder/ladderSteps';
import { PLANNED } from '../../../../src/core/plan/fields';
import { plan } from '../../../../src/core/plan/planner';
import type { DType } from '../../../../src/core/types/dtype';
import { LADDER_WEBGPU_LIMITS, ladderOf } from '../../../../src/core/search/ladder/rungs';
import { resolve } from '../../../../src/core/defaults/resolve';
import { TARGETS, type Target } from '../../../../src/core/spec/schema';

const cube = (size: number) => ({ m: size, n: size, k: size });

describe('the ladder', () => {
  for (const target of TARGETS) {
    it(`has every algorithm in ${target}, each rung legal and a text of its own`, () => {
      const rungs = ladderOf(target);
      const texts = rungs.map(({ schedule, change }) => {
        const problem = cube(4096);
        const spec = { problem, schedule, webgpuLimits: LADDER_WEBGPU_LIMITS };
        const planned = plan(resolve(spec), target);
        assert.ok(planned.ok, `${change}: ${JSON.stringify(planned)}`);
        return emit(planned.plan).source;
      });
      assert.equal(new Set(texts).size, texts.length);
      // Kernels without staged tiles are not steps on the way to kernels that stage tiles; tensor
      // cores do not multiply f32.
      const others = ['register-tile', 'gemv', 'mma', 'wgmma'];
      const climbed = Object.keys(PLANNED).filter(name => !others.includes(name));
      assert.deepEqual(new Set(rungs.map(({ algorithm }) => algorithm)), new Set(climbed));
    });
  }

  for (const dtype of ['f16', 'bf16', 'tf32', 's8', 'e4m3'] as const) {
    it(`goes on with tensor cores for ${dtype}, each rung legal and a text of its own`, () => {
      const problem = { ...cube(4096), a: { dtype }, b: { layout: 'col' } } as const;
      const rungs = ladderOf('cuda', resolve({ problem })).slice(ladderOf('cuda').length);
      assert.ok(rungs.length > 5 && rungs.every(({ algorithm }) => algorithm.endsWith('mma')));
      const texts = rungs.map(({ schedule, change }) => {
        const planned = plan(resolve({ problem, schedule }), 'cuda');
        assert.ok(planned.ok, `${change}: ${JSON.stringify(planned)}`);
        return emit(planned.plan).source;
      });
      assert.equal(new Set(texts).size, texts.length);
    });
  }

  it('has tensor cores where the device multiplies the types on them, in CUDA', () => {
    const of = (target: Target, a: DType, device: string, b: DType = a): boolean => {
      const problem = { ...cube(1024), a: { dtype: a }, b: { dtype: b } };
      return ladderOf(target, resolve({ problem, device })).some(one => one.algorithm === 'mma');
    };
    assert.ok(of('cuda', 'f16', 't4') && of('cuda', 'bf16', 'h200'));
    assert.ok(!of('cuda', 'f32', 'h200') && !of('wgsl', 'f16', 'h200'));
    assert.ok(!of('cuda', 'bf16', 't4') && !of('cuda', 'f16', 'v100-sxm2-16gb'));
    assert.ok(!of('cuda', 'f16', 'h200', 'bf16'));
    const groups = (a: DType, device: string): number =>
      ladderOf('cuda', resolve({ problem: { ...cube(1024), a: { dtype: a } }, device })).filter(
        ({ algorithm }) => algorithm === 'wgmma',
      ).length;
    assert.deepEqual([groups('bf16', 'h200'), groups('e4m3', 'h100-sxm')], [8, 8]);
    assert.deepEqual([groups('s8', 'h200'), groups('bf16', 'rtx-4090')], [0, 0]);
  });

  it('says which rungs on tensor cores a GPU has no room or copies for', () => {
    const problem = { ...cube(1024), a: { dtype: 'f16' } } as const;
    const legal = (device: string): readonly boolean[] =>
      fitRungs({ problem, device }, 'cuda')
        .filter(({ rung }) => rung.algorithm === 'mma')
        .map(({ ok }) => ok);
    assert.deepEqual(legal('h200'), [true, true, true, true, true, true, true, true]);
    assert.deepEqual(legal('rtx-4090'), [true, true, true, true, true, false, false]);
    assert.deepEqual(legal('t4'), [true, true, true, false, false, false, false]);
  });
});
