/** Request and response of an interleaved benchmark of several kernels of one problem. */
import * as v from 'valibot';
import type { BaselineId } from '../../../core/measure/backend';
import {
  baseline,
  batches,
  clocks,
  finite,
  natural,
  nonNegative,
  optional,
  text,
  verification,
} from './answerParts';
import type { RunBody } from './protocol';

/**
 * Timing parameters as in TimingOptions of shaders/cuda/timing.cuh. Omitted fields have the
 * defaults of a single run.
 */
export type RaceTiming = Readonly<
  Partial<Record<'warmUpMs' | 'settleMs' | 'batchMs' | 'budgetMs' | 'samples' | 'energyMs', number>>
>;

/** A kernel that the runner launches, or a foreign kernel, whose process launches it in turns. */
export type RaceContestant =
  | Pick<RunBody, 'cubin' | 'launches' | 'tile'>
  | ({ readonly foreign: true } & Pick<RunBody, 'tile'>);

export interface RaceBody extends Pick<
  RunBody,
  'seed' | 'cache' | 'problem' | 'bound' | 'inputBits' | 'epilogue' | 'workspaceBytes'
> {
  readonly type: 'race';
  readonly contestants: readonly RaceContestant[];
  /** Verifies the timed kernels again after timing. */
  readonly recheck?: true;
  /** Ends the request after the verification. */
  readonly verifyOnly?: true;
  readonly baselines: readonly BaselineId[];
  /**
   * Maximum number of FMAs for which every element is compared. For larger problems, a sample of
   * tiles is compared.
   */
  readonly verifyLimit?: number;
  /**
   * Ratio to the time of the fastest kernel above which a kernel is dropped after the qualifying
   * rounds.
   */
  readonly behind?: number;
  /** Ratio to the time of the fastest library above which a library is dropped; default 1.05. */
  readonly libraryBehind?: number;
  readonly timing?: RaceTiming;
}

const contestant = v.pipe(
  v.object({
    outcome: v.picklist(['correct', 'incorrect', 'launch-error', 'constraint', 'unavailable']),
    message: text,
    behind: v.boolean(),
    resources: optional(
      v.object({ registers: natural, sharedBytes: natural, localBytes: natural }),
    ),
    verification: optional(verification),
    warmUp: optional(batches.warmUp),
    batch: optional(batches.batch),
    batchMs: optional(batches.batchMs),
    smMHz: batches.smMHz,
    watts: batches.watts,
  }),
  v.check(
    ({ outcome, verification: verification }) =>
      outcome !== 'correct' ||
      (verification !== undefined && verification.samples > 0 && verification.mismatches === 0),
    'The outcome is correct, but no elements were compared or elements differ.',
  ),
  v.check(
    ({ outcome, batchMs }) => outcome === 'correct' || batchMs === undefined,
    'The outcome is not correct, but the response contains times.',
  ),
);

export const MAX_CONTESTANTS = 1024;

export const raceAnswer = v.object({
  type: v.literal('race'),
  /** Whether the last kernel destroyed the CUDA context, so the process must end. */
  fatal: optional(v.boolean()),
  contestants: v.pipe(v.array(contestant), v.maxLength(MAX_CONTESTANTS)),
  /** Conditions of the timing; missing if no kernel was timed. */
  timing: optional(
    v.object({
      timer: text,
      quantumNs: nonNegative,
      sets: natural,
      clocks: optional(clocks),
      powerW: optional(v.object({ mean: nonNegative, limit: optional(nonNegative) })),
      temperatureC: optional(v.object({ mean: finite })),
    }),
  ),
  baselines: v.array(baseline),
  notes: v.pipe(v.array(text), v.maxLength(20)),
});
export type RaceAnswer = v.InferOutput<typeof raceAnswer>;
