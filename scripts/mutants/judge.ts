/** Checks the outcome of a mutant, and the time of the unmodified kernel that runs after it. */
import type { Measurement, Outcome } from '../../src/core/measure/measurement';

export type Kind = 'faulting' | 'hanging' | 'racing' | 'overwriting' | 'slow' | 'wrong';
export type Base = 'shared' | 'vectorized' | 'pipelined';

/**
 * Expected outcomes per kind of mutant. A launch that exceeds a device limit can be rejected before
 * it starts (`constraint`).
 */
export const RIGHT: Readonly<Record<Kind, readonly Outcome[]>> = {
  faulting: ['launch-error', 'constraint'],
  hanging: ['timeout'],
  racing: ['incorrect'],
  overwriting: ['incorrect'],
  slow: ['correct'],
  wrong: ['incorrect'],
};

export interface Tried {
  readonly kind: Kind;
  readonly name: string;
  readonly base: Base;
  readonly measurement: Measurement;
  readonly after: Measurement;
}

/**
 * Maximum change, in percent, of the unmodified kernel's median from its median before all mutants.
 */
export const MOST_PERCENT = 3;

export interface Judged {
  readonly right: boolean;
  readonly timeRight: boolean;
  /** Change of the unmodified kernel's median in percent; undefined if it was not timed. */
  readonly percent?: number;
}

export function judged({ kind, measurement, after }: Tried, before: Measurement): Judged {
  const right = RIGHT[kind].includes(measurement.outcome);
  if (after.timing === undefined || before.timing === undefined) return { right, timeRight: false };
  const percent = 100 * (after.timing.medianMs / before.timing.medianMs - 1);
  return { right, timeRight: Math.abs(percent) <= MOST_PERCENT, percent };
}
