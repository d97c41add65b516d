/**
 * Split-K variants of a measured schedule. A table has few schedules with split-K, but problems
 * with few tiles and a long K need a number of slices that fits their shape.
 */
import type { ResolvedProblem } from '../../spec/resolved';
import { DTYPE_BYTES } from '../../types/dtype';
import type { Candidate } from './table';

export interface Variant extends Candidate {
  /** Whether the schedule was measured without split-K. */
  readonly isVariant?: true;
}

const SLICES = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64] as const;
/** Minimum k-iterations of a slice. */
const LEAST_STEPS = 4;

/** Returns the candidate and, if it has no split-K, its variants with split-K. */
export function splitKVariants(candidate: Candidate, { k }: ResolvedProblem): readonly Variant[] {
  const { schedule } = candidate;
  const { splitK = 1, block: { k: depth = k } = {} } = schedule;
  if (splitK > 1 || schedule.block === undefined) return [candidate];
  const most = Math.floor(Math.ceil(k / depth) / LEAST_STEPS);
  const variants = SLICES.filter(slices => slices <= most).map(slices => ({
    ...candidate,
    schedule: { ...schedule, splitK: slices, splitKReduction: 'two-pass' as const },
    isVariant: true as const,
  }));
  return [candidate, ...variants];
}

/** Rate at which partial results are written, read and added, in bytes per nanosecond. */
const REDUCED_GBPS = 2000;
/** Time of the second dispatch. */
const DISPATCH_NANOSECONDS = 5000;

/** Returns the time to write the partial results of all slices and to add them in a dispatch. */
export const reductionNanoseconds = (
  { schedule: { splitK = 1 } }: Pick<Candidate, 'schedule'>,
  { m, n, batch, accumulator }: ResolvedProblem,
): number =>
  DISPATCH_NANOSECONDS + (2 * splitK * m * n * batch * DTYPE_BYTES[accumulator]) / REDUCED_GBPS;
