/**
 * Searches for the fastest schedule of a problem: quick rounds over ranked schedules and their
 * neighbors, halving rounds, and the full protocol for the finalists. The steps are deterministic
 * for a given spec, space and measurements, so a killed run can be resumed.
 */
import { t } from '@vscode/l10n';
import type { ResolvedSchedule, ResolvedSpec } from '../../spec/resolved';
import type { Bench, MeasurementStore } from './bench';
import type {
  Objective,
  SpaceCount,
  TuneBudget,
  TuneEffort,
  TunePlace,
  TuneSummary,
} from './events';
import {
  createTriedSchedules,
  timesOf,
  type TriedSchedules,
  type TuneContext,
} from './triedSchedules';
import { ENERGY_FINALISTS } from './energy';
import { FINALISTS, playFinals } from './finals';
import { ordered, scorerFor } from './order';
import { reasonsAgainst } from './reasons';
import { search } from './search';
import type { TuneSpace } from './space';
import { summaryOf } from './summary';

export type { TuneContext };

export interface TuneInput {
  readonly spec: ResolvedSpec;
  readonly place: TunePlace;
  readonly space: TuneSpace;
  /** Schedules that are tried first, even if the space does not contain them. */
  readonly seeds: readonly ResolvedSchedule[];
  /**
   * Maximum number of schedules to measure; by default 5 % of the legal schedules, at least 8 and
   * at most 200.
   */
  readonly schedules?: number;
  readonly milliseconds?: number;
  readonly exhaustive?: boolean;
  /** Quantity to minimize; default `time`. The energy is measured with full effort only. */
  readonly objective?: Objective;
  /**
   * Time difference in percent between the measuring GPU and the GPUs of earlier measurements, for
   * the same kernel; default 0.
   */
  readonly gpuPercent?: number;
  readonly notes: readonly string[];
}

const DEFAULT_SHARE = 0.05;
const MIN_SCHEDULES = 8;
const MAX_SCHEDULES = 200;
/** Fraction of the time budget after which no measurement of this effort starts. */
const TIME_SHARE: Readonly<Record<TuneEffort, number>> = { quick: 0.6, longer: 0.8, full: 1 };
/** Estimated time of the rounds after the quick rounds in milliseconds. */
const FINALS_MS = 2000 * FINALISTS;

export async function tune<P>(
  input: TuneInput,
  bench: Bench<P>,
  memory: MeasurementStore,
  context: TuneContext,
): Promise<TuneSummary> {
  const { spec, place, space, exhaustive = false, milliseconds: limitMs } = input;
  const { objective = 'time' } = input;
  const { abort, say, now } = context;
  const began = now();
  const elapsed = (): number => now() - began;
  const { order, score } = scorerFor(spec, place.target);
  say({ type: 'started', problem: spec.problem, place, order, kept: memory.known });
  const pause = async (): Promise<boolean> => {
    await context.pause();
    return !abort.aborted;
  };
  const { space: count, scored } = await ordered(space, score, { whole: exhaustive, pause });
  const budget = budgetOf(input, count);
  say({ type: 'counted', space: count, budget });

  const field = createTriedSchedules({
    spec,
    place,
    bench,
    memory,
    context,
    objective,
    isLate: effort => limitMs !== undefined && elapsed() > limitMs * TIME_SHARE[effort],
    onResult: of => {
      say({ type: 'clock', elapsedMs: elapsed(), leftMs: leftOf(of, budget, elapsed()) });
    },
  });
  for (const text of input.notes) field.note(text);
  field.setGpuPercent(input.gpuPercent ?? 0);
  await search(field, {
    spec,
    space,
    score,
    scored,
    exhaustive,
    seeds: input.seeds.flatMap(seed => score([seed])),
    budget: budget.schedules,
    begin: candidates => {
      say({ type: 'round', effort: 'quick', candidates });
    },
  });
  const finalists = objective === 'energy' ? ENERGY_FINALISTS : FINALISTS;
  const finals = await playFinals(field, say, finalists);
  if (count.legal === 0 && !abort.aborted) {
    field.note(t('No schedule of this space is legal for {0}.', place.target));
    for (const text of reasonsAgainst(space, spec, place.target, count.walked)) field.note(text);
  }
  const summary = summaryOf(field, {
    problem: spec.problem,
    place,
    space: count,
    finals,
    objective,
    elapsedMs: elapsed(),
    ended: endOf(field, abort.aborted, finals.effort === 'full'),
    ...(memory.name === undefined ? {} : { journal: memory.name }),
  });
  say({ type: 'finished', summary });
  return summary;
}

function endOf(
  field: TriedSchedules,
  cancelled: boolean,
  complete: boolean,
): 'done' | 'cancelled' | 'out-of-time' | 'lost' {
  if (cancelled) return 'cancelled';
  if (field.gpus().length === 0) return 'lost';
  return !complete && field.isOver('longer') ? 'out-of-time' : 'done';
}

export function budgetOf(
  {
    schedules,
    milliseconds,
    exhaustive,
    seeds,
  }: Pick<TuneInput, 'schedules' | 'milliseconds' | 'exhaustive' | 'seeds'>,
  { legal, walked, members }: SpaceCount,
): TuneBudget {
  const share = Math.min(MAX_SCHEDULES, Math.max(MIN_SCHEDULES, Math.floor(legal * DEFAULT_SHARE)));
  const all = legal + seeds.length;
  const requested = schedules ?? (exhaustive === true ? all : share);
  return {
    // The total number of legal schedules is unknown for a sampled space.
    schedules: walked === members ? Math.min(requested, all) : requested,
    ...(milliseconds === undefined ? {} : { milliseconds }),
  };
}

/** Extrapolates the remaining time; without a time limit, returns null before the first result. */
function leftOf(field: TriedSchedules, budget: TuneBudget, elapsedMs: number): number | null {
  const done = timesOf(field.entries(), 'quick').length;
  const rest = Math.max(0, budget.schedules - field.size());
  const expected = done === 0 ? null : (elapsedMs / done) * rest + FINALS_MS;
  const { milliseconds } = budget;
  if (milliseconds === undefined) return expected;
  return Math.max(0, Math.min(milliseconds - elapsedMs, expected ?? Infinity));
}
