/**
 * The edit that takes most of a cause away: neighbours of the schedule planned and predicted, each with the time that the
 * cause costs it. Only edits that make the whole faster count. Some milliseconds: computed when asked for.
 */
import { warpAccesses } from '../../memory/accesses';
import { occupancy } from '../../occupancy/occupancy';
import type { Device } from '../../hardware/devices';
import { emit } from '../../kernel/emit';
import { PLANNED } from '../../plan/fields';
import {
  changed,
  tileMovePairs,
  tileMoves,
  valueAt,
  type Move,
  type ScheduleChange,
} from '../../plan/moves';
import type { Plan } from '../../plan/plan';
import { planIfLegal } from '../../plan/planner';
import { warpGroupMoves } from '../../plan/wgmma/wgmmaMoves';
import { hasClosedForm, closedCosts, type ClosedCosts } from '../closedCosts';
import { analysedCosts, type SiteCosts } from '../siteCosts';
import { timeModel, type Cause, type TimeModel } from '../timeModel';

export interface GapEdit {
  readonly changes: readonly ScheduleChange[];
  /** Predicted with it, from estimated registers. */
  readonly tflops: number;
  /** The same of the schedule as it is. */
  readonly tflopsNow: number;
}

/** An edit that gains less is none. */
const LEAST_GAIN = 0.01;
/** Of a cause's time, what an edit for it takes away at least. */
const LEAST_CURED = 0.1;
/** Of what the best edit gains: who may have that one does not want less for a smaller cause. */
const LEAST_OF_BEST = 0.5;

interface Candidate {
  readonly changes: readonly ScheduleChange[];
  readonly model: TimeModel;
}

/** By cause; absent where no neighbour helps. */
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
    .filter(candidate => gainOf(candidate) >= LEAST_GAIN)
    .sort((one, other) => gainOf(other) - gainOf(one));
  const [best] = better;
  const worthy = better.filter(
    candidate => best !== undefined && gainOf(candidate) >= LEAST_OF_BEST * gainOf(best),
  );
  const costOf = ({ model }: Candidate, cause: Cause): number =>
    model.milliseconds - model.millisecondsWithout([cause]);
  return Object.fromEntries(
    causes.flatMap(cause => {
      const most = costOf(now, cause) * (1 - LEAST_CURED);
      const found = worthy.find(candidate => costOf(candidate, cause) <= most);
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
  const held = occupancy({
    computeCapability,
    threadsPerBlock: plan.threads,
    registersPerThread: plan.registersEstimate,
    sharedBytesPerBlock: plan.sharedBytes,
  });
  if (!held.ok) return null;
  const model = timeModel({
    plan,
    device,
    occupancy: held.occupancy,
    costs: costsFor(plan, costsOf),
  });
  return model === null ? null : { changes, model };
}

/** Of the hand-written loop of `wgmma` none are counted. */
function costsFor(plan: Plan, costsOf: ClosedCosts): SiteCosts {
  const found = plan.family === 'wgmma' ? analysedCosts([], []) : costsOf(plan);
  if (found !== null) return found;
  const { global, shared } = warpAccesses(emit(plan));
  return analysedCosts(global, shared);
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

/** What a field is where the schedule does not name it. */
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
  const used = PLANNED[schedule.algorithm]?.fields ?? [];
  const choices = Object.entries(CHOICES).flatMap(([field, values]) => {
    const found = valueAt(schedule, field);
    const from = typeof found === 'number' || typeof found === 'string' ? found : ABSENT[field];
    if (from === undefined || !used.includes(field)) return [];
    return values.filter(to => to !== from).map(to => [{ path: `schedule.${field}`, from, to }]);
  });
  const pipelined = [3, 4].map(stages => [
    { path: 'schedule.algorithm', from: schedule.algorithm, to: 'pipelined' },
    { path: 'schedule.stages', from: 1, to: stages },
  ]);
  // The tiles of the one are those of the other.
  const next = schedule.algorithm === 'warp-tile' ? pipelined : [];
  // What has no closed form is lowered, a millisecond each.
  const tiles = hasClosedForm(plan) ? tileMovePairs(schedule) : tileMoves(schedule);
  return [...tiles, ...choices, ...next];
}
