/**
 * Builds the map of wrong elements during the comparison; elements may be added in any order and
 * for any number of GEMMs.
 */
import type { Runnable } from '../kernel/kernel';
import {
  bytesFor,
  encodeBits,
  MAX_CELLS,
  MAX_EXAMPLES,
  type WrongExample,
  type WrongMap,
} from '../measure/wrongMap';
import type { ResolvedProblem } from '../spec/resolved';
import { held, type WrongElement } from './elementCheck';
import { INTEGER_POISON, pcgHash } from './inputs';
import { tileCount } from '../plan/tileCount';

type Tile = WrongMap['tile'];

/** Default resolution if the kernel's block tile is unknown. */
const DEFAULT_TILE: Tile = { m: 32, n: 32 };

/** Returns the block tile of C; the default tile for a hand-written kernel. */
export const mapTile = ({ spec }: Pick<Runnable, 'spec'>): Tile => ({
  m: spec?.schedule.block?.m ?? DEFAULT_TILE.m,
  n: spec?.schedule.block?.n ?? DEFAULT_TILE.n,
});

interface Wrong extends Omit<WrongElement, 'expected'> {
  readonly product: number;
  /** Expected value. If it was not computed, the element is not used as an example. */
  readonly expected?: number;
}

export interface MapMaker {
  readonly tile: Tile;
  readonly element: (wrong: Wrong) => void;
  /** Adds a wrong tile, identified by one of its elements, if the wrong element is unknown. */
  readonly somewhere: (row: number, column: number) => void;
  readonly outside: (count: number) => void;
  /**
   * Returns the map, or undefined if no wrong element, wrong tile or write outside of C was added.
   */
  readonly map: () => WrongMap | undefined;
}

export function mapMaker({ m, n }: ResolvedProblem, tile: Tile = DEFAULT_TILE): MapMaker {
  const { m: tileRows, n: tileColumns } = tileCount({ m, n }, tile);
  const fold = Math.ceil(Math.max(tileRows, tileColumns) / MAX_CELLS);
  const [rows, columns] = [Math.ceil(tileRows / fold), Math.ceil(tileColumns / fold)];
  const tiles = new Uint8Array(bytesFor(rows * columns));
  const within = new Uint8Array(bytesFor(tile.m * tile.n));
  const kinds = { unwritten: 0, notFinite: 0, outside: 0, wrong: 0 };
  const chosen = sampleByHash<WrongExample>(MAX_EXAMPLES);
  let seen = false;
  const tileOf = (row: number, column: number): void => {
    seen = true;
    const [down, across] = [Math.floor(row / tile.m / fold), Math.floor(column / tile.n / fold)];
    set(tiles, down * columns + across);
  };
  return {
    tile,
    somewhere: tileOf,
    element: wrong => {
      const { product, row, column, actual, expected } = wrong;
      tileOf(row, column);
      set(within, (row % tile.m) * tile.n + (column % tile.n));
      kinds[kindOf(wrong)]++;
      if (expected === undefined) return;
      const finite = Number.isFinite(actual) ? actual : null;
      chosen.add((product * m + row) * n + column, {
        product,
        row,
        column,
        actual: finite,
        expected: held(expected),
      });
    },
    outside: count => {
      kinds.outside += count;
      seen ||= count > 0;
    },
    map: () =>
      seen
        ? {
            tile,
            fold,
            kinds,
            tiles: { rows, columns, bits: encodeBits(tiles) },
            within: { rows: tile.m, columns: tile.n, bits: encodeBits(within) },
            examples: [...chosen.values()],
          }
        : undefined,
  };
}

/**
 * Classifies a wrong value. If the kernel must not read C (`old` is null), C contains poison before
 * the kernel runs. Otherwise, an unchanged element counts as unwritten.
 */
function kindOf({ actual, old }: Wrong): 'unwritten' | 'notFinite' | 'wrong' {
  if (old === null ? Number.isNaN(actual) || actual === INTEGER_POISON : actual === old)
    return 'unwritten';
  return Number.isFinite(actual) ? 'wrong' : 'notFinite';
}

function set(bits: Uint8Array, bit: number): void {
  bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/**
 * Keeps at most `most` pseudo-random samples of the added values: the values with the smallest
 * hashes of their index, in index order.
 */
function sampleByHash<T>(most: number) {
  let kept: { readonly hash: number; readonly index: number; readonly value: T }[] = [];
  let limit = Infinity;
  return {
    add(index: number, value: T): void {
      const hash = pcgHash(index >>> 0);
      if (hash >= limit) return;
      kept.push({ hash, index, value });
      if (kept.length < 2 * most) return;
      kept = kept.sort((one, other) => one.hash - other.hash).slice(0, most);
      limit = kept.at(-1)?.hash ?? Infinity;
    },
    values: (): readonly T[] =>
      kept
        .sort((one, other) => one.hash - other.hash)
        .slice(0, most)
        .sort((one, other) => one.index - other.index)
        .map(({ value }) => value),
  };
}
