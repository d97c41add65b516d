/** What is not legal about a square product with some fields given. */
import assert from 'node:assert/strict';
import type { Violation } from '../../src/core/plan/plan';
import { plan } from '../../src/core/plan/planner';
import { applyOverrides, decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/defaults/resolve';
import type { Target } from '../../src/core/spec/schema';

const BASE = { problem: { m: 1024, n: 1024, k: 1024 } };

export function violations(
  assignments: readonly string[],
  target: Target = 'cuda',
): readonly Violation[] {
  const overridden = applyOverrides(BASE, assignments);
  assert.ok(overridden.ok);
  const decoded = decodeSpec(overridden.value);
  assert.ok(decoded.ok, JSON.stringify(decoded));
  const planned = plan(resolve(decoded.spec), target);
  return planned.ok ? [] : planned.violations;
}

/** The only violation of a spec. */
export function violation(assignments: readonly string[], target: Target = 'cuda'): Violation {
  const all = violations(assignments, target);
  assert.equal(all.length, 1, JSON.stringify(all));
  return all[0]!;
}
