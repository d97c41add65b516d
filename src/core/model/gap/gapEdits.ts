/**
 * Finds an edit for each predicted loss: the schedule edit with the largest total gain that also
 * reduces this loss. Plans neighboring schedules and predicts the time of each. Only edits that
 * reduce the total time count. Takes several milliseconds, so callers should compute it on demand.
 */
import { warpAccesses } from '../../memory/accesses';
import { occupancy } from '../../occupancy/occupancy';
import type { Device } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import { usesOf } from '../../plan/fields';
import {
  changed,
  tileMovePairs,
  tileMoves,
  valueAt,
  type Move,
  type ScheduleChange,
} from '../../plan/neighbors';
import type { Plan } from '../../plan/plan';
import type { ResolvedSchedule } from '../../spec/resolved';
import type { Algorithm } from '../../spec/schema';
import { planIfLegal } from '../../plan/planner';
import { warpGroupMoves } from '../../plan/wgmma/wgmmaMoves';
import { hasClosedForm, closedCosts, type ClosedCosts } from '../closedCosts';
import { analyzedCosts, type SiteCosts } from '../siteCosts';
import { timeModel, type Cause, type TimeModel } from '../timeModel';

export interface GapEdit {
  readonly changes: readonly ScheduleChange[];
  /** Predicted rate with the edit, from estimated register counts. */
  readonly tflops: number;
  /** Predicted rate of the unedited schedule, from estimated register counts. */
  readonly tflopsNow: number;
}

/** Minimum reduction of the total time by an edit, as a fraction. */
const MIN_GAIN = 0.01;
const MIN_REMOVED_SHARE = 0.1;
const MIN_GAIN_OF_BEST = 0.5;

interface Candidate {
  readonly changes: readonly ScheduleChange[];
  readonly model: TimeModel;
}

/** Returns the best edit for each cause. Causes without a helpful edit are absent. */
export function gapEdits(
  plan: Plan,
  device: Device,
  causes: readonly Cause[],
): Readonly<Partial<Record<Cause, GapEdit>>> {
  const costsOf = closedCosts();
  const now = candidateOf(plan, [], device, costsOf);
  if (now === null) return {};
  const gainOf = ({ model }: Candidate): number => 1 - model.milliseconds / now.model.milliseconds;
  const better = movesOf(plan)
    .flatMap(changes => {
      const edited = planIfLegal(changes.reduce(changed, plan.spec), plan.target);
      return (edited === null ? null : candidateOf(edited, changes, device, costsOf)) ?? [];
    })
    .filter(candidate => gainOf(candidate) >= MIN_GAIN)
    .sort((one, other) => gainOf(other) - gainOf(one));
  const [best] = better;
  const candidates = better.filter(
    candidate => best !== undefined && gainOf(candidate) >= MIN_GAIN_OF_BEST * gainOf(best),
  );
  const costOf = ({ model }: Candidate, cause: Cause): number =>
    model.milliseconds - model.millisecondsWithout([cause]);
  return Object.fromEntries(
    causes.flatMap(cause => {
      const most = costOf(now, cause) * (1 - MIN_REMOVED_SHARE);
      const found = candidates.find(candidate => costOf(candidate, cause) <= most);
      if (found === undefined) return [];
      const { changes, model } = found;
      return [[cause, { changes, tflops: model.tflops, tflopsNow: now.model.tflops }]];
    }),
  );
}

function candidateOf(
  plan: Plan,
  changes: readonly ScheduleChange[],
  device: Device,
  costsOf: ClosedCosts,
): Candidate | null {
  const { computeCapability } = device;
  if (computeCapability === undefined) return null;
  const residency = occupancy({
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: plan.registersEstimate,
    sharedBytesPerBlock: plan.sharedBytes,
  });
  if (!residency.ok) return null;
  const model = timeModel({
    plan,
    device,
    occupancy: residency.occupancy,
    costs: costsFor(plan, costsOf),
  });
  return model === null ? null : { changes, model };
}

/**
 * Returns the site costs of a plan. The hand-written `wgmma` loop has no access sites, so its costs
 * are 0.
 */
function costsFor(plan: Plan, costsOf: ClosedCosts): SiteCosts {
  const found = plan.family === 'wgmma' ? analyzedCosts([], []) : costsOf(plan);
  if (found !== null) return found;
  const { global, shared } = warpAccesses(emit(plan));
  return analyzedCosts(global, shared);
}

const CHOICES: Readonly<Record<string, readonly (number | string)[]>> = {
  stages: [2, 3, 4, 5],
  vector: [2, 4, 8],
  minBlocksPerSm: [1, 2, 3, 4],
  splitK: [1, 2, 4, 8],
  swizzle: ['none', 'xor'],
  'padding.a': [0, 1, 4],
  'padding.b': [0, 1, 4],
};

/** Default values of fields that the schedule omits. */
const ABSENT: Readonly<Record<string, number | string>> = {
  stages: 1,
  vector: 1,
  minBlocksPerSm: 1,
  splitK: 1,
  swizzle: 'none',
  'padding.a': 0,
  'padding.b': 0,
};

function movesOf(plan: Plan): readonly Move[] {
  const { spec } = plan;
  if (plan.family === 'wgmma') return warpGroupMoves(spec);
  const { schedule } = spec;
  const used = usesOf(schedule)?.fields ?? [];
  const choices = Object.entries(CHOICES).flatMap(([field, values]) => {
    const found = valueAt(schedule, field);
    const from = typeof found === 'number' || typeof found === 'string' ? found : ABSENT[field];
    if (from === undefined || !used.includes(field)) return [];
    return values.filter(to => to !== from).map(to => [{ path: `schedule.${field}`, from, to }]);
  });
  const next = nextAlgorithm(schedule);
  // A schedule without a closed form must be lowered, which is slow, so fewer moves are tried.
  const tiles = hasClosedForm(plan) ? tileMovePairs(schedule) : tileMoves(schedule);
  return [...tiles, ...choices, ...next];
}

/**
 * Returns moves to the algorithm that reuses more of each load, if the tiles can stay: coalesced
 * accesses, then tiles in shared memory, then their pipeline.
 */
function nextAlgorithm({ algorithm: from, variant }: ResolvedSchedule): readonly Move[] {
  const to = (algorithm: Algorithm, ...changes: Move): Move => [
    { path: 'schedule.algorithm', from, to: algorithm },
    ...changes,
  ];
  switch (from) {
    case 'naive':
      return [to('coalesced', { path: 'schedule.variant', from: 'none', to: 'swap' })];
    case 'coalesced':
      return [8, 16, 32].map(depth =>
        to(
          'shared-tile',
          { path: 'schedule.variant', from: variant ?? 'none', to: '2d' },
          { path: 'schedule.block.k', from: 0, to: depth },
        ),
      );
    case 'warp-tile':
      return [3, 4].map(stages =>
        to('pipelined', { path: 'schedule.stages', from: 1, to: stages }),
      );
    default:
      return [];
  }
}
