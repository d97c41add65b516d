/**
 * Events of a tuning run: CLI and explorer show only the state (state.ts) that follows from them.
 */
import type { Effort } from '../../measure/backend';
import type { BackendId, Measurement, Outcome, Timing } from '../../measure/measurement';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import type { Target } from '../../spec/schema';

/**
 * Where a tuning run measures: measurements are comparable only on the same GPU or adapter and for
 * the same problem.
 */
export interface TunePlace {
  readonly backend: BackendId;
  readonly target: Target;
  /** Device-table id in the spec. */
  readonly device: string;
  /** Names of the GPUs or adapters that share the work; the first GPU measures the finalists. */
  readonly gpus: readonly string[];
}

/** Size of the space. */
export interface SpaceCount {
  /** Schedules, legal or not. */
  readonly members: number;
  /** Members that were enumerated: fewer than `members` in a large space. */
  readonly walked: number;
  /** Legal members among the enumerated members. */
  readonly legal: number;
}

/** The order in which schedules are tried, and its reason. */
export interface TuneOrder {
  /** `model`: by predicted time; `reuse`: by operand reads per FMA, if no model applies. */
  readonly by: 'model' | 'reuse';
  readonly text: string;
}

export interface TuneBudget {
  /** Maximum number of schedules to measure. */
  readonly schedules: number;
  readonly milliseconds?: number;
}

export interface TuneCandidate {
  /** Identifies the candidate in every event. */
  readonly specKey: string;
  readonly schedule: ResolvedSchedule;
  /** Null if the time model does not apply. */
  readonly predictedTflops: number | null;
  /**
   * Origin: given (the spec's schedule, the adapter's default), by rank, or as the neighbor of a
   * fast schedule.
   */
  readonly from: 'spec' | 'rank' | 'neighbour';
}

/** One timing with its error for comparisons. */
export interface TuneTime {
  readonly medianMs: number;
  readonly tflops: number;
  /**
   * Percent of the median: the timer's error, half the interquartile range of the batches, and the
   * difference between GPUs.
   */
  readonly errorPercent: number;
  /** The timer's contribution. */
  readonly timerPercent: number;
  /** GPU that measured it. */
  readonly gpu: string;
}

export type TuneEffort = Effort;

export type TuneEvent =
  | {
      readonly type: 'started';
      readonly problem: ResolvedProblem;
      readonly place: TunePlace;
      readonly order: TuneOrder;
      /** Reused measurements of earlier runs. */
      readonly kept: number;
    }
  | { readonly type: 'counted'; readonly space: SpaceCount; readonly budget: TuneBudget }
  /** Compilation starts. */
  | { readonly type: 'tried'; readonly candidate: TuneCandidate }
  | { readonly type: 'compiled'; readonly specKey: string }
  /** Excluded from further trials. */
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
      /** Reused from the journal. */
      readonly kept: boolean;
    }
  /** Slower than all remaining candidates, beyond both errors. */
  | { readonly type: 'dropped'; readonly specKey: string; readonly effort: TuneEffort }
  | {
      readonly type: 'clock';
      readonly elapsedMs: number;
      /** Null without an estimate. */
      readonly leftMs: number | null;
    }
  /** Notes for the user: ignored results, a lost GPU, a timer that is too coarse. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'finished'; readonly summary: TuneSummary };

/** A schedule with its result. */
export interface TuneResult extends TuneTime {
  readonly specKey: string;
  readonly kernelKey: string;
  readonly schedule: ResolvedSchedule;
  readonly effort: TuneEffort;
  readonly predictedTflops: number | null;
  /** As reported by the compiler. */
  readonly resources?: NonNullable<Measurement['resources']>;
  /** Clocks during the timing. */
  readonly clocks?: NonNullable<Timing['clocks']>;
}

export interface TuneFailure {
  readonly specKey: string;
  readonly outcome: Outcome;
  readonly why: string;
}

/** Result of a tuning run; self-contained, so a table of defaults can be built from it. */
export interface TuneSummary {
  readonly type: 'summary';
  readonly problem: ResolvedProblem;
  readonly place: TunePlace;
  /** Device of the winner's measurement. */
  readonly measuredOn: Measurement['device'] | null;
  /**
   * Results so far for `cancelled`, `out-of-time` and `lost` (no GPU responds); `nothing`: no
   * schedule was measured.
   */
  readonly ended: 'done' | 'cancelled' | 'out-of-time' | 'lost' | 'nothing';
  /**
   * Null without measurements, and if the errors exceed all differences: then there is no ranking.
   */
  readonly winner: TuneResult | null;
  /** Schedules within the errors, in order of trial; the winner, if any, is first. */
  readonly ties: readonly TuneResult[];
  /** Other schedules measured with the same effort, fastest first. */
  readonly others: readonly TuneResult[];
  readonly space: SpaceCount;
  /** Measured schedules, including earlier runs, and their share of the legal schedules. */
  readonly measuredCount: number;
  readonly measuredShare: number;
  /** Measurements made by this run. */
  readonly measurements: number;
  readonly failures: readonly TuneFailure[];
  readonly elapsedMs: number;
  readonly notes: readonly string[];
  /** Location of the measurements. */
  readonly journal?: string;
}
