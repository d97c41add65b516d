/** Fills in every default of a spec, and names the result. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DEFAULT_DEVICE } from '../device/devices';
import { DEFAULT_WEBGPU_LIMITS } from '../plan/limits';
import type { Adapter } from '../dispatch/adapterFamily';
import { dispatched, type Dispatched } from '../dispatch/dispatched';
import { published, type Published } from '../dispatch/published';
import { shippedTables } from '../dispatch/shipped';
import type { DispatchTable } from '../dispatch/table';
import { plannedAlgorithms } from '../plan/fields';
import { instructionsOn, isShape } from '../plan/instructions';
import { matrixShapes } from '../plan/matrix';
import { elementOf } from '../plan/pieces';
import { isLegal } from '../plan/planner';
import { defaultAccumulator, defaultOutput } from './dtype';
import {
  extent,
  type ResolvedOperand,
  type ResolvedProblem,
  type ResolvedSchedule,
  type ResolvedSpec,
  type WebgpuLimits,
} from './resolved';
import { completeSchedule, isNeutral, leaves } from './scheduleDefaults';
import { SCHEDULE_FIELDS, TARGETS, type GemmSpec, type Schedule } from './schema';

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
      ...{ device, webgpuLimits: limits },
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

/** A spec that resolves to `resolved` again, with only what differs from a default of the problem. */
export function toSpec(resolved: ResolvedSpec): GemmSpec {
  const { problem, schedule, device, targets, webgpuLimits } = resolved;
  const { m, n, k, alpha, beta, batch } = problem;
  const operand = (name: 'a' | 'b' | 'c') => {
    const { dtype, layout, ld, batchStride } = problem[name];
    const { rows, columns } = extent(problem, name);
    const [outer, inner] = layout === 'row' ? [rows, columns] : [columns, rows];
    return {
      ...{ dtype, layout },
      ...(ld === inner ? {} : { ld }),
      ...(batchStride === outer * ld ? {} : { batchStride }),
    };
  };
  return {
    version: 1,
    problem: {
      ...{ m, n, k },
      ...(batch === 1 ? {} : { batch }),
      ...{ a: operand('a'), b: operand('b'), c: operand('c'), accumulator: problem.accumulator },
      ...(alpha === 1 ? {} : { alpha }),
      ...(beta === 0 ? {} : { beta }),
    },
    schedule: inOrder(schedule),
    device,
    targets: [...targets],
    ...(webgpuLimits === undefined ? {} : { webgpuLimits }),
  };
}

/** As a decoded spec has its fields, whichever of them were defaults: a text must be the same once it was read back. */
const inOrder = (schedule: ResolvedSchedule): ResolvedSchedule => {
  const place = ([field]: readonly [string, unknown]): number => SCHEDULE_FIELDS.indexOf(field);
  const sorted = Object.entries(schedule).sort((one, other) => place(one) - place(other));
  return { algorithm: schedule.algorithm, ...Object.fromEntries(sorted) };
};

/** Longest key: it names files. A longer one ends in a hash of what was cut. */
const MAX_KEY_CHARACTERS = 72;

