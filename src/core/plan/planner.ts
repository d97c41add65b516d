/**
 * Plans a spec for a target. The result is a plan, or violations with their nearest legal values.
 */
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { launching } from './launching';
import { memoizeLast } from './memoBySchedule';
import type { Geometry, Plan, Planned } from './plan';
import { COLLECTING, stages, STOPPING, type Examined } from './stages';
import { violationsOf } from './violations';

/** Plans a resolved spec for a target. Returns violations for an illegal spec and never throws. */
export const plan = (spec: ResolvedSpec, target: Target): Planned =>
  planExamined(examine(spec, target), spec, target);

export function planExamined(
  { breaches: violations, geometry }: Examined,
  spec: ResolvedSpec,
  target: Target,
): Planned {
  return violations.length > 0 || geometry === null
    ? { ok: false, violations: violationsOf(violations, spec, target) }
    : { ok: true, plan: launching(spec, target, geometry)(spec) };
}

/** Checks all rules. The result contains the geometry, which the plan reuses. */
export const examine = (spec: ResolvedSpec, target: Target): Examined =>
  stages(spec, target, COLLECTING)(spec.schedule);

/**
 * Returns whether a spec is legal for a target. Unlike `plan`, it does not search for nearest legal
 * values.
 */
export const isLegal = (spec: ResolvedSpec, target: Target): boolean =>
  stages(spec, target, STOPPING)(spec.schedule).breaches.length === 0;

export const planIfLegal = (spec: ResolvedSpec, target: Target): Plan | null =>
  plannerFor(spec, target)(spec.schedule);

/**
 * Returns a planner for many schedules of one problem. It memoizes the results that consecutive
 * schedules share.
 */
export function plannerFor(
  spec: ResolvedSpec,
  target: Target,
): (schedule: ResolvedSchedule) => Plan | null {
  const examined = stages(spec, target, STOPPING);
  const launched = memoizeLast(
    (one: Geometry, other: Geometry) => one === other,
    geometry => launching(spec, target, geometry),
  );
  return schedule => {
    const { breaches: violations, geometry } = examined(schedule);
    if (violations.length > 0 || geometry === null) return null;
    return launched(geometry)({ ...spec, schedule });
  };
}
