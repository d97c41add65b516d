/** Tasks on loop orders, tiles and parallel loops. */
import { grouped } from '../../text/numbers';
import { AXES, type LoopNest } from '../../nests/nest';
import { loadedLinesOf, SMALL_CACHE } from '../nestFacts';
import { atMost, exactly } from '../goals';
import { nestText } from '../../nests/text';
import type { NestTask, Task } from '../task';
import { nestOf } from '../../nests/text';
import { CUBE, mistake, SMALL } from './parts';

const lines = (nest: string): number => loadedLinesOf(nestOf(nest), CUBE);

/** Compares the lines of the tiles of A, B and C with the cache. */
function tileAdvice(nest: LoopNest): string {
  const [i, j, k] = AXES.map(axis => nest.find(loop => loop.axis === axis)?.step ?? 1);
  const used = tileLines(i, k) + tileLines(k, j) + tileLines(i, j);
  return used > SMALL_CACHE.lines
    ? `The tiles of A, B and C have ${used} lines together, but the cache has ${SMALL_CACHE.lines}.`
    : `The tiles of A, B and C have ${used} lines together, so larger tiles fit and are reused more often.`;
}

const ELEMENTS_PER_LINE = SMALL_CACHE.lineBytes / 4;

const tileLines = (rows = 1, columns = 1): number => rows * Math.ceil(columns / ELEMENTS_PER_LINE);

const nestTask = (task: Omit<NestTask, 'kind'>): NestTask => ({ kind: 'nest', ...task });

