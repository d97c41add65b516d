/** Applies all defaults of a spec and reports the origin of its schedule. */
import { DEFAULT_DEVICE } from '../hardware/devices';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import type { Adapter } from './dispatch/adapterFamily';
import { dispatched, type Dispatched } from './dispatch/dispatched';
import { isFittedTo, isPowerLimited, predicted, type Predicted } from './dispatch/predicted';
import { published, type Published } from './dispatch/published';
import { shippedTables } from './dispatch/shipped';
import type { DispatchTable } from './dispatch/table';
import { examiner, type Examiner } from '../plan/examiner';
import { defaultAccumulator, defaultOutput } from '../types/dtype';
import { resolveEpilogue } from '../spec/epilogue';
import type { ResolvedOperand, ResolvedProblem, ResolvedSpec } from '../spec/resolved';
import { completeSchedule, suitableAlgorithms } from './byShape';
import { TARGETS, type GemmSpec } from '../spec/schema';

/**
 * Resolves a decoded spec. A spec without a schedule gets a schedule from the dispatch tables: the
 * given `tables`, or the shipped tables by default. If an adapter is given, a schedule for that
 * adapter is preferred, with WGSL as the only target. Never fails: unsupported values are reported
 * as violations of the plan.
 */
export const resolve = (
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
): ResolvedSpec => resolveWithOrigin(spec, tables, adapter).resolved;

export type ScheduleOrigin = Dispatched | Predicted | Published;

/**
 * Resolves a spec and returns the dispatched or published schedule as `found`. `found` is null if
 * no schedule was found or the spec has a schedule. `legality` memoizes the checked specs, so that
 * a caller can plan the resolved spec without a second check.
 */
export function resolveWithOrigin(
  spec: GemmSpec,
  tables: readonly DispatchTable[] = shippedTables(),
  adapter?: Adapter,
  legality = examiner(),
): { readonly resolved: ResolvedSpec; readonly found: ScheduleOrigin | null } {
  const plain = withoutTables(spec, legality);
  if (spec.schedule !== undefined) return { resolved: plain, found: null };
  const asked = { plain, spec, tables, legality };
  const suits = adapter === undefined ? null : forAdapter(adapter, asked);
  const found = suits ?? forDevice(asked);
  if (found === null) return { resolved: plain, found };
  const { schedule } = found;
  const targets = suits === null ? plain.targets : (['wgsl'] as const);
  return { resolved: { ...plain, schedule, targets }, found };
}

interface DispatchRequest {
  readonly plain: ResolvedSpec;
  readonly spec: GemmSpec;
  readonly tables: readonly DispatchTable[];
  readonly legality: Examiner;
}

/**
 * Returns a legal schedule that was adopted near this shape or measured at it. Without one, returns
 * the fastest prediction of the time model, or a schedule that was measured at other shapes. The
 * prediction of a model that was fitted to the device precedes two kinds of measurements: those of
 * related devices, and short batches of kernels at the power limit.
 */
function forDevice({ plain, spec, tables, legality }: DispatchRequest): ScheduleOrigin | null {
  const found = dispatched(plain, spec, tables, { legality });
  if (found?.origin === 'adopted') return found;
  const isFitted = isFittedTo(plain);
  const isShort =
    found?.how === 'measured' &&
    found.kin === 'device' &&
    isFitted &&
    isPowerLimited({ ...plain, schedule: found.schedule });
  if (found?.how === 'measured' && (found.kin === 'device' || !isFitted) && !isShort) return found;
  // The default device of a spec does not state on which adapter its WGSL runs.
  if (spec.device === undefined && !plain.targets.includes('cuda')) return found;
  const fastest = predicted(plain, legality);
  if (fastest === null) return found;
  return isShort ? { ...fastest, shortBatches: found.row } : fastest;
}

/**
 * Returns a legal schedule measured at this shape on this adapter. Otherwise returns the fastest
 * prediction of the time model. The last choices are schedules measured at other shapes or on the
 * family of the adapter, and published ones. Returns null if WGSL is not a target or none is found.
 */
function forAdapter(
  adapter: Adapter,
  { plain, spec, tables, legality }: DispatchRequest,
): ScheduleOrigin | null {
  if (!plain.targets.includes('wgsl')) return null;
  const found = dispatched(plain, spec, tables, { adapter, legality });
  if (found?.origin === 'adopted' || (found?.how === 'measured' && found.kin === 'device'))
    return found;
  const { device = '' } = adapter;
  return (
    predicted({ ...plain, device, targets: ['wgsl'] }, legality) ??
    found ??
    published(plain, adapter.family, legality)
  );
}

/**
 * Returns the spec with the dispatched or published schedule and its targets filled in, for code
 * that has neither the tables nor the adapter. Returns the spec unchanged if it has a schedule or
 * none was found.
 */
export function withDispatched(
  spec: GemmSpec,
  tables?: readonly DispatchTable[],
  adapter?: Adapter,
): GemmSpec {
  const { resolved, found } = resolveWithOrigin(spec, tables, adapter);
  const { schedule, targets } = resolved;
  return found === null ? spec : { ...spec, schedule, targets: [...targets] };
}

/**
 * Applies all defaults without the dispatch tables. A spec without a schedule gets the default for
 * its problem shape. If that schedule is illegal, the most suitable algorithm whose default tiles
 * are legal replaces it, if there is one.
 */
export function withoutTables(spec: GemmSpec, legality = examiner()): ResolvedSpec {
  const suits = (resolved: ResolvedSpec): boolean =>
    resolved.targets.some(target => legality.isLegal(resolved, target));
  const bySize = filledIn(spec, legality);
  if (spec.schedule !== undefined || suits(bySize)) return bySize;
  for (const algorithm of suitableAlgorithms(bySize.problem)) {
    const other = filledIn({ ...spec, schedule: { algorithm } }, legality);
    if (suits(other)) return other;
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
    ...(spec.workspaceLimitBytes === undefined
      ? {}
      : { workspaceLimitBytes: spec.workspaceLimitBytes }),
  };
  const targets =
    spec.targets === undefined
      ? TARGETS.filter(target => isLegal(resolved, target))
      : [...new Set(spec.targets)];
  return { ...resolved, targets };
}

export function resolveProblem(problem: GemmSpec['problem']): ResolvedProblem {
  const { m, n, k, batch = 1, alpha = 1, beta = 0 } = problem;
  const sizes = { m, n, k };
  const a = resolveOperand(problem.a, m, k);
  const b = resolveOperand(problem.b, k, n, a.dtype);
  const c = resolveOperand(problem.c, m, n, defaultOutput(a.dtype));
  const epilogue = resolveEpilogue(problem.epilogue, { ...sizes, b, c });
  return {
    ...sizes,
    batch,
    a,
    b,
    c,
    accumulator: problem.accumulator ?? defaultAccumulator(a.dtype, b.dtype),
    alpha,
    beta,
    ...(epilogue === undefined ? {} : { epilogue }),
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
