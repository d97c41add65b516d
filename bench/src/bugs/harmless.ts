/** Seeded changes that have no effect at the tested sizes, with the reason. */
import type { Row } from '../../../scripts/bugs/table';

interface Reason {
  readonly algorithm: RegExp;
  readonly bug: RegExp;
  readonly place: RegExp;
  readonly why: string;
}

const REASONS: readonly Reason[] = [
  {
    algorithm: /./,
    bug: /^guard (omitted|off by one)/,
    place: /^kTail < K$/,
    why: 'The guard is emitted only if BK does not divide K, and then its condition is always true.',
  },
  {
    algorithm: /split-K/,
    bug: /^guard omitted/,
    place: /^kTail < kEnd$/,
    why: 'If a slice has no K remainder, its loads have their own guards and its loop over k has no iterations.',
  },
  {
    algorithm: /^(?!.*whole)/,
    bug: /^(guard of a value|clamp|wrap)/,
    place: /B tile load|globalCol/,
    why: 'Loads past the last column of B read the next row, and the affected results are never stored. If BK divides K, the loads reach the last row, which reveals the bug.',
  },
  {
    algorithm: /3 stages/,
    bug: /^guard/,
    place: /^t < tiles$/,
    why: 'The condition is always true with as many tiles as stages. Fewer tiles reveal the bug.',
  },
  {
    algorithm: /3 stages/,
    bug: /^pipeline stage/,
    place: /^[AB]s store$/,
    why: 'Only the first tile is zero-filled, and it is stored in stage 0.',
  },
  {
    algorithm: /fewer tiles/,
    bug: /^(clamp|guard off by one)/,
    place: /./,
    why: 'No tile is prefetched at this size. More tiles than stages reveal the bug.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard/,
    place: /^next < tiles$/,
    why: 'The load past the last tile fills a stage that is never read again.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard off by one/,
    place: /^skip <= c$/,
    why: 'Both operands are multiples of 4, so increasing the right operand by one has no effect.',
  },
];

export const harmless = (row: Row): string | undefined =>
  REASONS.find(
    ({ algorithm, bug, place }) =>
      algorithm.test(row.algorithm) && bug.test(row.bug) && place.test(row.place),
  )?.why;

export const isCaught = ({ simulate, cpu, webgpu }: Row): boolean =>
  [simulate ?? null, cpu, webgpu ?? null].some(caught => caught !== null);
