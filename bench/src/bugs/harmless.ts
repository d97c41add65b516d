/** Changes that change nothing at the sizes they are made at, and why; elsewhere the same change is caught. */
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
    why: 'Where K is no whole number of tiles this always holds; for whole ones it is not emitted.',
  },
  {
    algorithm: /split-K/,
    bug: /^guard left out/,
    place: /^kTail < kEnd$/,
    why: 'Where nothing is left of a part, its loads are guarded one by one and its loop over k ends at once.',
  },
  {
    algorithm: /^(?!.*whole)/,
    bug: /^(guard of a value|clamp)/,
    place: /B tile load/,
    why: 'B is read past its columns but within its rows, for results that nobody stores. Caught with whole K, where the last row is met.',
  },
  {
    algorithm: /3 stages/,
    bug: /^guard/,
    place: /^t < tiles$/,
    why: 'There are as many tiles. Caught where there are fewer than stages.',
  },
  {
    algorithm: /3 stages/,
    bug: /^stage/,
    place: /^[AB]s store$/,
    why: 'Only the first tile is filled up with zeros, and its stage is 0.',
  },
  {
    algorithm: /fewer tiles/,
    bug: /^(clamp|guard off by one)/,
    place: /./,
    why: 'No tile is fetched ahead at this size. Caught with 3 stages and more tiles.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard/,
    place: /^next < tiles$/,
    why: 'What was not fetched is put into a stage that nobody reads again.',
  },
  {
    algorithm: /prefetch/,
    bug: /^guard off by one/,
    place: /^skip <= c$/,
    why: 'Vectors of 4 begin at multiples of 4, where the zeros end.',
  },
];

/** Why a bug that no backend saw is none, or undefined where it is one. */
export const harmless = (row: Row): string | undefined =>
  REASONS.find(
    ({ algorithm, bug, place }) =>
      algorithm.test(row.algorithm) && bug.test(row.bug) && place.test(row.place),
  )?.why;

export const isCaught = ({ simulate, cpu, webgpu }: Row): boolean =>
  [simulate ?? null, cpu, webgpu ?? null].some(caught => caught !== null);
