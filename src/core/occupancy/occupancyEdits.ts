/**
 * Edits of a schedule that raise its occupancy, found by planning its neighbours, and what each costs. More warps are
 * not always faster: a thread with more results of its own needs fewer of them (V. Volkov, "Better Performance at
 * Lower Occupancy", GTC 2010).
 */
import type { Device } from '../hardware/devices';
import { PLANNED } from '../plan/fields';
import { changed, tileMovePairs, valueAt, type Move } from '../plan/moves';
import type { Plan } from '../plan/plan';
import { registersAllowed } from '../plan/launching';
import { planIfLegal } from '../plan/planner';
import { registersOf } from '../plan/registers';
import { type ResolvedSchedule, type ResolvedSpec, flops } from '../spec/resolved';
import type { OccupancyReport } from './report';
import { launchedOccupancy } from './launchedOccupancy';
import { sharedTrafficBytes, uncachedBytes } from '../plan/traffic';
import { wavesOf } from './waves';

/** What a kernel asks of the machine beside its occupancy. */
export interface KernelCost {
  /** FLOP/B of global accesses that no cache serves. */
  readonly ratio: number;
  /** Bytes to and from shared memory, of the whole problem. */
  readonly sharedTrafficBytes: number;
  /** Independent results that a thread has in flight. */
  readonly resultsPerThread: number;
  /** Null where it fits no SM. */
  readonly waves: { readonly waves: number; readonly balance: number } | null;
}

export interface OccupancyEdit {
  readonly changes: Move<number>;
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
  changes: Move<number>,
  { plan: before, device, report }: EditsInput,
): readonly OccupancyEdit[] {
  const { target } = before;
  const { computeCapability } = device;
  const plan = planIfLegal(spec, target);
  if (plan === null || computeCapability === undefined) return [];
  // What the compiler needed beyond the estimate, it is taken to need again.
  const beyond = report.registers.value - before.registersEstimate;
  const wanted = Math.max(1, registersOf(spec, plan).expected + beyond);
  const allowed = Math.min(255, registersAllowed(spec, target, plan.threads));
  const bounded = changes.some(({ path }) => path === MIN_BLOCKS);
  // A block so large that its launch bounds make the compiler spill is no way to more warps.
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

/** The schedule after one move of its tiles or two, its padding or a stage dropped, or its registers bounded. */
function candidates({ spec, target }: Plan): readonly Candidate[] {
  const { schedule } = spec;
  const moves = [...tileMovePairs(schedule), ...drops(schedule)];
  const bounded = target === 'cuda' ? bounds(schedule) : [];
  return [...moves, ...bounded].map(changes => ({
    changes,
    spec: changes.reduce(changed, spec),
  }));
}

/** A stage less, and rows of shared memory without padding. */
const drops = (schedule: ResolvedSchedule): readonly Move<number>[] =>
  (PLANNED[schedule.algorithm]?.fields ?? []).flatMap(field => {
    const from = valueAt(schedule, field);
    if (typeof from !== 'number') return [];
    const path = `schedule.${field}`;
    if (field === 'stages' && from > 1) return [[{ path, from, to: from - 1 }]];
    return field.startsWith('padding.') && from > 0 ? [[{ path, from, to: 0 }]] : [];
  });

/** As many blocks as are tried; what an SM cannot hold is not legal. */
const bounds = ({ minBlocksPerSm: from = 1 }: ResolvedSchedule): readonly Move<number>[] =>
  [1, 2, 3].map(more => [{ path: MIN_BLOCKS, from, to: from + more }]);
