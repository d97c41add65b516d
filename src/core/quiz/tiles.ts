/** Questions about tiles: the thread that accumulates an element of C. */
import { t } from '@vscode/l10n';
import { lanesText } from '../charts/pictureText';
import { WARP_LANES } from '../hardware/warp';
import type { Kernel } from '../kernel/kernel';
import type { Dim3 } from '../plan/plan';
import type { Accumulator } from '../trace/owner';
import { ownersOf } from '../trace/owners';
import type { Position } from '../trace/position';
import { tileAround, type TileOfC } from '../trace/tileOfC';
import { count, type Question, type Wrong } from './question';

/** Element of the question, if C is large enough. */
const ELEMENT = { row: 9, column: 3 };

/** Returns no questions if threads do not hold single elements, or if they share K. */
export function tileQuestions(kernel: Kernel): readonly Question[] {
  const { m, n } = kernel.problem;
  const element = { row: Math.min(ELEMENT.row, m - 1), column: Math.min(ELEMENT.column, n - 1) };
  const owners = ownersOf(kernel);
  const [accumulator] = owners.ownerOf({ entry: 0, ...element }).accumulators;
  if (accumulator === undefined || accumulator.thread === null) return [];
  if ((accumulator.threadsAlongK ?? 1) > 1) return [];
  const { thread } = accumulator;
  const tile = tileAround(kernel, { entry: 0, ...element });
  const threads = owners.threadsOf(tile);
  const question = count(
    {
      id: 'tiles/owner',
      topic: 'tiles',
      text: t(
        'Which thread of block {0} accumulates C({1}, {2})?',
        blockText(accumulator.block),
        element.row,
        element.column,
      ),
      derivation: derivation(kernel, { element, tile, threads, accumulator, thread }),
    },
    thread,
    wrongThreads(kernel, { element, tile, threads, thread }).filter(
      ({ value }) => value < kernel.plan.threads,
    ),
    value => t('thread {0}', value),
  );
  return question === null ? [] : [question];
}

const blockText = ({ x, y, z }: Dim3): string => `(${x}, ${y}${z === 0 ? '' : `, ${z}`})`;

interface Place {
  readonly element: Position;
  readonly tile: TileOfC;
  /** Thread of each element of the tile, in row-major order. */
  readonly threads: Int32Array;
  readonly thread: number;
}

function wrongThreads(
  { plan }: Kernel,
  { element, tile, threads, thread }: Place,
): readonly Wrong<number>[] {
  const [row, column] = [element.row - tile.row, element.column - tile.column];
  const exchanged = { row: column, column: row };
  const isInTile = exchanged.row < tile.rows && exchanged.column < tile.columns;
  const { rows, columns } = heldBy(threads, tile, thread);
  const [heightPerThread, widthPerThread] = [rows.length, columns.length];
  const across = Math.max(1, Math.floor(plan.tile.n / widthPerThread));
  return [
    {
      value: isInTile ? (threads[exchanged.row * tile.columns + exchanged.column] ?? NaN) : NaN,
      mistake: t('This thread has the element with exchanged row and column.'),
    },
    {
      value: Math.floor(row / heightPerThread) * across + Math.floor(column / widthPerThread),
      mistake: t('This assumes contiguous tiles of the threads, in row-major order.'),
    },
    {
      value: row * plan.tile.n + column,
      mistake: t('This is the index of the element in the block tile.'),
    },
    {
      value: thread % WARP_LANES,
      mistake: t('This is the lane; thread = {0} x warp + lane.', WARP_LANES),
    },
    { value: thread + WARP_LANES, mistake: t('This thread is in the next warp.') },
  ];
}

/** Returns the rows and columns of the tile in which a thread has elements. */
function heldBy(
  threads: Int32Array,
  { columns }: TileOfC,
  thread: number,
): { readonly rows: readonly number[]; readonly columns: readonly number[] } {
  const held = Array.from(threads.keys()).filter(at => threads[at] === thread);
  const sorted = (all: readonly number[]): readonly number[] =>
    [...new Set(all)].sort((one, other) => one - other);
  return {
    rows: sorted(held.map(at => Math.floor(at / columns))),
    columns: sorted(held.map(at => at % columns)),
  };
}

function derivation(
  { plan, block }: Kernel,
  place: Place & { readonly accumulator: Accumulator },
): readonly string[] {
  const { element, tile, threads, thread, accumulator } = place;
  const held = heldBy(threads, tile, thread);
  const isFlat = block.y * block.z === 1;
  return [
    t(
      'The block tile has {0} x {1} elements: floor({2} / {0}) = {3}, floor({4} / {1}) = {5}.',
      plan.tile.m,
      plan.tile.n,
      element.row,
      tile.row / plan.tile.m,
      element.column,
      tile.column / plan.tile.n,
    ),
    t(
      'Block {0} computes this tile, in which the element is in row {1} and column {2}.',
      blockText(accumulator.block),
      element.row - tile.row,
      element.column - tile.column,
    ),
    t(
      'Thread {0} holds {1} x {2} elements of the tile (rows: {3}; columns: {4}), this element in {5}.',
      thread,
      held.rows.length,
      held.columns.length,
      lanesText(held.rows),
      lanesText(held.columns),
      accumulator.register,
    ),
    isFlat
      ? t('The block is one-dimensional: threadIdx.x = {0}.', thread)
      : t(
          'threadIdx.x = {0} and threadIdx.y = {1}: thread {1} x {2} + {0} = {3}.',
          thread % block.x,
          Math.floor(thread / block.x) % block.y,
          block.x,
          thread,
        ),
    t(
      'Warp: floor({0} / {1}) = {2}; lane: {0} mod {1} = {3}.',
      thread,
      WARP_LANES,
      Math.floor(thread / WARP_LANES),
      thread % WARP_LANES,
    ),
  ];
}
