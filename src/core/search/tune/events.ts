/**
 * Events of a tuning run. CLI and explorer show only the state that these events produce
 * (state.ts).
 */
import type { Effort } from '../../measure/backend';
import type { BackendId, Measurement, Outcome, Timing } from '../../measure/measurement';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import type { Target } from '../../spec/schema';

/**
 * Measuring environment of a tuning run. Measurements are comparable only for the same problem and
 * the same GPU or adapter.
 */
export interface TunePlace {
  readonly backend: BackendId;
  readonly target: Target;
  /** Device-table id from the spec. */
  readonly device: string;
  /** Names of the GPUs or adapters that measure; the first GPU measures the finalists. */
  readonly gpus: readonly string[];
}

export interface SpaceCount {
  /** Number of schedules, legal or not. */
  readonly members: number;
  /** Number of enumerated schedules, which is less than `members` in a large space. */
  readonly walked: number;
  readonly legal: number;
}

export interface TuneOrder {
  /**
   * Sort criterion: predicted time (`model`), or operand reads per FMA (`reuse`) if no model
   * applies.
   */
  readonly by: 'model' | 'reuse';
  readonly text: string;
}

export interface TuneBudget {
  readonly schedules: number;
  readonly milliseconds?: number;
}

export interface TuneCandidate {
  readonly specKey: string;
  readonly schedule: ResolvedSchedule;
  /** Predicted rate; null if the time model does not apply. */
  readonly predictedTflops: number | null;
  /**
   * Origin of the candidate: `spec` for given schedules (the spec's schedule, the adapter's
   * default), `rank` for ranked schedules, `neighbour` for neighbors of a fast schedule.
   */
  readonly from: 'spec' | 'rank' | 'neighbour';
}

export const OBJECTIVES = ['time', 'energy'] as const;
/** Quantity that a tuning run minimizes. */
export type Objective = (typeof OBJECTIVES)[number];

export interface TuneTime {
  readonly medianMs: number;
  /** Energy per launch, if it was measured. */
  readonly joules?: number;
  readonly tflops: number;
  /**
   * Error in percent of the median: the sum of the timer's error, half the interquartile range of
   * the batches, and the difference between GPUs.
   */
  readonly errorPercent: number;
  /** Error of the timer in percent of the median. */
  readonly timerPercent: number;
  readonly gpu: string;
}

export type TuneEffort = Effort;

export type TuneEvent =
  | {
      readonly type: 'started';
      readonly problem: ResolvedProblem;
      readonly place: TunePlace;
      readonly order: TuneOrder;
      /** Number of reusable measurements from earlier runs. */
      readonly kept: number;
    }
  | { readonly type: 'counted'; readonly space: SpaceCount; readonly budget: TuneBudget }
  /** Reports that the compilation of a candidate starts. */
  | { readonly type: 'tried'; readonly candidate: TuneCandidate }
  | { readonly type: 'compiled'; readonly specKey: string }
  /** Reports that a candidate failed and is excluded. */
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
      /** True if the measurement was reused from the journal. */
      readonly kept: boolean;
    }
  /** Reports that a candidate is slower than all remaining candidates, beyond the errors. */
  | { readonly type: 'dropped'; readonly specKey: string; readonly effort: TuneEffort }
  | {
      readonly type: 'clock';
      readonly elapsedMs: number;
      /** Estimated remaining time; null without an estimate. */
      readonly leftMs: number | null;
    }
  /** Message for the user, for example about ignored results, a lost GPU or a coarse timer. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'finished'; readonly summary: TuneSummary };

export interface TuneResult extends TuneTime {
  readonly specKey: string;
  readonly kernelKey: string;
  readonly schedule: ResolvedSchedule;
  readonly effort: TuneEffort;
  readonly predictedTflops: number | null;
  readonly resources?: NonNullable<Measurement['resources']>;
  readonly clocks?: NonNullable<Timing['clocks']>;
}

export interface TuneFailure {
  readonly specKey: string;
  readonly outcome: Outcome;
  readonly why: string;
}

/** Result of a tuning run. It is self-contained, so that dispatch tables can be built from it. */
export interface TuneSummary {
  readonly type: 'summary';
  /** Missing if the run minimizes the time. */
  readonly objective?: 'energy';
  readonly problem: ResolvedProblem;
  readonly place: TunePlace;
  /**
   * Device that measured the winner or, without a winner, the first tied schedule; null without
   * measurements.
   */
  readonly measuredOn: Measurement['device'] | null;
  /**
   * Reason for the end of the run: `lost` if no GPU responded, `nothing` if no schedule was
   * measured. The results of `cancelled`, `out-of-time` and `lost` are partial.
   */
  readonly ended: 'done' | 'cancelled' | 'out-of-time' | 'lost' | 'nothing';
  /** Fastest schedule; null without measurements, or if a coarse timer prevents a ranking. */
  readonly winner: TuneResult | null;
  /** Schedules that are tied within the errors, in order of trial; the winner, if any, is first. */
  readonly ties: readonly TuneResult[];
  /** Slower schedules that were measured with the same effort, fastest first. */
  readonly others: readonly TuneResult[];
  readonly space: SpaceCount;
  /**
   * Number of schedules that were measured or failed, including reused results; `measuredShare` is
   * their fraction of the legal schedules.
   */
  readonly measuredCount: number;
  readonly measuredShare: number;
  readonly measurements: number;
  readonly failures: readonly TuneFailure[];
  readonly elapsedMs: number;
  readonly notes: readonly string[];
  readonly journal?: string;
}