/** Readable name of a resolved spec: element type, algorithm, sizes, layouts, tiles and what is unusual. */
export function specKey(resolved: ResolvedSpec): string {
  const { problem, schedule } = resolved;
  const { m, n, k, a, b, c, alpha, beta, batch, accumulator } = problem;
  const tile = (t: Schedule['block']) =>
    t === undefined ? [] : [[t.m, t.n, t.k].filter(x => x !== undefined).join('x')];
  const { algorithm, block, warp, thread, variant, padding, minBlocksPerSm, ...others } = schedule;
  const { mma, vector, stages, swizzle, sharing, raster, cluster, kernelSchedule, ...more } =
    others;
  const { splitK = 1, splitKReduction, consumers, split, operandOrder, launch, ...rest } = more;
  const usual =
    b.dtype === a.dtype &&
    c.dtype === defaultOutput(a.dtype) &&
    accumulator === defaultAccumulator(a.dtype);
  const dtypes = usual ? a.dtype : `${a.dtype}${b.dtype}${c.dtype}${accumulator}`;
  const layouts = [a, b, c].map(operand => operand.layout[0]).join('');
  const packed = { a: extent(problem, 'a'), b: extent(problem, 'b'), c: extent(problem, 'c') };
  const leading = (['a', 'b', 'c'] as const).flatMap(name => {
    const { layout, ld } = problem[name];
    return ld === (layout === 'row' ? packed[name].columns : packed[name].rows)
      ? []
      : [`ld${name}${ld}`];
  });
  const unusual = leaves(inOrder({ algorithm, ...rest })).filter(
    ([path, value]) => path !== 'algorithm' && !isNeutral(path, value),
  );
  const key = [
    ...['gemm', dtypes, algorithm, ...(variant === undefined ? [] : [variant])],
    ...[`${m}x${n}x${k}`, layouts, ...tile(block), ...tile(warp).map(text => `w${text}`)],
    ...tile(thread),
    ...(isUsual(resolved) ? [] : tile(mma).map(text => `m${text}`)),
    ...(vector === undefined ? [] : [`v${vector}`]),
    ...(stages === undefined ? [] : [`s${stages}`]),
    ...(cluster === undefined || cluster.m * cluster.n === 1
      ? []
      : tile(cluster).map(text => `c${text}`)),
    ...(kernelSchedule === undefined ? [] : [kernelSchedule === 'pingpong' ? 'pp' : 'coop']),
    ...(consumers === undefined || consumers === 2 ? [] : [`${consumers}`]),
    ...(split === undefined ? [] : [split]),
    ...(operandOrder === 'ba' ? ['ba'] : []),
    ...(launch === 'programmatic' ? ['pdl'] : []),
    ...(swizzle === undefined || swizzle === 'none' ? [] : [swizzle]),
    ...(sharing === undefined || sharing === 'none' ? [] : [sharing]),
    ...rasterKey(raster),
    ...(splitK === 1 ? [] : [`split${splitK}${splitKReduction === 'atomic' ? 'atomic' : ''}`]),
    ...(padding === undefined ? [] : [`pad${padding.a ?? 0}x${padding.b ?? 0}`]),
    ...(minBlocksPerSm === undefined ? [] : [`min${minBlocksPerSm}`]),
    ...(alpha === 1 ? [] : [`alpha${alpha}`]),
    ...(beta === 0 ? [] : [`beta${beta}`]),
    ...(batch === 1 ? [] : [`batch${batch}`]),
    ...leading,
    // The file's head says them, so its name does.
    ...(resolved.device === DEFAULT_DEVICE ? [] : [resolved.device]),
    ...(resolved.webgpuLimits === undefined ? [] : [limitsKey(resolved.webgpuLimits)]),
    ...(unusual.length === 0 ? [] : [shortHash(JSON.stringify(unusual))]),
  ].join('-');
  const safe = key.replace(/[^A-Za-z0-9_.-]/g, '');
  if (safe.length <= MAX_KEY_CHARACTERS) return safe;
  const cut = safe.slice(0, MAX_KEY_CHARACTERS - 8);
  return `${cut.slice(0, cut.lastIndexOf('-'))}-${shortHash(key)}`;
}

/** The instruction that a schedule of `mma` has by default: with stages tensor cores', else subgroup matrices'. */
function isUsual({ problem, schedule, device }: ResolvedSpec): boolean {
  const { mma, stages } = schedule;
  const [first] =
    stages === undefined
      ? matrixShapes(problem)
      : instructionsOn(elementOf({ problem, schedule }), device);
  return mma === undefined || (first !== undefined && isShape(first, mma));
}

const rasterKey = ({ order = 'row', group = 1 }: Schedule['raster'] & object = {}) =>
  order === 'row' && group === 1 ? [] : [`${order}${group}`];

const limitsKey = ({ invocations, workgroupStorageBytes }: WebgpuLimits): string =>
  `limits${invocations}x${workgroupStorageBytes}`;

const shortHash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 8);
