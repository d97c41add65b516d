/** `check`: resolves a spec and says for which targets it is legal, and why not for the others. */
import type { Violation } from '../plan/plan';
import { plan } from '../plan/planner';
import type { ResolvedSpec } from './resolved';
import { resolve, specKey } from './resolve';
import { TARGETS, type GemmSpec, type Target } from './schema';

export interface CheckReport {
  /** Every listed target is legal, or one at least when none is listed. */
  readonly ok: boolean;
  readonly specKey: string;
  readonly resolved: ResolvedSpec;
  readonly legal: readonly Target[];
  readonly violations: readonly Violation[];
}

export function check(spec: GemmSpec): CheckReport {
  const resolved = resolve(spec);
  const listed = spec.targets === undefined ? TARGETS : resolved.targets;
  const planned = listed.map(target => ({ target, ...plan(resolved, target) }));
  const legal = planned.filter(({ ok }) => ok).map(({ target }) => target);
  return {
    ok: spec.targets === undefined ? legal.length > 0 : legal.length === listed.length,
    specKey: specKey(resolved),
    resolved,
    legal,
    violations: planned.flatMap(result => (result.ok ? [] : result.violations)),
  };
}
