/** Divides the time limit of an audit into batches: how long each kernel and library is timed. */

/**
 * Samples of a shape, and limits of the duration of a batch in milliseconds. With batches of 300
 * ms, each kernel runs at the clock that its own power permits. Shorter batches share the clock of
 * the kernels before them to a part.
 */
export const AUDIT_SAMPLES = 3;
export const BATCH_MS = { least: 20, most: 300 } as const;

/** Default time limit per shape in milliseconds. */
export const MS_PER_SHAPE = 3000;

/** Time of a shape without its timed batches, before the first shape was measured. */
const FIRST_OVERHEAD_MS = 1700;

/**
 * Timed launches per millisecond of a batch: our kernel and one library, each with half a batch of
 * untimed launches before each sample.
 */
const BATCHES = 2 * 1.5 * AUDIT_SAMPLES;

/** Warm-up of a kernel in milliseconds, which continues until its time is stable. */
const settleMs = (batchMs: number): number => Math.min(60, 12 * batchMs);

export interface RaceTimes {
  readonly warmUpMs: number;
  readonly settleMs: number;
  readonly batchMs: number;
  readonly samples: number;
  readonly budgetMs: number;
}

export const raceTimes = (batchMs: number): RaceTimes => ({
  warmUpMs: 15,
  settleMs: settleMs(batchMs),
  batchMs,
  samples: AUDIT_SAMPLES,
  budgetMs: BATCHES * batchMs,
});

export interface Budget {
  /**
   * Returns the duration of a batch, so that the remaining shapes fit into the remaining time;
   * undefined if the time suffices for no further shape.
   */
  readonly batchFor: (leftMs: number, shapes: number) => number | undefined;
  /** Adds the measured duration of a shape, from which the next overhead is estimated. */
  readonly add: (tookMs: number, batchMs: number) => void;
}

/** @param gpus the number of GPUs that measure shapes at the same time */
export function createBudget(gpus: number): Budget {
  const overheads: number[] = [];
  const overheadMs = (): number =>
    overheads.length === 0
      ? FIRST_OVERHEAD_MS
      : overheads.reduce((sum, one) => sum + one, 0) / overheads.length;
  return {
    batchFor: (leftMs, shapes) => {
      if (leftMs < overheadMs() + BATCHES * BATCH_MS.least) return undefined;
      const slice = (leftMs * gpus) / Math.max(1, shapes);
      const batchMs = Math.floor((slice - overheadMs()) / BATCHES);
      return Math.min(BATCH_MS.most, Math.max(BATCH_MS.least, batchMs));
    },
    add: (tookMs, batchMs) => {
      overheads.push(Math.max(0, tookMs - BATCHES * batchMs));
    },
  };
}
