/** Memoized legality checks, for specs that are first resolved and then planned. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { examine, planExamined } from './planner';
import type { Planned } from './plan';
import type { Examined } from './stages';

export interface Examiner {
  readonly isLegal: (spec: ResolvedSpec, target: Target) => boolean;
  readonly plan: (spec: ResolvedSpec, target: Target) => Planned;
}

interface ExaminedSpec {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly examined: Examined;
}

/**
 * Returns an examiner that memoizes the checked specs for its lifetime. Tests pass their own
 * `examines` to count its calls.
 */
export function examiner(examines = examine): Examiner {
  const known: ExaminedSpec[] = [];
  const examined = (spec: ResolvedSpec, target: Target): Examined => {
    const found = known.find(one => one.target === target && isReusable(one, spec));
    if (found !== undefined) return found.examined;
    const made = examines(spec, target);
    known.push({ spec, target, examined: made });
    return made;
  };
  return {
    isLegal: (spec, target) => examined(spec, target).breaches.length === 0,
    plan: (spec, target) => planExamined(examined(spec, target), spec, target),
  };
}

/**
 * Returns whether a memoized check applies to a spec. All inputs of legality must be the same
 * objects. The listed targets matter only if there are violations, because they affect the
 * suggested fixes.
 */
const isReusable = ({ spec: known, examined }: ExaminedSpec, spec: ResolvedSpec): boolean =>
  known.schedule === spec.schedule &&
  known.problem === spec.problem &&
  known.device === spec.device &&
  known.webgpuLimits === spec.webgpuLimits &&
  known.workspaceLimitBytes === spec.workspaceLimitBytes &&
  (examined.breaches.length === 0 || sameTargets(known.targets, spec.targets));

const sameTargets = (one: readonly Target[], other: readonly Target[]): boolean =>
  one.length === other.length && one.every((target, i) => target === other[i]);
