/**
 * Changes without an effect at the tested sizes, with the reason; elsewhere the same change is
 * detected.
 */
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
    bug: /^guard (left out|off by one)/,
    place: /^kTail < K$/,
    why: 'Always true if K is not a multiple of the tile; not emitted for multiples.',
  },
  {
    algorithm: /split-K/,
    bug: /^guard left out/,
    place: /^kTail < kEnd$/,
    why: 'With an empty remainder of a slice, its loads are guarded individually and its loop over k has no iterations.',
  },
  {
    algorithm: /^(?!.*whole)/,
    bug: /^(guard of a value|clamp)/,
    place: /B tile load/,
    why: 'B is read past its columns but within its rows, for results that are never stored. Detected with whole K, where the last row is reached.',
  },
  {
    algorithm: /3 stages/,
    bug: /^guard/,
    place: /^t < tiles$/,
    why: 'There are as many tiles as stages. Detected with fewer tiles than stages.',
  },
  {
    algorithm: /3 stages/,
    bug: /^pipeline stage/,
    place: /^[AB]s store$/,
    why: 'Only the first tile is zero-filled, and its stage is 0.',
  },
  {
    algorithm: /fewer tiles/,
    bug: /^(clamp|guard off by one)/,
    place: /./,
    why: 'No tile is prefetched at this size. Detected with 3 stages and more tiles.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard/,
    place: /^next < tiles$/,
    why: 'The missing tile belongs to a stage that is never read again.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard off by one/,
    place: /^skip <= c$/,
    why: 'Vectors of 4 start at multiples of 4, where the zeros end.',
  },
];

/** Explains why an undetected change is harmless; undefined if it is a bug. */
export const harmless = (row: Row): string | undefined =>
  REASONS.find(
    ({ algorithm, bug, place }) =>
      algorithm.test(row.algorithm) && bug.test(row.bug) && place.test(row.place),
  )?.why;

export const isCaught = ({ simulate, cpu, webgpu }: Row): boolean =>
  [simulate ?? null, cpu, webgpu ?? null].some(caught => caught !== null);
