/** Search for the runs of a spec in CUDA and WGSL, including runs of earlier kernel sources. */
import { isOfSpec, newestRuns, type NewestRun } from '../../core/measure/newestRuns';
import { emit } from '../../core/kernel/emit';
import { sourceHashOf } from '../../core/text/hash';
import type { Measurement } from '../../core/measure/measurement';
import { checkAndPlan } from '../../core/defaults/check';
import { resolve } from '../../core/defaults/resolve';
import { specKey } from '../../core/plan/specKey';
import { toSpec } from '../../core/spec/toSpec';
import type { ResolvedSpec } from '../../core/spec/resolved';
import type { GemmSpec } from '../../core/spec/schema';

/**
 * Returns the spec without its list of targets, because the explorer compares all targets. The spec
 * of a kernel file lists only the target of that file.
 */
export function forEveryTarget(resolved: ResolvedSpec): GemmSpec {
  const spec = toSpec(resolved);
  delete spec.targets;
  return spec;
}

/**
 * Returns the newest run per backend, newest last. Runs of the current kernel source take
 * precedence. Kernels are emitted only if the spec has runs.
 */
export function newestOfSpec(spec: GemmSpec, runs: readonly Measurement[]): readonly NewestRun[] {
  const own = runs.filter(isOfSpec(specKey(resolve(spec))));
  if (own.length === 0) return [];
  const present = new Set(
    Object.values(checkAndPlan(spec).plans).flatMap(planned =>
      planned.ok ? [sourceHashOf(emit(planned.plan))] : [],
    ),
  );
  return newestRuns(own, hash => present.has(hash));
}