export const loopTasks = (): readonly Task[] => [
  nestTask({
    id: '01-loop-order',
    title: 'Choose a loop order',
    problem: CUBE,
    statement: [
      'Write the three loops i, j and k in an order that loads few cache lines.',
      'The cache has 16 lines, and a line has 4 consecutive elements of a row.',
      `The order i j k loads ${grouped(lines('i j k'))} lines. Load at most ${grouped(lines('i k j'))}.`,
    ],
    hints: [
      'The innermost loop decides which elements follow each other in time.',
      'With j innermost, B and C are read along a row, so 4 iterations use one line.',
    ],
    template: '___ ___ ___',
    solution: ['i', 'k', 'j'],
    goals: ({ nest, loadedLines }) => [
      atMost('Loaded cache lines', loadedLines, lines('i k j'), {
        why:
          nestText(nest) === 'k i j'
            ? 'The innermost loop is right. Exchange the outer two: with k outermost, all of C is read and written again for each k.'
            : 'Find the matrix that the innermost loop reads down a column: each access is in another line.',
      }),
    ],
    mistakes: [
      mistake('Loaded cache lines', 'i', 'j', 'k'),
      mistake('Loaded cache lines', 'j', 'i', 'k'),
      mistake('Loaded cache lines', 'j', 'k', 'i'),
      mistake('Loaded cache lines', 'k', 'j', 'i'),
      mistake('Exchange the outer two', 'k', 'i', 'j'),
      mistake('k occurs twice with step 1. Remove one', 'i', 'k', 'j k'),
      mistake('in lower case, separated by spaces', 'i,', 'k,', 'j'),
      mistake('in lower case, separated by spaces', 'I', 'K', 'J'),
      mistake('no loop over k', 'i', 'j', 'j:2'),
      mistake('no loop over i', 'k:2', 'k', 'j'),
      mistake('"x" is not an axis', 'i', 'x', 'j'),
    ],
  }),
  nestTask({
    id: '02-tiled-loops',
    title: 'Complete the tiled loops',
    problem: CUBE,
    statement: [
      'The three outer loops move in steps of 4. Write the three inner loops.',
      'They visit the elements of one tile of A, B and C while the cache holds these tiles.',
      `Load at most ${lines('i:4 j:4 k:4 i j k')} cache lines.`,
    ],
    hints: [
      'Each axis needs a loop with step 1 that is inside of its loop with step 4.',
      'The inner loops cover 4 x 4 x 4 iterations; any order of them uses the same tiles.',
    ],
    template: 'i:4\n  j:4\n    k:4\n      ___ ___ ___',
    solution: ['i', 'j', 'k'],
    goals: ({ loadedLines }) => [
      atMost('Loaded cache lines', loadedLines, lines('i:4 j:4 k:4 i j k'), {
        why: 'The tiles do not stay in the cache.',
      }),
    ],
    mistakes: [
      mistake('innermost loop over i has step 2', 'i:2', 'j', 'k'),
      mistake('innermost loop over k has step 2', 'i', 'j', 'k:2'),
      mistake('innermost loop over j has step 4', 'i', 'k', ''),
      mistake('innermost loop over k has step 4', 'i', 'j', ''),
      mistake('innermost loop over i has step 4', 'i:8', 'j', 'k'),
      mistake('k occurs twice with step 1', 'i', 'j', 'k:1 k'),
    ],
  }),
  nestTask({
    id: '03-tile-size',
    title: 'Choose the tile size',
    problem: CUBE,
    statement: [
      'Choose the steps of the outer loops: the tile extents along i, j and k.',
      'Large tiles are reused more often, but all tiles in use must fit in the 16 cache lines.',
      `Load at most ${lines('i:4 j:4 k:4 i j k')} cache lines.`,
    ],
    hints: [
      'A tile of 8 x 8 elements has 16 lines, so one tile alone fills the cache.',
      'With 4 x 4 elements, each tile has 4 lines, and three tiles have 12.',
    ],
    template: 'i:___\n  j:___\n    k:___\n      i j k',
    solution: ['4', '4', '4'],
    goals: ({ nest, loadedLines }) => [
      atMost('Loaded cache lines', loadedLines, lines('i:4 j:4 k:4 i j k'), {
        why: tileAdvice(nest),
      }),
    ],
    mistakes: [
      mistake('have 6 lines together, so larger tiles fit', '2', '2', '2'),
      mistake('have 48 lines together, but the cache has 16', '8', '8', '8'),
      mistake('but the cache has 16', '16', '16', '16'),
      mistake('but the cache has 16', '4', '16', '4'),
      mistake('but the cache has 16', '16', '2', '2'),
      mistake('i occurs twice with step 1', '1', '4', '4'),
      mistake('step 0 is not between', '0', '4', '4'),
    ],
  }),
  nestTask({
    id: '04-parallel-loops',
    title: 'Assign loops to the grid and to the thread block',
    problem: SMALL,
    statement: [
      'Assign the loops so that each 4 x 4 tile of C is one thread block.',
      'Each element of a tile is one thread. Write @grid or @block, or leave a place empty.',
      'A loop without a level runs within a thread.',
    ],
    hints: [
      'The loops with step 4 choose the tile. The inner loops over i and j choose the element.',
      'All iterations over k add to the same element of C, so the loop over k keeps no level.',
    ],
    template: 'i:4___\n  j:4___\n    k___\n      i___\n        j___',
    solution: ['@grid', '@grid', '', '@block', '@block'],
    goals: ({ blocks, threads }) => [
      exactly('Thread blocks', blocks, 16, { why: 'C has 4 x 4 tiles of 4 x 4 elements.' }),
      exactly('Threads per block', threads, 16, { why: 'A tile has 4 x 4 elements.' }),
    ],
    mistakes: [
      mistake('all iterations over k add to the same element', '@grid', '@grid', '@block', '', ''),
      mistake('all iterations over k add to the same element', '@grid', '@grid', '@grid', '', ''),
      mistake('Thread blocks: 1,', '', '', '', '@block', '@block'),
      mistake('Threads per block: 1,', '@grid', '@grid', '', '', ''),
      mistake('Threads per block: 4,', '@grid', '@grid', '', '@block', ''),
      mistake('@grid must be outside of @block', '@block', '@block', '', '@grid', '@grid'),
      mistake('Remove the space before @grid.', ' @grid', '@grid', '', '@block', '@block'),
      mistake('at most 3 dimensions', '@grid', '@grid', '', '@grid', '@grid'),
      mistake('Thread blocks: 4,', '@grid', '', '', '@block', '@block'),
      mistake('"blocks" is not a level', '@grid', '@grid', '', '@blocks', '@blocks'),
    ],
  }),
];
