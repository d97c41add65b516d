/**
 * Implements `check`: resolves a spec, lists the legal targets, and reports the violations of the
 * other targets.
 */
import { t } from '@vscode/l10n';
import type { Planned, Violation } from '../plan/plan';
import { scheduleFrom, type ScheduleFrom } from './dispatch/scheduleFrom';
import type { Adapter } from './dispatch/adapterFamily';
import type { DispatchTable } from './dispatch/table';
import { examiner } from '../plan/examiner';
import { workspaceBytes } from '../plan/workspace';
import type { ResolvedSpec } from '../spec/resolved';
import { resolveWithOrigin } from './resolve';
import { TARGETS, type GemmSpec, type Target } from '../spec/schema';
import { specKey } from '../plan/specKey';

export interface CheckReport {
  /**
   * Whether every listed target is legal; if the spec lists none, whether at least one target is
   * legal.
   */
  readonly ok: boolean;
  readonly specKey: string;
  readonly resolved: ResolvedSpec;
  readonly scheduleFrom: ScheduleFrom;
  readonly legal: readonly Target[];
  /** Kernels of the legal targets; `workspaceBytes` is 0 for a kernel without a workspace. */
  readonly kernels: readonly { readonly target: Target; readonly workspaceBytes: number }[];
  readonly violations: readonly Violation[];
}

export const check = (
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
): CheckReport => checkAndPlan(spec, tables, adapter).report;

export interface Checked {
  readonly report: CheckReport;
  /** Plan of every target, including targets that the spec does not list. */
  readonly plans: Readonly<Record<Target, Planned>>;
}

/**
 * Plans a spec for one target. The defaults and the plan share one examiner, which memoizes
 * legality checks.
 */
export function planSpec(spec: GemmSpec, target: Target): Planned {
  const legality = examiner();
  const { resolved } = resolveWithOrigin(spec, undefined, undefined, legality);
  return legality.plan(resolved, target);
}

/** Dispatch tables have only kernels without an epilogue, whose schedules suit other kernels. */
function ofPlainKernel({ problem }: ResolvedSpec, from: ScheduleFrom): ScheduleFrom {
  if (problem.epilogue === undefined || from.from !== 'dispatch') return from;
  const text = `${from.text} ${t('The measured kernel has no epilogue.')}`;
  return { ...from, text };
}

export function checkAndPlan(
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
  legality = examiner(),
): Checked {
  const { resolved, found } = resolveWithOrigin(spec, tables, adapter, legality);
  const plans = { cuda: legality.plan(resolved, 'cuda'), wgsl: legality.plan(resolved, 'wgsl') };
  const listed = spec.targets === undefined ? TARGETS : resolved.targets;
  const legal = listed.filter(target => plans[target].ok);
  const report = {
    ok: spec.targets === undefined ? legal.length > 0 : legal.length === listed.length,
    specKey: specKey(resolved),
    resolved,
    scheduleFrom: ofPlainKernel(resolved, scheduleFrom(spec.schedule !== undefined, found)),
    legal,
    kernels: legal.flatMap(target => {
      const planned = plans[target];
      if (!planned.ok) return [];
      return [{ target, workspaceBytes: workspaceBytes(planned.plan, planned.plan.accumulator) }];
    }),
    violations: listed.flatMap(target => {
      const planned = plans[target];
      return planned.ok ? [] : planned.violations;
    }),
  };
  return { report, plans };
}
