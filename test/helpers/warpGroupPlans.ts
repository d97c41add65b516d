/** Specs of `wgmma` at 1024 cubed, their plans, and what is wrong with them. */
import assert from 'node:assert/strict';
import type { Violation, WarpGroupPlan } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec, Schedule } from '../../src/core/spec/schema';
import { warpGroups } from './warpGroupSpecs';

const PROBLEM: GemmSpec['problem'] = {
  m: 1024,
  n: 1024,
  k: 1024,
  a: { dtype: 'bf16' },
  b: { layout: 'col' },
};

export type Problem = Partial<GemmSpec['problem']>;

export const specOf = (
  schedule: Schedule = {},
  problem: Problem = {},
  device?: string,
): GemmSpec => ({
  ...warpGroups({ ...PROBLEM, ...problem }, schedule),
  ...(device === undefined ? {} : { device }),
});

export function planOf(spec: GemmSpec): WarpGroupPlan {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(found.ok && found.plan.family === 'wgmma', JSON.stringify(found));
  return found.plan;
}

/** Rule, path and nearest value of the only violation. */
export function broken(spec: GemmSpec): readonly unknown[] {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(!found.ok && found.violations.length === 1, JSON.stringify(found));
  const [{ rule, path, nearest }] = found.violations as readonly [Violation];
  return [rule, path, nearest];
}
