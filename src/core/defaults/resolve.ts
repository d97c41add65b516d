/** Fills in every default of a spec, and names the result. */
import { DEFAULT_DEVICE } from '../hardware/devices';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import type { Adapter } from './dispatch/adapterFamily';
import { dispatched, type Dispatched } from './dispatch/dispatched';
import { published, type Published } from './dispatch/published';
import { shippedTables } from './dispatch/shipped';
import type { DispatchTable } from './dispatch/table';
import { plannedAlgorithms } from '../plan/fields';
import { examiner, type Examiner } from '../plan/examiner';
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

/**
 * The same with what was taken; null where there is nothing, or the spec has its own schedule. `legality` remembers the
 * specs that are examined here: a caller that plans the resolved spec with it examines nothing twice.
 */
export function resolveAndSay(
  spec: GemmSpec,
  tables: readonly DispatchTable[] = shippedTables(),
  adapter?: Adapter,
  legality = examiner(),
): { readonly resolved: ResolvedSpec; readonly found: Found | null } {
  const plain = withoutTables(spec, legality);
  if (spec.schedule !== undefined) return { resolved: plain, found: null };
  const asked = { plain, spec, tables, legality };
  const suits = adapter === undefined ? null : suiting(adapter, asked);
  const found = suits ?? dispatched(plain, spec, tables, { legality });
  if (found === null) return { resolved: plain, found };
  const { schedule } = found;
  const targets = suits === null ? plain.targets : (['wgsl'] as const);
  return { resolved: { ...plain, schedule, targets }, found };
}

interface Asked {
  readonly plain: ResolvedSpec;
  readonly spec: GemmSpec;
  readonly tables: readonly DispatchTable[];
  readonly legality: Examiner;
}

/** What was measured on such adapters, else what others found; null where neither is known, or WGSL is not asked for. */
function suiting(adapter: Adapter, { plain, spec, tables, legality }: Asked): Found | null {
  if (!plain.targets.includes('wgsl')) return null;
  return (
    dispatched(plain, spec, tables, { adapter, legality }) ??
    published(plain, adapter.family, legality)
  );
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
export function withoutTables(spec: GemmSpec, legality = examiner()): ResolvedSpec {
  const isLegalForSome = (resolved: ResolvedSpec): boolean =>
    resolved.targets.some(target => legality.isLegal(resolved, target));
  const bySize = filledIn(spec, legality);
  if (spec.schedule !== undefined || isLegalForSome(bySize)) return bySize;
  for (const algorithm of plannedAlgorithms()) {
    const other = filledIn({ ...spec, schedule: { algorithm } }, legality);
    if (isLegalForSome(other)) return other;
  }
  return bySize;
}

function filledIn(spec: GemmSpec, { isLegal }: Examiner): ResolvedSpec {
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
