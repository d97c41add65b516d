/** Reduces the events of a tuning run to its state. */
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

/**
 * Status of a candidate. `compiled`: waiting for a GPU. `measured`: not dropped so far. `dropped`:
 * slower than the remaining candidates.
 */
export type CandidateStatus = 'tried' | 'compiled' | 'measured' | 'dropped' | 'failed';

export interface TunedCandidate extends TuneCandidate {
  readonly status: CandidateStatus;
  /** Newest time, measured with `effort`. */
  readonly time?: TuneTime;
  readonly effort?: TuneEffort;
  readonly why?: string;
}

export interface TuneState {
  readonly problem: ResolvedProblem | null;
  readonly place: TunePlace | null;
  readonly budget: TuneBudget | null;
  readonly order: TuneOrder | null;
  readonly space: SpaceCount | null;
  /** Candidates by spec key, in order of trial. */
  readonly candidates: ReadonlyMap<string, TunedCandidate>;
  readonly round: { readonly effort: TuneEffort; readonly candidates: number } | null;
  /**
   * Spec key of the fastest candidate of the highest effort so far; `tiedWithBest` returns its
   * ties.
   */
  readonly best: string | null;
  /** Number of new measurements; `kept` is the number of reused measurements. */
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

/** Applies events to a state; copies the candidates only once for all events. */
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

function isBetter(one: Timed, other: Timed): boolean {
  const more = RANK[one.effort] - RANK[other.effort];
  return more > 0 || (more === 0 && one.time.medianMs < other.time.medianMs);
}

function better(one?: TunedCandidate, other?: TunedCandidate): string | null {
  if (!isTimed(one)) return isTimed(other) ? other.specKey : null;
  // A remeasured candidate remains the best until another candidate of the same effort is faster.
  return !isTimed(other) || isBetter(one, other) ? one.specKey : other.specKey;
}

const fastest = (candidates: ReadonlyMap<string, TunedCandidate>): string | null =>
  [...candidates.values()]
    .filter(isTimed)
    .reduce<Timed | undefined>(
      (best, one) => (best === undefined || isBetter(one, best) ? one : best),
      undefined,
    )?.specKey ?? null;

/** Returns the best candidate and all candidates of the same effort that are tied with it. */
export function tiedWithBest({ candidates, best }: TuneState): readonly TunedCandidate[] {
  const first = candidates.get(best ?? '');
  if (!isTimed(first)) return [];
  return [...candidates.values()].filter(
    one => isTimed(one) && one.effort === first.effort && !distinct(one.time, first.time),
  );
}
