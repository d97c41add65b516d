/** Specs of `mma`: small tiles of f16 whose sums are stored as they are, with changes. */
import assert from 'node:assert/strict';
import { emit } from '../../src/core/kernel/emit';
import type { LoweredKernel } from '../../src/core/kernel/kernel';
import type { SubgroupMatrixPlan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { loweredOf } from './kernels';

export type Schedule = NonNullable<GemmSpec['schedule']>;
const SMALL: Schedule = {
  algorithm: 'mma',
  block: { m: 32, n: 64, k: 32 },
  warp: { m: 32, n: 32 },
};
const whole: GemmSpec['problem'] = {
  m: 64,
  n: 64,
  k: 96,
  a: { dtype: 'f16' },
  c: { dtype: 'f32' },
};

export const specOf = (
  problem: Partial<GemmSpec['problem']> = {},
  schedule: Partial<Schedule> = {},
  webgpuLimits?: GemmSpec['webgpuLimits'],
): GemmSpec => ({
  problem: { ...whole, ...problem },
  schedule: { ...SMALL, ...schedule },
  targets: ['wgsl'],
  ...(webgpuLimits === undefined ? {} : { webgpuLimits }),
});

export function planOf(spec: GemmSpec): SubgroupMatrixPlan {
  const found = plan(resolve(spec), 'wgsl');
  assert.ok(found.ok && found.plan.family === 'subgroup-matrix', JSON.stringify(found));
  return found.plan;
}

export const kernelOf = (spec: GemmSpec): LoweredKernel => loweredOf(emit(planOf(spec)));
