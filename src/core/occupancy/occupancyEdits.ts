/**
 * Finds schedule edits that raise occupancy, and computes the cost of each edit. Higher occupancy
 * is not always faster: threads with more independent accumulators require fewer warps (V. Volkov,
 * "Better Performance at Lower Occupancy", GTC 2010).
 */
import type { Device } from '../hardware/devices';
import { usesOf } from '../plan/fields';
import { changed, tileMovePairs, valueAt, type Move } from '../plan/neighbors';
import type { Plan } from '../plan/plan';
import { registersAllowed } from '../plan/launching';
import { planIfLegal } from '../plan/planner';
import { registersOf } from '../plan/registers';
import { type ResolvedSchedule, type ResolvedSpec, flops } from '../spec/resolved';
import type { OccupancyReport } from './report';
import { launchedOccupancy } from './launchedOccupancy';
import { sharedTrafficBytes, uncachedBytes } from '../plan/traffic';
import { wavesOf } from './waves';

export interface KernelCost {
  /** Arithmetic intensity of the global accesses without caches, in FLOP/B. */
  readonly ratio: number;
  /** Bytes that the whole problem reads from and writes to shared memory. */
  readonly sharedTrafficBytes: number;
  readonly resultsPerThread: number;
  /** Wave count and load balance; null if the block does not fit on an SM. */
  readonly waves: { readonly waves: number; readonly balance: number } | null;
}

export interface OccupancyEdit {
  readonly changes: Move<number>;
  readonly threads: number;
  /** Estimated registers per thread; only the compiler determines the actual count. */
  readonly registers: number;
  readonly sharedBytes: number;
  readonly blocksPerSm: number;
  readonly activeWarps: number;
  /** Active warps divided by the maximum warps per SM, 0..1. */
  readonly occupancy: number;
  /**
   * Whether the launch bounds limit the register count to less than the estimate, which may cause
   * spills.
   */
  readonly forced: boolean;
  readonly cost: KernelCost;
}

export interface OccupancyEdits {
  readonly cost: KernelCost;
  /**
   * At most `MAX_EDITS` edits in ascending order of occupancy, each with the least cost for its
   * occupancy. An edit is omitted if an edit with a higher occupancy costs no more.
   */
  readonly edits: readonly OccupancyEdit[];
}

export interface EditsInput {
  readonly plan: Plan;
  readonly device: Device;
  readonly report: OccupancyReport;
}

const MAX_EDITS = 3;

export function occupancyEdits(input: EditsInput): OccupancyEdits {
  const { plan, device, report } = input;
  const better = candidates(plan)
    .flatMap(({ spec, changes }) => evaluate(spec, changes, input))
    .filter(edit => edit.activeWarps > report.activeWarps);
  const levels = [...new Set(better.map(({ activeWarps }) => activeWarps))].sort((a, b) => a - b);
  const cheapest = levels.flatMap(level =>
    better
      .filter(({ activeWarps }) => activeWarps === level)
      .sort(byCost)
      .slice(0, 1),
  );
  const edits = cheapest.filter(
    (edit, index) => !cheapest.slice(index + 1).some(isNotCostlier(edit)),
  );
  return { cost: costOf(plan, device, report), edits: edits.slice(0, MAX_EDITS) };
}

const isNotCostlier =
  (than: OccupancyEdit) =>
  ({ forced, changes, cost }: OccupancyEdit): boolean =>
    Number(forced) <= Number(than.forced) &&
    changes.length <= than.changes.length &&
    cost.ratio >= than.cost.ratio &&
    cost.sharedTrafficBytes <= than.cost.sharedTrafficBytes &&
    cost.resultsPerThread >= than.cost.resultsPerThread;

const byCost = (one: OccupancyEdit, other: OccupancyEdit): number =>
  Number(one.forced) - Number(other.forced) ||
  one.changes.length - other.changes.length ||
  other.cost.ratio - one.cost.ratio ||
  one.cost.sharedTrafficBytes - other.cost.sharedTrafficBytes;

function evaluate(
  spec: ResolvedSpec,
  changes: Move<number>,
  { plan: before, device, report }: EditsInput,
): readonly OccupancyEdit[] {
  const { target } = before;
  const { computeCapability } = device;
  const plan = planIfLegal(spec, target);
  if (plan === null || computeCapability === undefined) return [];
  // The edited kernel is assumed to exceed its register estimate by as much as the current kernel.
  const excess = report.registers.value - before.registersEstimate;
  const wanted = Math.max(1, registersOf(spec, plan).expected + excess);
  const allowed = Math.min(255, registersAllowed(spec, target, plan.threads));
  const bounded = changes.some(({ path }) => path === MIN_BLOCKS);
  // Exclude edits whose register limit would cause spills, unless the edit changes
  // `minBlocksPerSm`.
  if (wanted > allowed && !bounded) return [];
  const registers = Math.min(wanted, allowed);
  const result = launchedOccupancy(plan, {
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: registers,
    sharedBytesPerBlock: plan.sharedBytes,
  });
  if (!result.ok) return [];
  const { blocksPerSm, activeWarps } = result.occupancy;
  return [
    {
      changes,
      registers,
      threads: plan.threads,
      sharedBytes: plan.sharedBytes,
      blocksPerSm,
      activeWarps,
      occupancy: result.occupancy.occupancy,
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
    waves: waves === null ? null : { waves: waves.waves, balance: waves.balance.value },
  };
}

const MIN_BLOCKS = 'schedule.minBlocksPerSm';

interface Candidate {
  readonly spec: ResolvedSpec;
  readonly changes: Move<number>;
}

/**
 * Returns the edited schedules to evaluate: one or two tile moves, one pipeline stage fewer, no
 * padding, or a higher minimum block count.
 */
function candidates({ spec, target }: Plan): readonly Candidate[] {
  const { schedule } = spec;
  const moves = [...tileMovePairs(schedule), ...drops(schedule)];
  const bounded = target === 'cuda' ? bounds(schedule) : [];
  return [...moves, ...bounded].map(changes => ({
    changes,
    spec: changes.reduce(changed, spec),
  }));
}

const drops = (schedule: ResolvedSchedule): readonly Move<number>[] =>
  (usesOf(schedule)?.fields ?? []).flatMap(field => {
    const from = valueAt(schedule, field);
    if (typeof from !== 'number') return [];
    const path = `schedule.${field}`;
    if (field === 'stages' && from > 1) return [[{ path, from, to: from - 1 }]];
    return field.startsWith('padding.') && from > 0 ? [[{ path, from, to: 0 }]] : [];
  });

/** Raises the minimum block count by 1 to 3. `planIfLegal` rejects counts that do not fit. */
const bounds = ({ minBlocksPerSm: from = 1 }: ResolvedSchedule): readonly Move<number>[] =>
  [1, 2, 3].map(more => [{ path: MIN_BLOCKS, from, to: from + more }]);
