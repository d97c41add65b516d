/** In what order schedules are tried: as the time model predicts, or by reuse where there is none; near duplicates later. */
import { rank, type Ranked } from '../rank/rank';
import { lanePlanIn, matrixPlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import { plannerFor } from '../../plan/planner';
import { QUAD } from '../../plan/simt/registerTile';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import { apart, decisionsOf } from './decisionDistance';
import type { SpaceCount, TuneOrder } from './events';
import type { TuneSpace } from './space';

export interface Scored {
  readonly schedule: ResolvedSchedule;
  /** Less is better; of one order only. */
  readonly cost: number;
  readonly predictedTflops: number | null;
}

/** Of some schedules those that are legal, the best first. */
export type Scorer = (schedules: readonly ResolvedSchedule[]) => readonly Scored[];

export interface Ordered {
  readonly space: SpaceCount;
  /** The best first. Of many alike only some are held. */
  readonly scored: readonly Scored[];
}

type Schedules = readonly ResolvedSchedule[];
type Planner = (schedule: ResolvedSchedule) => Plan | null;

interface Scoring {
  readonly order: TuneOrder;
  readonly score: Scorer;
}

/** The model of CUDA, or what stands in its place. */
export function scorerFor(spec: ResolvedSpec, target: Target): Scoring {
  const planOf = plannerFor(spec, target);
  const known = target === 'cuda' ? rank(spec, 1, []) : { why: 'target' as const };
  if (!('why' in known)) {
    const text = `as the time model predicts for ${spec.device}, what it does not know last`;
    return { order: { by: 'model', text }, score: schedules => ranked(spec, planOf, schedules) };
  }
  const reason = {
    target: 'the time model knows CUDA alone',
    device: `the time model does not know ${spec.device}`,
    'element-type': `no peak of ${spec.problem.accumulator} is known of ${spec.device}`,
  }[known.why];
  const text = `by operands read for each multiply-add, since ${reason}`;
  return { order: { by: 'reuse', text }, score: schedules => unranked(byReuse(planOf, schedules)) };
}

/** What the model does not know, such as the lower rungs, or what it expects not to fit an SM, comes after all that it ranks. */
const UNRANKED = 1e9;
const unranked = (scored: readonly Scored[]): readonly Scored[] =>
  scored.map(one => ({ ...one, cost: UNRANKED * one.cost }));

function ranked(spec: ResolvedSpec, planOf: Planner, schedules: Schedules): readonly Scored[] {
  const ranking = rank(spec, schedules.length, schedules);
  const best: readonly Ranked[] = 'why' in ranking ? [] : ranking.best;
  const known = new Set(best.map(({ schedule }) => schedule));
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
    ...unranked(rest),
  ];
}

function byReuse(planOf: Planner, schedules: Schedules): readonly Scored[] {
  const found = schedules.flatMap(schedule => {
    const plan = planOf(schedule);
    return plan === null ? [] : [{ schedule, cost: readsOf(plan), predictedTflops: null }];
  });
  return found.sort((one, other) => one.cost - other.cost);
}

/** Words that a multiply-add reads from a near memory and from a far one, of which the latter costs as much as some; padded work counts. */
const FAR = 4;
/** Fewer blocks than this leave most GPUs idle. */
const BLOCKS = 64;

function readsOf(plan: Plan): number {
  const { tile, tiles, grid, spec } = plan;
  const { m, n, batch } = spec.problem;
  // What a warp's lanes hold together, they read once.
  const thread = matrixPlanIn(plan)?.warp ?? plan.thread;
  // Of A a quad's lanes read a quarter each.
  const near = 1 / thread.m + 1 / (thread.n * (lanePlanIn(plan)?.sharing === 'quad' ? QUAD : 1));
  const far = FAR * (1 / tile.m + 1 / tile.n);
  const blocks = grid.x * grid.y * grid.z;
  const padding = (tiles.m * tile.m * tiles.n * tile.n) / (m * n);
  return (near + far) * padding * Math.max(1, BLOCKS / Math.max(blocks, batch));
}

