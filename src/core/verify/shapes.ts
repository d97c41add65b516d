/** Classifies a wrong result by the positions of its wrong elements. */
import { t } from '@vscode/l10n';
import { grouped } from '../text/numbers';
import { bitsOf, type WrongMap } from '../measure/wrongMap';
import { lanePlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import { ownersOf } from './owners';

export type ShapeId =
  | 'outside'
  | 'nothing-written'
  | 'tiles-unwritten'
  | 'unwritten'
  | 'not-finite'
  | 'edge-tiles'
  | 'one-warp'
  | 'one-thread'
  | 'vector-element'
  | 'one-element';

export interface Shape {
  readonly id: ShapeId;
  readonly count: number;
  /** Total number of tiles, for `tiles-unwritten`; otherwise 0. */
  readonly all: number;
}

type Bit = readonly [row: number, column: number];

export function setBits(map: WrongMap['tiles']): readonly Bit[] {
  const is = bitsOf(map);
  const bits: Bit[] = [];
  for (let row = 0; row < map.rows; row++)
    for (let column = 0; column < map.columns; column++)
      if (is(row, column)) bits.push([row, column]);
  return bits;
}

export function shapesOf(
  wrong: WrongMap,
  problem: ResolvedProblem | null,
  plan: Plan | null,
): readonly Shape[] {
  const { kinds, tiles, fold } = wrong;
  const total = kinds.unwritten + kinds.notFinite + kinds.wrong;
  const shape = (id: ShapeId, count = 0, all = 0): Shape => ({ id, count, all });
  const cells = setBits(tiles);
  const allCells = tiles.rows * tiles.columns;
  const elements = problem === null ? Infinity : problem.m * problem.n * problem.batch;
  const unwritten =
    kinds.unwritten === 0
      ? []
      : kinds.unwritten >= elements
        ? [shape('nothing-written')]
        : problem !== null && fold === 1 && kinds.unwritten === area(wrong, problem, cells)
          ? [shape('tiles-unwritten', cells.length, allCells)]
          : [shape('unwritten', kinds.unwritten)];
  return [
    ...(kinds.outside > 0 ? [shape('outside', kinds.outside)] : []),
    ...unwritten,
    ...(kinds.notFinite > 0 ? [shape('not-finite', kinds.notFinite)] : []),
    ...(total === 1 ? [shape('one-element')] : []),
    ...(total > 1 && problem !== null && isBoundary(wrong, problem, cells)
      ? [shape('edge-tiles', cells.length)]
      : []),
    ...(total > 1 && plan !== null ? ownerShapes(wrong, plan).map(id => shape(id)) : []),
  ];
}

function area({ tile }: WrongMap, { m, n, batch }: ResolvedProblem, cells: readonly Bit[]): number {
  const side = (all: number, size: number, at: number) =>
    Math.min(all, (at + 1) * size) - at * size;
  return (
    cells.reduce((sum, [row, column]) => sum + side(m, tile.m, row) * side(n, tile.n, column), 0) *
    batch
  );
}

/**
 * Tests whether only partial tiles at the edges of C are wrong although C has full tiles. Returns
 * false for a map whose cells cover several tiles.
 */
function isBoundary(
  { tile, tiles, fold }: WrongMap,
  { m, n }: ResolvedProblem,
  cells: readonly Bit[],
): boolean {
  if (fold > 1 || cells.length === 0) return false;
  const cut = { m: m % tile.m !== 0, n: n % tile.n !== 0 };
  const isCut = ([row, column]: Bit): boolean =>
    (cut.m && row === tiles.rows - 1) || (cut.n && column === tiles.columns - 1);
  const whole = (tiles.rows - (cut.m ? 1 : 0)) * (tiles.columns - (cut.n ? 1 : 0));
  return cells.every(isCut) && whole > 0;
}

/**
 * Returns the shapes that match the positions within a tile that are wrong in at least one tile:
 * the elements of one warp, of one thread, or of one vector position.
 */
function ownerShapes(wrong: WrongMap, plan: Plan): readonly ShapeId[] {
  const { tile } = plan;
  if (wrong.tile.m !== tile.m || wrong.tile.n !== tile.n) return [];
  const places = setBits(wrong.within);
  if (places.length === tile.m * tile.n) return [];
  const owners = ownersOf(plan);
  const isOne = (of: (row: number, column: number) => number, size: number): boolean =>
    places.length === size && new Set(places.map(([row, column]) => of(row, column))).size === 1;
  const vector = lanePlanIn(plan)?.vector ?? 1;
  const residues = new Set(places.map(([, column]) => column % vector));
  return [
    ...(owners.warp !== null && isOne(owners.warp, owners.warpElements)
      ? (['one-warp'] as const)
      : []),
    ...(owners.thread !== null &&
    owners.threadElements > 1 &&
    isOne(owners.thread, owners.threadElements)
      ? (['one-thread'] as const)
      : []),
    ...(vector > 1 && residues.size === 1 && places.length === (tile.m * tile.n) / vector
      ? (['vector-element'] as const)
      : []),
  ];
}

export function describeShape({ id, count, all }: Shape): {
  readonly id: ShapeId;
  readonly title: string;
  readonly reason: string;
  readonly look: string;
} {
  const [title, reason, look] = textOf(id, count, all);
  return { id, title, reason, look };
}

function textOf(id: ShapeId, count: number, all: number): readonly [string, string, string] {
  const places = t('Derived from the positions of the wrong elements.');
  const before = t('These elements still hold their initial value: the kernel never wrote them.');
  const guards = t('Check the bounds tests of rows and columns, and loads past the boundary.');
  const grid = t('Check the grid, the block-to-tile mapping, and early exits of blocks.');
  switch (id) {
    case 'outside':
      return [
        t('{0} elements outside C were written.', grouped(count)),
        places,
        t('Check the bounds test of the store and the leading dimension of C.'),
      ];
    case 'nothing-written':
      return [t('No element of C was written.'), before, grid];
    case 'tiles-unwritten':
      return [
        t('{0} of {1} tiles of C were never written.', grouped(count), grouped(all)),
        before,
        grid,
      ];
    case 'unwritten':
      return [
        t('{0} elements of C were never written.', grouped(count)),
        before,
        t('Check the bounds test of the store, and which elements each thread stores.'),
      ];
    case 'not-finite':
      return [
        t('{0} elements of C are not finite.', grouped(count)),
        places,
        t('Check for reads of uninitialized memory, and for overflow of the accumulator type.'),
      ];
    case 'edge-tiles':
      return [t('Only boundary tiles of C are wrong ({0} tiles).', grouped(count)), places, guards];
    case 'one-warp':
      return [
        t('Only the elements of one warp of each block are wrong.'),
        places,
        t('Check index computations that use the warp index: rows and columns of the tile.'),
      ];
    case 'one-thread':
      return [
        t('Only the elements of one thread of each block are wrong.'),
        places,
        t('Check index computations that use the thread index.'),
      ];
    case 'vector-element':
      return [
        t('Only one element of every vector is wrong.'),
        places,
        t('Check how vectors are split and assembled.'),
      ];
    case 'one-element':
      return [
        t('Only one element is wrong.'),
        places,
        t('Check the code that is specific to this element: a bounds check, an index, a race.'),
      ];
  }
}
