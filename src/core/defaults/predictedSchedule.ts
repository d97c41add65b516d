/** A schedule and its predicted time. */
import type { ResolvedSchedule } from '../spec/resolved';

export interface PredictedSchedule {
  readonly schedule: ResolvedSchedule;
  readonly milliseconds: number;
}
