/**
 * Runs the quick rounds within the budget: first diverse ranked schedules, then neighbors of the
 * fastest schedules.
 */
import { t } from '@vscode/l10n';
import { timesOf, type TriedSchedules } from './triedSchedules';
import { diverse, type Scored, type Scorer } from './order';
import type { Contender } from './round';
import type { TuneSpace } from './space';
import { specKey } from '../../plan/specKey';
import { completeSchedule } from '../../defaults/byShape';
import type { ResolvedSpec } from '../../spec/resolved';

export interface SearchInput {
  readonly spec: ResolvedSpec;
  readonly space: TuneSpace;
  readonly score: Scorer;
  readonly seeds: readonly Scored[];
  /** Schedules to try, best first. */
  readonly scored: readonly Scored[];
  readonly budget: number;
  /** True to measure all schedules, in order. */
  readonly exhaustive: boolean;
  readonly begin: (candidates: number) => void;
}

/** Fraction of the budget for ranked schedules; neighbors use the remaining budget. */
const RANKED = 0.5;
/** Number of neighbors to measure before the centers are selected again. */
const NEIGHBORS_PER_CENTER = 12;
/** Number of fastest schedules whose neighbors are tried (centers). */
const CENTERS = 5;

export async function search(field: TriedSchedules, input: SearchInput): Promise<void> {
  const { budget } = input;
  const left = (): number => budget - field.size();
  const { first, wanted } = enterFirst(field, input);
  input.begin(first.length);
  const rest = field.gpus().length > 1 ? await compareGpus(field, first) : first;
  await field.play(rest, 'quick');
  const nearestNeighbors = neighborsOfCenters(input);
  while (left() > 0 && !field.isOver('quick')) {
    const next = enterNext(field, wanted, nearestNeighbors, left());
    if (next.length === 0) return;
    await field.play(next, 'quick');
  }
}

export interface FirstRound {
  /** Schedules of the first round, in the order of their measurement. */
  readonly first: readonly Contender[];
  /** Ranked schedules, best first; the first round has some of them. */
  readonly wanted: readonly Scored[];
}

/** Enters the schedules of the first round: the given schedules, then diverse ranked schedules. */
export function enterFirst(
  field: TriedSchedules,
  { budget, exhaustive, scored, seeds }: Omit<SearchInput, 'begin'>,
): FirstRound {
  const left = (): number => budget - field.size();
  const wanted = exhaustive ? scored : diverse(scored, budget);
  const given = field.enter(seeds, 'spec', left());
  const ranked = exhaustive ? left() : Math.min(left(), Math.ceil(budget * RANKED));
  return { first: [...given, ...field.enter(wanted, 'rank', ranked)], wanted };
}

/**
 * Enters the next neighbors of the fastest schedules or, without neighbors, ranked schedules.
 * Returns an empty list if no schedule is left.
 */
export function enterNext(
  field: TriedSchedules,
  wanted: readonly Scored[],
  nearest: (field: TriedSchedules) => readonly Scored[],
  left: number,
): readonly Contender[] {
  const most = Math.min(left, NEIGHBORS_PER_CENTER);
  const neighbors = field.enter(nearest(field), 'neighbour', most);
  return neighbors.length > 0 ? neighbors : field.enter(wanted, 'rank', most);
}

/**
 * Returns a function that lists the untried neighbors of the fastest center that still has untried
 * neighbors, best first.
 */
export function neighborsOfCenters({
  space,
  score,
  spec,
}: Pick<SearchInput, 'space' | 'score' | 'spec'>): (field: TriedSchedules) => readonly Scored[] {
  const known = new Map<string, readonly (Scored & { readonly key: string })[]>();
  return field => {
    const entries = field.entries();
    const tried = new Set(entries.map(({ candidate }) => candidate.specKey));
    const centres = timesOf(entries, 'quick')
      .toSorted((one, other) => one.time.medianMs - other.time.medianMs)
      .slice(0, CENTERS);
    for (const { candidate } of centres) {
      const nearestNeighbors =
        known.get(candidate.specKey) ??
        score([...space.neighbours(candidate.schedule)]).map(one => {
          const schedule = completeSchedule(one.schedule, spec.problem);
          return { ...one, key: specKey({ ...spec, schedule }) };
        });
      known.set(candidate.specKey, nearestNeighbors);
      const untried = nearestNeighbors.filter(({ key }) => !tried.has(key));
      if (untried.length > 0) return untried;
    }
    return [];
  };
}

/**
 * Measures the first working candidate on each GPU to compare the GPUs. Returns the remaining
 * candidates.
 */
async function compareGpus(
  field: TriedSchedules,
  contenders: readonly Contender[],
): Promise<readonly Contender[]> {
  for (const [index, contender] of contenders.entries()) {
    const medians: number[] = [];
    for (const gpu of field.gpus()) {
      await field.play([contender], 'quick', gpu);
      const { specKey: key } = contender.candidate;
      const [found] = timesOf(
        field.entries().filter(({ candidate }) => candidate.specKey === key),
        'quick',
      );
      // A kernel that fails on one GPU is assumed to fail on all GPUs.
      if (found === undefined) break;
      medians.push(found.time.medianMs);
    }
    if (medians.length === 0) continue;
    const percent = 100 * (Math.max(...medians) / Math.min(...medians) - 1);
    field.setGpuPercent(percent);
    const shown = Number(percent.toPrecision(2));
    field.note(
      t(
        'The GPUs differ by {0} % for the same kernel; all finalists are measured on one GPU.',
        shown,
      ),
    );
    return contenders.slice(index + 1);
  }
  return [];
}
