/** Whether a mutant got its right outcome, and the sound kernel after it its right time. */
import type { Measurement, Outcome } from '../../src/core/measure/measurement';

export type Kind = 'faulting' | 'hanging' | 'racing' | 'overwriting' | 'slow' | 'wrong';
/** The name of a sound kernel that mutants are made of. */
export type Base = 'shared' | 'vectorized' | 'pipelined';

/** What is right for a kind; launches no GPU takes may be refused before. Races are lost for sure: a wait left out is right by luck. */
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
  /** The sound kernel, run next. */
  readonly after: Measurement;
}

/** How far the median of the sound kernel may be from its median before all mutants. */
export const MOST_PERCENT = 3;

export interface Judged {
  readonly right: boolean;
  readonly timeRight: boolean;
  /** The sound kernel's median against its median before; undefined where it was not timed. */
  readonly percent?: number;
}

export function judged({ kind, measurement, after }: Tried, before: Measurement): Judged {
  const right = RIGHT[kind].includes(measurement.outcome);
  if (after.timing === undefined || before.timing === undefined) return { right, timeRight: false };
  const percent = 100 * (after.timing.medianMs / before.timing.medianMs - 1);
  return { right, timeRight: Math.abs(percent) <= MOST_PERCENT, percent };
}
