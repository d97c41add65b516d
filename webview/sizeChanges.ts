/** Changes that set a size from the size sweep without changing the schedule. */
import type { Plan } from '../src/core/plan/plan';
import { resolve } from '../src/core/defaults/resolve';
import { OPERANDS } from '../src/core/spec/resolved';
import { sameJson } from '../src/core/spec/sameJson';
import type { GemmSpec } from '../src/core/spec/schema';
import { problemAt, type Sizes } from '../src/core/search/sweep/resized';
import { applyChanges, valueAt, type Changes } from './edit';

/**
 * Returns the changes for new sizes, including explicit leading dimensions and strides. If the
 * defaults of a partial schedule would change, the current schedule is written explicitly.
 */
export function sizeChanges(spec: GemmSpec, plan: Plan, sizes: Sizes): Changes {
  const { problem, schedule } = plan.spec;
  const resized = problemAt(problem, sizes);
  const changes: Record<string, unknown> = {};
  for (const side of ['m', 'n', 'k'] as const) {
    if (problem[side] !== sizes[side]) changes[`problem.${side}`] = sizes[side];
  }
  for (const operand of OPERANDS) {
    for (const field of ['ld', 'batchStride'] as const) {
      const path = `problem.${operand}.${field}`;
      if (valueAt(spec, path) !== undefined) changes[path] = resized[operand][field];
    }
  }
  for (const [i, op] of (resized.epilogue ?? []).entries()) {
    const path = `problem.epilogue.${i}.ld`;
    const hasLd = op.op === 'residual' || op.op === 'gate';
    if (hasLd && valueAt(spec, path) !== undefined) changes[path] = op.ld;
  }
  const decoded = applyChanges(spec, plan.spec, changes);
  const kept = decoded.ok && sameJson(resolve(decoded.spec).schedule, schedule);
  return kept ? changes : { ...changes, schedule };
}
