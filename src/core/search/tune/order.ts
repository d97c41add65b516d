/**
 * Orders the schedules to try by predicted time or, without a model, by operand reuse. Defers near
 * duplicates.
 */
import { rank, type Ranked } from '../rank/rank';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import { plannerFor } from '../../plan/planner';
import { QUAD } from '../../plan/simt/registerTile';
import { gemvPrediction } from '../../defaults/simt/gemvChoice';
import { flops, type ResolvedSchedule, type ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { distance, decisionsOf } from './decisionDistance';
import type { SpaceCount, TuneOrder } from './events';
import type { TuneSpace } from './space';

export interface Scored {
  readonly schedule: ResolvedSchedule;
  /** Sort key, where less is better; comparable only within one order. */
  readonly cost: number;
  readonly predictedTflops: number | null;
}

/** Returns the legal schedules, best first. */
export type Scorer = (schedules: readonly ResolvedSchedule[]) => readonly Scored[];

export interface Ordered {
  readonly space: SpaceCount;
  /**
   * Legal schedules, best first. Groups with the same tiles are truncated unless `whole` is set.
   */
  readonly scored: readonly Scored[];
}

type Schedules = readonly ResolvedSchedule[];
type Planner = (schedule: ResolvedSchedule) => Plan | null;

interface Scoring {
  readonly order: TuneOrder;
  readonly score: Scorer;
}

export function scorerFor(spec: ResolvedSpec, target: Target): Scoring {
  const planOf = plannerFor(spec, target);
  const known = target === 'cuda' ? rank(spec, 1, []) : { why: 'target' as const };
  if (!('why' in known)) {
    const text = `by time predicted for ${spec.device}; schedules without a prediction last`;
    return { order: { by: 'model', text }, score: schedules => ranked(spec, planOf, schedules) };
  }
  const reason = {
    target: 'the time model covers CUDA only',
    device: `the time model does not cover ${spec.device}`,
    'element-type': `the ${spec.problem.accumulator} peak of ${spec.device} is unknown`,
  }[known.why];
  const text = `by operand reads per FMA: ${reason}`;
  return { order: { by: 'reuse', text }, score: schedules => unranked(byReuse(planOf, schedules)) };
}

/** Cost factor that places schedules without a prediction after all ranked schedules. */
const UNRANKED = 1e9;
const unranked = (scored: readonly Scored[]): readonly Scored[] =>
  scored.map(one => ({ ...one, cost: UNRANKED * one.cost }));

function ranked(spec: ResolvedSpec, planOf: Planner, schedules: Schedules): readonly Scored[] {
  const ranking = rank(spec, schedules.length, schedules);
  const best: readonly Ranked[] = 'why' in ranking ? [] : ranking.best;
  const gemv = predictedGemv(spec, planOf, schedules);
  const known = new Set([...best, ...gemv].map(({ schedule }) => schedule));
  const rest = byReuse(
    planOf,
    schedules.filter(schedule => !known.has(schedule)),
  );
  return [
    ...best.map(({ schedule, milliseconds, tflops }) => ({
      schedule,
      cost: milliseconds,
      predictedTflops: tflops,
    })),
    ...gemv,
    ...unranked(rest),
  ];
}

/** Returns the legal `gemv` schedules, with the predictions of their own model. */
function predictedGemv(spec: ResolvedSpec, planOf: Planner, schedules: Schedules): Scored[] {
  const predict = gemvPrediction(spec);
  if (predict === null) return [];
  return schedules.flatMap(schedule => {
    if (schedule.algorithm !== 'gemv' || planOf(schedule) === null) return [];
    const { milliseconds } = predict(schedule);
    const predictedTflops = flops(spec.problem) / milliseconds / 1e9;
    return [{ schedule, cost: milliseconds, predictedTflops }];
  });
}

function byReuse(planOf: Planner, schedules: Schedules): readonly Scored[] {
  const found = schedules.flatMap(schedule => {
    const plan = planOf(schedule);
    return plan === null ? [] : [{ schedule, cost: readsOf(plan), predictedTflops: null }];
  });
  return found.sort((one, other) => one.cost - other.cost);
}

/**
 * Weight of block-tile reads (global memory) relative to thread-tile reads in the operand reads per
 * FMA.
 */
const FAR_MEMORY_WEIGHT = 4;
/** Number of blocks below which most GPUs have idle SMs. */
const MIN_BLOCKS = 64;

function readsOf(plan: Plan): number {
  const { tile, tiles, grid, spec } = plan;
  const { m, n, batch } = spec.problem;
  // Each warp loads the fragments of its warp tile once.
  const thread = matrixPlanIn(plan)?.warp ?? plan.thread;
  // Each lane of a quad loads a quarter of the A fragment.
  const near = 1 / thread.m + 1 / (thread.n * (lanePlanIn(plan)?.sharing === 'quad' ? QUAD : 1));
  const far = FAR_MEMORY_WEIGHT * (1 / tile.m + 1 / tile.n);
  const blocks = grid.x * grid.y * grid.z;
  const padding = (tiles.m * tile.m * tiles.n * tile.n) / (m * n);
  return (near + far) * padding * Math.max(1, MIN_BLOCKS / Math.max(blocks, batch));
}

const CHUNK = 4096;
/** Maximum number of schedules kept per operand order, block tile and thread tile. */
const MAX_PER_GROUP = 24;
const MAX_KEPT = 8192;

export interface OrderOptions {
  /** True to keep every legal schedule with its variants. */
  readonly whole: boolean;
  /** Yields to other work; returns false if the search must stop. */
  readonly pause: () => Promise<boolean>;
}

/** Enumerates and scores the space. If the search stops early, returns the results so far. */
export async function ordered(
  space: TuneSpace,
  score: Scorer,
  { whole: keepAll, pause }: OrderOptions,
): Promise<Ordered> {
  const kept = new Map<string, Scored[]>();
  let [walked, legal] = [0, 0];
  const take = async (chunk: readonly ResolvedSchedule[]): Promise<boolean> => {
    walked += chunk.reduce((count, one) => count + space.variantCount(one), 0);
    const found = score(chunk);
    for (const one of found) {
      // Count all variants of a legal schedule as legal. This may overestimate, because
      // asynchronous copies can be too narrow.
      legal += space.variantCount(one.schedule);
      const key = tilesOf(one.schedule);
      const group = kept.get(key);
      if (group === undefined) kept.set(key, [one]);
      else group.push(one);
    }
    if (!keepAll) prune(kept);
    return await pause();
  };
  let chunk: ResolvedSchedule[] = [];
  for (const schedule of space.walk()) {
    chunk.push(schedule);
    if (chunk.length < CHUNK) continue;
    const shouldContinue = await take(chunk);
    chunk = [];
    if (!shouldContinue) break;
  }
  if (chunk.length > 0) await take(chunk);
  const all = [...kept.values()].flat().sort((one, other) => one.cost - other.cost);
  return {
    space: { members: space.size ?? walked, walked, legal },
    scored: keepAll
      ? all.flatMap(one => space.variants(one.schedule).map(schedule => ({ ...one, schedule })))
      : all,
  };
}

const tilesOf = ({ block, warp, thread = warp, operandOrder }: ResolvedSchedule): string =>
  [operandOrder, block?.m, block?.n, thread?.m, thread?.n].join();

function prune(held: Map<string, Scored[]>): void {
  let count = 0;
  for (const [key, group] of held) {
    group.sort((one, other) => one.cost - other.cost);
    held.set(key, group.slice(0, MAX_PER_GROUP));
    count += Math.min(group.length, MAX_PER_GROUP);
  }
  if (count <= 2 * MAX_KEPT) return;
  const costs = [...held.values()].flat().map(({ cost }) => cost);
  const most = costs.sort((one, other) => one - other)[MAX_KEPT] ?? Infinity;
  for (const [key, group] of held) {
    const kept = group.filter(({ cost }) => cost < most);
    if (kept.length === 0) held.delete(key);
    else held.set(key, kept);
  }
}

/**
 * Cost penalties of a candidate, indexed by the number of decisions in which it differs from a
 * selected candidate.
 */
const SIMILARITY_PENALTY = [Infinity, 0.06, 0.025, 0.008];

/**
 * Selects `count` diverse candidates, best first. Candidates that are similar to selected
 * candidates receive a penalty.
 */
export function diverse(scored: readonly Scored[], count: number): readonly Scored[] {
  const rest = scored.map(one => ({ one, decisions: decisionsOf(one.schedule), penalty: 1 }));
  const chosen: Scored[] = [];
  while (chosen.length < count && rest.length > 0) {
    let [best, least] = [-1, Infinity];
    for (const [index, { one, penalty }] of rest.entries()) {
      // The list is sorted by cost, so later candidates cannot be cheaper.
      if (one.cost >= least) break;
      if (one.cost * penalty < least) [best, least] = [index, one.cost * penalty];
    }
    const next = rest.splice(best, 1)[0];
    if (best < 0 || next === undefined) break;
    chosen.push(next.one);
    for (const each of rest) {
      each.penalty += SIMILARITY_PENALTY[distance(each.decisions, next.decisions)] ?? 0;
    }
  }
  return chosen;
}
