/**
 * Edits of a schedule that raise its occupancy, found by planning its neighbours, and what each costs. More warps are
 * not always faster: a thread with more results of its own needs fewer of them (V. Volkov, "Better Performance at
 * Lower Occupancy", GTC 2010).
 */
import type { Device } from '../device/devices';
import { flops } from '../measure/statistics';
import { PLANNED } from '../plan/fields';
import { geometryOf } from '../plan/geometry';
import type { Plan } from '../plan/plan';
import { isLegal, plan as planOf, registersAllowed } from '../plan/planner';
import { registersOf } from '../plan/registers';
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { OccupancyReport } from './analysis';
import { occupancy } from './occupancy';
import { sharedTrafficBytes, uncachedBytes } from './traffic';
import { wavesOf } from './waves';

export interface FieldChange {
  /** JSON path, such as `schedule.thread.n`. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** What a kernel asks of the machine beside its occupancy. */
export interface KernelCost {
  /** FLOP/B of global accesses that no cache serves. */
  readonly ratio: number;
  /** Bytes to and from shared memory, of the whole problem. */
  readonly sharedTrafficBytes: number;
  /** Independent results that a thread has in flight. */
  readonly resultsPerThread: number;
  /** Null where it fits no SM. */
  readonly waves: { readonly waves: number; readonly efficiency: number } | null;
}

export interface OccupancyEdit {
  readonly changes: readonly FieldChange[];
  readonly threads: number;
  /** An estimate: only the compiler knows what an edited kernel needs. */
  readonly registers: number;
  readonly sharedBytes: number;
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  /** 0..1. */
  readonly occupancy: number;
  /** The compiler is told to keep to these registers, and may spill. */
  readonly forced: boolean;
  readonly cost: KernelCost;
}

export interface OccupancyEdits {
  /** Of the kernel as it is. */
  readonly cost: KernelCost;
  /** From the least occupancy to the highest, each the cheapest way there. */
  readonly edits: readonly OccupancyEdit[];
}

export interface EditsInput {
  readonly plan: Plan;
  readonly device: Device;
  readonly report: OccupancyReport;
}

/** Levels of occupancy that are offered. */
const MOST_EDITS = 3;

export function occupancyEdits(input: EditsInput): OccupancyEdits {
  const { plan, device, report } = input;
  const better = candidates(plan)
    .filter(({ spec }) => isLegal(spec, plan.target))
    .flatMap(({ spec, changes }) => evaluate(spec, changes, input))
    .filter(edit => edit.activeWarps > report.activeWarps);
  const levels = [...new Set(better.map(({ activeWarps }) => activeWarps))].sort((a, b) => a - b);
  const cheapest = levels.flatMap(level =>
    better
      .filter(({ activeWarps }) => activeWarps === level)
      .sort(byCost)
      .slice(0, 1),
  );
  const edits = cheapest.filter((edit, index) => !cheapest.slice(index + 1).some(isNoDearer(edit)));
  return { cost: costOf(plan, device, report), edits: edits.slice(0, MOST_EDITS) };
}

/** Whether an edit that gives more warps costs no more in any respect. */
const isNoDearer =
  (than: OccupancyEdit) =>
  ({ forced, changes, cost }: OccupancyEdit): boolean =>
    Number(forced) <= Number(than.forced) &&
    changes.length <= than.changes.length &&
    cost.ratio >= than.cost.ratio &&
    cost.sharedTrafficBytes <= than.cost.sharedTrafficBytes &&
    cost.resultsPerThread >= than.cost.resultsPerThread;

/** Forcing the compiler comes last; then fewer fields, then less traffic. */
const byCost = (one: OccupancyEdit, other: OccupancyEdit): number =>
  Number(one.forced) - Number(other.forced) ||
  one.changes.length - other.changes.length ||
  other.cost.ratio - one.cost.ratio ||
  one.cost.sharedTrafficBytes - other.cost.sharedTrafficBytes;

function evaluate(
  spec: ResolvedSpec,
  changes: readonly FieldChange[],
  { plan: before, device, report }: EditsInput,
): readonly OccupancyEdit[] {
  const { target } = before;
  const planned = planOf(spec, target);
  const { computeCapability } = device;
  if (!planned.ok || computeCapability === undefined) return [];
  const { plan } = planned;
  // What the compiler needed beyond the estimate, it is taken to need again.
  const beyond = report.registers.value - before.registersEstimate;
  const wanted = Math.max(1, registersOf(spec, geometryOf(spec, target)).expected + beyond);
  const allowed = Math.min(255, registersAllowed(spec, target, plan.threads));
  const bounded = changes.some(({ path }) => path === MIN_BLOCKS);
  // A block so large that its launch bounds make the compiler spill is no way to more warps.
  if (wanted > allowed && !bounded) return [];
  const registers = Math.min(wanted, allowed);
  const result = occupancy({
    ...{ computeCapability, threadsPerBlock: plan.threads, registersPerThread: registers },
    sharedBytesPerBlock: plan.sharedBytes,
  });
  if (!result.ok) return [];
  const { blocksPerSm, activeWarps } = result.occupancy;
  return [
    {
      ...{ changes, registers, threads: plan.threads, sharedBytes: plan.sharedBytes },
      ...{ blocksPerSm, activeWarps, occupancy: result.occupancy.occupancy },
      forced: wanted > allowed,
      cost: costOf(plan, device, { blocksPerSm }),
    },
  ];
}

function costOf(
  plan: Plan,
  device: Device,
  report: Pick<OccupancyReport, 'blocksPerSm'>,
): KernelCost {
  const waves = wavesOf(plan, device, report);
  return {
    ratio: flops(plan.spec.problem) / uncachedBytes(plan),
    sharedTrafficBytes: sharedTrafficBytes(plan),
    resultsPerThread: plan.thread.m * plan.thread.n,
    waves: waves === null ? null : { waves: waves.waves, efficiency: waves.efficiency },
  };
}

const MIN_BLOCKS = 'schedule.minBlocksPerSm';

interface Candidate {
  readonly spec: ResolvedSpec;
  readonly changes: readonly FieldChange[];
}

/** A change that makes sense by itself: one field, or all tiles along one dimension of C at once. */
type Move = readonly FieldChange[];

/** The schedule after one move or two, its padding or a stage dropped, or its registers bounded. */
function candidates(plan: Plan): readonly Candidate[] {
  const { spec } = plan;
  const single = fieldsOf(spec.schedule).flatMap(([field, from]) => neighbours(field, from));
  const tiles = single.filter(({ path }) => TILE.test(path));
  const moves: readonly Move[] = [...tiles.map(change => [change]), ...dimensionMoves(tiles)];
  const twice = moves.flatMap((one, index) =>
    moves.slice(index + 1).flatMap(other => {
      const touched = one.some(({ path }) => other.some(change => change.path === path));
      return touched ? [] : [[...one, ...other]];
    }),
  );
  const others = single.filter(({ path }) => !TILE.test(path));
  const bounded = bounds(plan).map(to => ({
    ...{ path: MIN_BLOCKS, from: spec.schedule.minBlocksPerSm ?? 1, to },
  }));
  return [...moves, ...twice, ...[...others, ...bounded].map(change => [change])].map(changes => ({
    ...{ changes, spec: changes.reduce(changed, spec) },
  }));
}

const TILE = /^schedule\.(block|warp|thread)\./;

/** Block, warp and thread tile halved or doubled together along m or n: the block keeps its threads. */
function dimensionMoves(tiles: readonly FieldChange[]): readonly Move[] {
  const along = (dimension: 'm' | 'n', larger: boolean): Move =>
    tiles.filter(({ path, from, to }) => path.endsWith(`.${dimension}`) && to > from === larger);
  return (['m', 'n'] as const)
    .flatMap(dimension => [along(dimension, false), along(dimension, true)])
    .filter(move => move.length > 1);
}

/** As many as are tried; what an SM cannot hold is not legal. */
const bounds = ({ target, spec }: Plan): readonly number[] =>
  target === 'cuda' ? [1, 2, 3].map(more => (spec.schedule.minBlocksPerSm ?? 1) + more) : [];

/** The numbers of a schedule that its algorithm uses, by path under `schedule`. */
function fieldsOf(
  schedule: ResolvedSchedule,
): readonly (readonly [field: string, value: number])[] {
  return (PLANNED[schedule.algorithm]?.fields ?? []).flatMap(field => {
    const value = valueAt(schedule, field);
    return typeof value === 'number' ? [[field, value] as const] : [];
  });
}

function neighbours(field: string, from: number): readonly FieldChange[] {
  const path = `schedule.${field}`;
  const to = (values: readonly number[]) =>
    values
      .filter(value => Number.isInteger(value) && value >= 1)
      .map(value => ({ path, from, to: value }));
  if (TILE.test(path)) return to([from / 2, from * 2]);
  if (field === 'stages') return to([from - 1]);
  return field.startsWith('padding.') && from > 0 ? [{ path, from, to: 0 }] : [];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), root);

function changed(spec: ResolvedSpec, { path, to }: FieldChange): ResolvedSpec {
  const [, group = '', name] = path.split('.');
  const { schedule } = spec;
  const inner = valueAt(schedule, group);
  const value = name === undefined ? to : { ...(isObject(inner) ? inner : {}), [name]: to };
  return { ...spec, schedule: { ...schedule, [group]: value } };
}
