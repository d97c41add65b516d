/** Checks the outcome of a mutant, and the time of the unmodified kernel after it. */
import type { Measurement, Outcome } from '../../src/core/measure/measurement';

export type Kind = 'faulting' | 'hanging' | 'racing' | 'overwriting' | 'slow' | 'wrong';
/** The unmodified kernel that mutants are derived from. */
export type Base = 'shared' | 'vectorized' | 'pipelined';

/**
 * Correct outcomes per kind; launches that no GPU accepts may be rejected earlier. Races are made
 * deterministic: a missing wait can be correct by chance.
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
  /** The unmodified kernel, run next. */
  readonly after: Measurement;
}

/** Maximum change of the unmodified kernel's median from its median before all mutants. */
export const MOST_PERCENT = 3;

export interface Judged {
  readonly right: boolean;
  readonly timeRight: boolean;
  /** Change of the unmodified kernel's median; undefined if it was not timed. */
  readonly percent?: number;
}

export function judged({ kind, measurement, after }: Tried, before: Measurement): Judged {
  const right = RIGHT[kind].includes(measurement.outcome);
  if (after.timing === undefined || before.timing === undefined) return { right, timeRight: false };
  const percent = 100 * (after.timing.medianMs / before.timing.medianMs - 1);
  return { right, timeRight: Math.abs(percent) <= MOST_PERCENT, percent };
}
