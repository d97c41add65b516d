/** Protocol of the benchmarks at random shapes. */
import type { RaceOptions } from '../tensor/session';

export interface ProtocolOptions {
  readonly batchMs: number;
  readonly samples: number;
  readonly behind: number;
  /** Remaining time of the program in milliseconds. */
  readonly leftMs: number;
}

/** Samples of cuBLAS, cuBLASLt and the kernels are interleaved, in batches of `batchMs`. */
export const libraryProtocol = ({
  batchMs,
  samples,
  behind,
  leftMs,
}: ProtocolOptions): RaceOptions => ({
  timing: {
    warmUpMs: 15,
    settleMs: Math.min(60, 12 * batchMs),
    batchMs,
    samples,
    budgetMs: 1.5 * samples * batchMs,
  },
  baselines: ['cublas', 'cublaslt'],
  behind,
  deadlineMs: Math.max(1000, Math.min(180_000, leftMs)),
});

/** Kernels are compared with each other in short batches, which share one clock. */
export const SCREENING: RaceOptions = {
  timing: { warmUpMs: 4, settleMs: 12, batchMs: 4, samples: 3, budgetMs: 1 },
  baselines: [],
  behind: 1.25,
  deadlineMs: 60_000,
};
