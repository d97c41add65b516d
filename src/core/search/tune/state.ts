/** What is known of a tune after some events: a pure reducer. */
import type {
  SpaceCount,
  TuneBudget,
  TuneCandidate,
  TuneEffort,
  TuneEvent,
  TuneOrder,
  TunePlace,
  TuneSummary,
  TuneTime,
} from './events';
import type { ResolvedProblem } from '../../spec/resolved';
import { distinct } from './compare';

/** `compiled`: waits for a GPU. `measured`: still in the race. `dropped`: slower. */
export type CandidateStatus = 'tried' | 'compiled' | 'measured' | 'dropped' | 'failed';

export interface TunedCandidate extends TuneCandidate {
  readonly status: CandidateStatus;
  /** The best known: of the greatest effort. */
  readonly time?: TuneTime;
  readonly effort?: TuneEffort;
  /** Why it failed. */
  readonly why?: string;
}

export interface TuneState {
  readonly problem: ResolvedProblem | null;
  readonly place: TunePlace | null;
  readonly budget: TuneBudget | null;
  readonly order: TuneOrder | null;
  readonly space: SpaceCount | null;
  /** In the order of trial, by specKey. */
  readonly candidates: ReadonlyMap<string, TunedCandidate>;
  /** The round in progress. */
  readonly round: { readonly effort: TuneEffort; readonly candidates: number } | null;
  /** The fastest of the greatest effort so far; others may be within its error (`tiedWith`). */
  readonly best: string | null;
  /** Measurements of this run, and of earlier ones of this tune. */
  readonly measurements: number;
  readonly kept: number;
  readonly elapsedMs: number;
  readonly leftMs: number | null;
  readonly notes: readonly string[];
  readonly summary: TuneSummary | null;
}

export const NOT_STARTED: TuneState = {
  problem: null,
  place: null,
  budget: null,
  order: null,
  space: null,
  candidates: new Map(),
  round: null,
  best: null,
  measurements: 0,
  kept: 0,
  elapsedMs: 0,
  leftMs: null,
  notes: [],
  summary: null,
};

/** The state after more events; copies the candidates once, however many there are. */
export function after(state: TuneState, ...events: readonly TuneEvent[]): TuneState {
  const candidates = new Map(state.candidates);
  return events.reduce<TuneState>((known, event) => next(known, event, candidates), {
    ...state,
    candidates,
  });
}

function next(
  state: TuneState,
  event: TuneEvent,
  candidates: Map<string, TunedCandidate>,
): TuneState {
  const change = (specKey: string, changes: Partial<TunedCandidate>): void => {
    const old = candidates.get(specKey);
    if (old !== undefined) candidates.set(specKey, { ...old, ...changes });
  };
  switch (event.type) {
    case 'started': {
      const { problem, place, order } = event;
      return { ...state, problem, place, order };
    }
    case 'counted':
      return { ...state, space: event.space, budget: event.budget };
    case 'tried':
      candidates.set(event.candidate.specKey, { ...event.candidate, status: 'tried' });
      return state;
    case 'compiled':
      change(event.specKey, { status: 'compiled' });
      return state;
    case 'failed':
      change(event.specKey, { status: 'failed', why: event.why });
      return state.best === event.specKey ? { ...state, best: fastest(candidates) } : state;
    case 'round':
      return { ...state, round: { effort: event.effort, candidates: event.candidates } };
    case 'measured': {
      const { specKey, time, effort, kept } = event;
      change(specKey, { status: 'measured', time, effort });
      return {
        ...state,
        best: better(candidates.get(specKey), candidates.get(state.best ?? '')),
        measurements: state.measurements + (kept ? 0 : 1),
        kept: state.kept + (kept ? 1 : 0),
      };
    }
    case 'dropped':
      change(event.specKey, { status: 'dropped' });
      return state;
    case 'clock':
      return { ...state, elapsedMs: event.elapsedMs, leftMs: event.leftMs };
    case 'note':
      return { ...state, notes: [...state.notes, event.text] };
    case 'finished': {
      const { summary } = event;
      const best = summary.winner?.specKey ?? state.best;
      return { ...state, summary, best, elapsedMs: summary.elapsedMs, leftMs: 0 };
    }
  }
}

const RANK: Readonly<Record<TuneEffort, number>> = { quick: 0, longer: 1, full: 2 };

type Timed = TunedCandidate & Required<Pick<TunedCandidate, 'time' | 'effort'>>;

const isTimed = (one: TunedCandidate | undefined): one is Timed =>
  one?.time !== undefined && one.effort !== undefined && one.status !== 'failed';

/** A greater effort counts more than a shorter time. */
function isBetter(one: Timed, other: Timed): boolean {
  const more = RANK[one.effort] - RANK[other.effort];
  return more > 0 || (more === 0 && one.time.medianMs < other.time.medianMs);
}

function better(one?: TunedCandidate, other?: TunedCandidate): string | null {
  if (!isTimed(one)) return isTimed(other) ? other.specKey : null;
  // Measured again by itself, it is the best of its effort until another is.
  return !isTimed(other) || isBetter(one, other) ? one.specKey : other.specKey;
}

const fastest = (candidates: ReadonlyMap<string, TunedCandidate>): string | null =>
  [...candidates.values()]
    .filter(isTimed)
    .reduce<Timed | undefined>(
      (best, one) => (best === undefined || isBetter(one, best) ? one : best),
      undefined,
    )?.specKey ?? null;

/** Of the best's effort, those that differ from it by less than the errors of both; the best is among them. */
export function tiedWithBest({ candidates, best }: TuneState): readonly TunedCandidate[] {
  const first = candidates.get(best ?? '');
  if (!isTimed(first)) return [];
  return [...candidates.values()].filter(
    one => isTimed(one) && one.effort === first.effort && !distinct(one.time, first.time),
  );
}
