/** Fills in every default of a spec, and names the result. */
import { DEFAULT_DEVICE } from '../hardware/devices';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import type { Adapter } from './dispatch/adapterFamily';
import { dispatched, type Dispatched } from './dispatch/dispatched';
import { published, type Published } from './dispatch/published';
import { shippedTables } from './dispatch/shipped';
import type { DispatchTable } from './dispatch/table';
import { plannedAlgorithms } from '../plan/fields';
import { isLegal } from '../plan/planner';
import { defaultAccumulator, defaultOutput } from '../types/dtype';
import type { ResolvedOperand, ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import { completeSchedule } from './byShape';
import { TARGETS, type GemmSpec } from '../spec/schema';

/**
 * Resolves a decoded spec; without a schedule it gets the one that the dispatch tables have for it (`dispatched`), the
 * shipped ones or those of `tablesWith`. With an adapter it gets what suits that, for WGSL alone. Total: what a target cannot
 * do shows as violations of the plan.
 */
export const resolve = (
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
): ResolvedSpec => resolveAndSay(spec, tables, adapter).resolved;

/** Where a schedule comes from that the spec does not name. */
export type Found = Dispatched | Published;

/** The same with what was taken; null where there is nothing, or the spec has its own schedule. */
export function resolveAndSay(
  spec: GemmSpec,
  tables: readonly DispatchTable[] = shippedTables(),
  adapter?: Adapter,
): { readonly resolved: ResolvedSpec; readonly found: Found | null } {
  const plain = withoutTables(spec);
  if (spec.schedule !== undefined) return { resolved: plain, found: null };
  const suits = adapter === undefined ? null : suiting(adapter, plain, spec, tables);
  const found = suits ?? dispatched(plain, spec, tables);
  if (found === null) return { resolved: plain, found };
  const { schedule } = found;
  const targets = suits === null ? plain.targets : (['wgsl'] as const);
  return { resolved: { ...plain, schedule, targets }, found };
}

/** What was measured on such adapters, else what others found; null where neither is known, or WGSL is not asked for. */
function suiting(
  adapter: Adapter,
  plain: ResolvedSpec,
  spec: GemmSpec,
  tables: readonly DispatchTable[],
): Found | null {
  if (!plain.targets.includes('wgsl')) return null;
  return dispatched(plain, spec, tables, adapter) ?? published(plain, adapter.family);
}

/**
 * The spec with the schedule that these tables, or this adapter, give it, for those who resolve it without them. As it is
 * where it has a schedule, or nothing like it is known.
 */
export function withDispatched(
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
): GemmSpec {
  const { resolved, found } = resolveAndSay(spec, tables, adapter);
  const { schedule, targets } = resolved;
  return found === null ? spec : { ...spec, schedule, targets: [...targets] };
}

/**
 * Every default filled in, the schedule's by size alone. Where that is legal for no target, as of millions of rows, the first
 * algorithm that is legal with its own tiles.
 */
export function withoutTables(spec: GemmSpec): ResolvedSpec {
  const bySize = filledIn(spec);
  if (spec.schedule !== undefined || isLegalForSome(bySize)) return bySize;
  for (const algorithm of plannedAlgorithms()) {
    const other = filledIn({ ...spec, schedule: { algorithm } });
    if (isLegalForSome(other)) return other;
  }
  return bySize;
}

const isLegalForSome = (resolved: ResolvedSpec): boolean =>
  resolved.targets.some(target => isLegal(resolved, target));

function filledIn(spec: GemmSpec): ResolvedSpec {
  const problem = resolveProblem(spec.problem);
  const limits = { ...DEFAULT_WEBGPU_LIMITS, ...definedOf(spec.webgpuLimits ?? {}) };
  const { device = DEFAULT_DEVICE, targets: listed } = spec;
  const resolved: ResolvedSpec = {
    version: 1,
    problem,
    schedule: completeSchedule(spec.schedule ?? {}, problem, {
      device,
      webgpuLimits: limits,
      ...(listed === undefined ? {} : { targets: listed }),
    }),
    device,
    targets: spec.targets ?? TARGETS,
    ...(spec.webgpuLimits === undefined ? {} : { webgpuLimits: limits }),
  };
  const targets =
    spec.targets === undefined
      ? TARGETS.filter(target => isLegal(resolved, target))
      : [...new Set(spec.targets)];
  return { ...resolved, targets };
}

function resolveProblem(problem: GemmSpec['problem']): ResolvedProblem {
  const { m, n, k, batch = 1, alpha = 1, beta = 0 } = problem;
  const sizes = { m, n, k };
  const a = resolveOperand(problem.a, m, k);
  const b = resolveOperand(problem.b, k, n, a.dtype);
  return {
    ...sizes,
    batch,
    a,
    b,
    c: resolveOperand(problem.c, m, n, defaultOutput(a.dtype)),
    accumulator: problem.accumulator ?? defaultAccumulator(a.dtype, b.dtype),
    alpha,
    beta,
  };
}

function resolveOperand(
  operand: GemmSpec['problem']['a'],
  rows: number,
  columns: number,
  dtypeDefault: ResolvedOperand['dtype'] = 'f32',
): ResolvedOperand {
  const layout = operand?.layout ?? 'row';
  const [outer, inner] = layout === 'row' ? [rows, columns] : [columns, rows];
  const ld = operand?.ld ?? inner;
  return {
    dtype: operand?.dtype ?? dtypeDefault,
    layout,
    ld,
    batchStride: operand?.batchStride ?? outer * ld,
  };
}

const definedOf = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