/** Walked at a time, before others have a turn. */
const CHUNK = 4096;
/** Held of those with the same tile of C and of a thread. */
const MOST_ALIKE = 24;
const MOST_HELD = 8192;

export interface Walking {
  /** Nothing is left out: every legal member is held, variants and all. */
  readonly whole: boolean;
  /** Lets others have a turn; says whether to go on. */
  readonly pause: () => Promise<boolean>;
}

/** Walks the space; of one that is left early, what was seen of it. */
export async function ordered(
  space: TuneSpace,
  score: Scorer,
  { whole, pause }: Walking,
): Promise<Ordered> {
  const held = new Map<string, Scored[]>();
  let [walked, legal] = [0, 0];
  const take = async (chunk: readonly ResolvedSchedule[]): Promise<boolean> => {
    walked += chunk.reduce((count, one) => count + space.variantCount(one), 0);
    const found = score(chunk);
    for (const one of found) {
      // Its variants are legal too, but where copies are too narrow to be asynchronous: planning each takes a minute.
      legal += space.variantCount(one.schedule);
      const key = tilesOf(one.schedule);
      const group = held.get(key);
      if (group === undefined) held.set(key, [one]);
      else group.push(one);
    }
    if (!whole) thin(held);
    return await pause();
  };
  let chunk: ResolvedSchedule[] = [];
  for (const schedule of space.walk()) {
    chunk.push(schedule);
    if (chunk.length < CHUNK) continue;
    const goesOn = await take(chunk);
    chunk = [];
    if (!goesOn) break;
  }
  if (chunk.length > 0) await take(chunk);
  const all = [...held.values()].flat().sort((one, other) => one.cost - other.cost);
  return {
    space: { members: space.size ?? walked, walked, legal },
    scored: whole
      ? all.flatMap(one => space.variants(one.schedule).map(schedule => ({ ...one, schedule })))
      : all,
  };
}

const tilesOf = ({ block, warp, thread = warp }: ResolvedSchedule): string =>
  [block?.m, block?.n, thread?.m, thread?.n].join();

/** The best of each group, and of all of them where the groups are many. */
function thin(held: Map<string, Scored[]>): void {
  let count = 0;
  for (const [key, group] of held) {
    group.sort((one, other) => one.cost - other.cost);
    held.set(key, group.slice(0, MOST_ALIKE));
    count += Math.min(group.length, MOST_ALIKE);
  }
  if (count <= 2 * MOST_HELD) return;
  const costs = [...held.values()].flat().map(({ cost }) => cost);
  const most = costs.sort((one, other) => one - other)[MOST_HELD] ?? Infinity;
  for (const [key, group] of held) {
    const kept = group.filter(({ cost }) => cost < most);
    if (kept.length === 0) held.delete(key);
    else held.set(key, kept);
  }
}

/** What one that was chosen adds to the cost of others, by the decisions in which they differ from it. */
const NEARNESS = [Infinity, 0.06, 0.025, 0.008];

/** So many, the best first, each of them the better worth a trial the less it is like those before it. */
export function diverse(scored: readonly Scored[], count: number): readonly Scored[] {
  const rest = scored.map(one => ({ one, decisions: decisionsOf(one.schedule), penalty: 1 }));
  const chosen: Scored[] = [];
  while (chosen.length < count && rest.length > 0) {
    let [best, least] = [-1, Infinity];
    for (const [index, { one, penalty }] of rest.entries()) {
      // Sorted by cost: what follows cannot be less, whatever its penalty.
      if (one.cost >= least) break;
      if (one.cost * penalty < least) [best, least] = [index, one.cost * penalty];
    }
    const next = rest.splice(best, 1)[0];
    if (best < 0 || next === undefined) break;
    chosen.push(next.one);
    for (const each of rest) {
      each.penalty += NEARNESS[apart(each.decisions, next.decisions)] ?? 0;
    }
  }
  return chosen;
}
