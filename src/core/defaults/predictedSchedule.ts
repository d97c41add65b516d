/** A schedule and its predicted time. */
import type { ResolvedSchedule } from '../spec/resolved';

export interface PredictedSchedule {
  readonly schedule: ResolvedSchedule;
  readonly milliseconds: number;
}

/**
 * Number of candidates with the fastest predictions whose order boosted trees correct. More
 * candidates lengthen the choice, which takes a few milliseconds.
 */
export const RANKED = 32;
