/** Makes the map of a wrong result while its elements are compared: any order, any number of products. */
import type { Runnable } from '../kernel/kernel';
import {
  bytesFor,
  encodeBits,
  MOST_CELLS,
  MOST_EXAMPLES,
  type WrongExample,
  type WrongMap,
} from '../measure/wrongMap';
import type { ResolvedProblem } from '../spec/resolved';
import { held, type WrongElement } from './elementCheck';
import { INTEGER_POISON, pcgHash } from './inputs';
import { tileCount } from '../plan/tileCount';

type Tile = WrongMap['tile'];

/** A map needs some grain where nothing is known of a kernel's blocks. */
const ANY_TILE: Tile = { m: 32, n: 32 };

/** The tile of C that a block computes; of a hand-written kernel any, since only its author knows. */
export const mapTile = ({ spec }: Pick<Runnable, 'spec'>): Tile => ({
  m: spec?.schedule.block?.m ?? ANY_TILE.m,
  n: spec?.schedule.block?.n ?? ANY_TILE.n,
});

interface Wrong extends Omit<WrongElement, 'expected'> {
  readonly product: number;
  /** Absent where nobody computed it: such an element is no example. */
  readonly expected?: number;
}

export interface MapMaker {
  readonly tile: Tile;
  /** An element that is wrong, compared one by one. */
  readonly element: (wrong: Wrong) => void;
  /** Something in the tile of this element is wrong; which element is not known. */
  readonly somewhere: (row: number, column: number) => void;
  /** Places written to that are no elements of C. */
  readonly outside: (count: number) => void;
  /** Undefined where nothing was wrong. */
  readonly map: () => WrongMap | undefined;
}

export function mapMaker({ m, n }: ResolvedProblem, tile: Tile = ANY_TILE): MapMaker {
  const { m: tileRows, n: tileColumns } = tileCount({ m, n }, tile);
  const fold = Math.ceil(Math.max(tileRows, tileColumns) / MOST_CELLS);
  const [rows, columns] = [Math.ceil(tileRows / fold), Math.ceil(tileColumns / fold)];
  const tiles = new Uint8Array(bytesFor(rows * columns));
  const within = new Uint8Array(bytesFor(tile.m * tile.n));
  const kinds = { unwritten: 0, notFinite: 0, outside: 0, wrong: 0 };
  const chosen = mostHashed<WrongExample>(MOST_EXAMPLES);
  let seen = false;
  const somewhere = (row: number, column: number): void => {
    seen = true;
    const [down, across] = [Math.floor(row / tile.m / fold), Math.floor(column / tile.n / fold)];
    set(tiles, down * columns + across);
  };
  return {
    tile,
    somewhere,
    element: wrong => {
      const { product, row, column, actual, expected } = wrong;
      somewhere(row, column);
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

/** Before a kernel C holds NaN or a poison that no kernel makes of finite numbers; where it may be read, numbers. */
function kindOf({ actual, old }: Wrong): 'unwritten' | 'notFinite' | 'wrong' {
  if (old === null ? Number.isNaN(actual) || actual === INTEGER_POISON : actual === old)
    return 'unwritten';
  return Number.isFinite(actual) ? 'wrong' : 'notFinite';
}

function set(bits: Uint8Array, bit: number): void {
  bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/** Of values added by index, a few that follow no pattern: those of the smallest hashes, in the order of their indices. */
function mostHashed<T>(most: number) {
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
