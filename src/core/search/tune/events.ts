/** What a tune says while it runs: CLI and explorer show the state (state.ts) that follows from these, and nothing else. */
import type { Effort } from '../../measure/backend';
import type { BackendId, Measurement, Outcome, Timing } from '../../measure/measurement';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import type { Target } from '../../spec/schema';

/** Where a tune measures: with the problem, what a measurement may be compared within. */
export interface TunePlace {
  readonly backend: BackendId;
  readonly target: Target;
  /** Of the device table, as the spec has it. */
  readonly device: string;
  /** GPUs or adapters that share the work, by name; the first one measures the finalists. */
  readonly gpus: readonly string[];
}

/** How large the space is. */
export interface SpaceCount {
  /** Schedules, legal or not. */
  readonly members: number;
  /** Of them, looked at one by one: fewer than `members` where there are too many. */
  readonly walked: number;
  /** Of those that were walked, what the target can do. */
  readonly legal: number;
}

/** In what order schedules are tried, and why in this one. */
export interface TuneOrder {
  /** `model`: as the time model predicts; `reuse`: by operands read for each multiply-add, where there is no model. */
  readonly by: 'model' | 'reuse';
  readonly text: string;
}

export interface TuneBudget {
  /** Schedules that are measured at most. */
  readonly schedules: number;
  readonly milliseconds?: number;
}

export interface TuneCandidate {
  /** Names it in every event. */
  readonly specKey: string;
  readonly schedule: ResolvedSchedule;
  /** Null where the time model says nothing. */
  readonly predictedTflops: number | null;
  /** How it came to be tried: it was given (the spec's own, the adapter's default), by its rank, or as the neighbour of one that was fast. */
  readonly from: 'spec' | 'rank' | 'neighbour';
}

/** One timing, with the error that it may be compared with. */
export interface TuneTime {
  readonly medianMs: number;
  readonly tflops: number;
  /** Of the median, in percent: the timer's own, half of the batches' interquartile range, and how GPUs differ. */
  readonly errorPercent: number;
  /** The timer's share of it. */
  readonly timerPercent: number;
  /** That measured it. */
  readonly gpu: string;
}

export type TuneEffort = Effort;

export type TuneEvent =
  | {
      readonly type: 'started';
      readonly problem: ResolvedProblem;
      readonly place: TunePlace;
      readonly order: TuneOrder;
      /** Measurements of earlier runs of this tune, which are not made again. */
      readonly kept: number;
    }
  | { readonly type: 'counted'; readonly space: SpaceCount; readonly budget: TuneBudget }
  /** About to be compiled. */
  | { readonly type: 'tried'; readonly candidate: TuneCandidate }
  | { readonly type: 'compiled'; readonly specKey: string }
  /** It will not be tried again. */
  | {
      readonly type: 'failed';
      readonly specKey: string;
      readonly outcome: Outcome;
      readonly why: string;
    }
  | { readonly type: 'round'; readonly effort: TuneEffort; readonly candidates: number }
  | {
      readonly type: 'measured';
      readonly specKey: string;
      readonly effort: TuneEffort;
      readonly time: TuneTime;
      /** It was in the journal. */
      readonly kept: boolean;
    }
  /** Slower than those that stay, beyond the errors of both. */
  | { readonly type: 'dropped'; readonly specKey: string; readonly effort: TuneEffort }
  | {
      readonly type: 'clock';
      readonly elapsedMs: number;
      /** Null where nothing tells yet. */
      readonly leftMs: number | null;
    }
  /** What the reader should know: results left aside, a GPU that was lost, a timer that is too coarse. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'finished'; readonly summary: TuneSummary };

/** A schedule with what it reached. */
export interface TuneResult extends TuneTime {
  readonly specKey: string;
  readonly kernelKey: string;
  readonly schedule: ResolvedSchedule;
  readonly effort: TuneEffort;
  readonly predictedTflops: number | null;
  /** As the compiler reports them. */
  readonly resources?: NonNullable<Measurement['resources']>;
  /** While it was timed. */
  readonly clocks?: NonNullable<Timing['clocks']>;
}

export interface TuneFailure {
  readonly specKey: string;
  readonly outcome: Outcome;
  readonly why: string;
}

/** What came of it: complete by itself, so that a table of defaults can be made of nothing else. */
export interface TuneSummary {
  readonly type: 'summary';
  readonly problem: ResolvedProblem;
  readonly place: TunePlace;
  /** Of the winner's measurement. */
  readonly measuredOn: Measurement['device'] | null;
  /** `cancelled`, `out-of-time`, `lost` (no GPU answers any more): of what was known then; `nothing`: none was measured. */
  readonly ended: 'done' | 'cancelled' | 'out-of-time' | 'lost' | 'nothing';
  /** Null where none was measured, and where the errors are larger than all differences: then there is no ranking. */
  readonly winner: TuneResult | null;
  /** With the winner first where there is one: what differs from it by less than the errors, in the order of trial. */
  readonly ties: readonly TuneResult[];
  /** Measured otherwise by the same effort, fastest first. */
  readonly others: readonly TuneResult[];
  readonly space: SpaceCount;
  /** Schedules that were measured, also in earlier runs of this tune, and their share of the legal ones. */
  readonly measuredCount: number;
  readonly measuredShare: number;
  /** Measurements that this run made. */
  readonly measurements: number;
  readonly failures: readonly TuneFailure[];
  readonly elapsedMs: number;
  readonly notes: readonly string[];
  /** Where the measurements are. */
  readonly journal?: string;
}
