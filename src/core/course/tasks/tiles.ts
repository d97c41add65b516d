/** Tasks on thread tiles and warp tiles. */
import type { Level, LoopAxis, LoopNest } from '../../nests/nest';
import { atLeast, exactly } from '../goals';
import type { SpecFacts } from '../specFacts';
import type { KernelTask, NestTask, SpecTask, Task } from '../task';
import { expressions, LARGER, mistake, specOf, templateOf, upTo, WARP_TILES } from './parts';

const BIG = { m: 1024, n: 1024, k: 1024 };
const TRIED = { m: 128, n: 128, k: 32 };

const threadRow = (): KernelTask => ({
  kind: 'kernel',
  id: '12-thread-tile-index',
  title: 'Find the tile of a thread',
  source: {
    spec: specOf({
      algorithm: 'thread-tile-2d',
      block: { m: 16, n: 16, k: 8 },
      thread: { m: 4, n: 4 },
    }),
  },
  statement: [
    'Each thread computes TM x TN elements of the BM x BN tile of its block.',
    'The threads are numbered along a row of thread tiles, then along the next row.',
    'Write the row and the column of the first element of the tile of this thread.',
  ],
  hints: [
    'A row of the block tile has BN / TN thread tiles.',
    'threadIdx.x / (BN / TN) is the row of thread tiles, and the remainder is the column.',
  ],
  cuda: {
    cuts: [
      {
        within: 'threadRow = threadIdx.x / (BN / TN) * TM',
        removes: 'threadIdx.x / (BN / TN) * TM',
      },
      {
        within: 'threadCol = threadIdx.x % (BN / TN) * TN',
        removes: 'threadIdx.x % (BN / TN) * TN',
      },
    ],
    holes: expressions(
      { 'threadIdx.x': upTo(16), BM: [16], BN: [16], BK: [8], TM: [4], TN: [4] },
      'row',
      'column',
    ),
  },
  wgsl: {
    cuts: [
      { within: 'threadRow = thread.x / (BN / TN) * TM', removes: 'thread.x / (BN / TN) * TM' },
      { within: 'threadCol = thread.x % (BN / TN) * TN', removes: 'thread.x % (BN / TN) * TN' },
    ],
    holes: expressions(
      { 'thread.x': upTo(16), BM: [16], BN: [16], BK: [8], TM: [4], TN: [4] },
      'row',
      'column',
    ),
  },
  solution: ['threadIdx.x / (BN / TN) * TM', 'threadIdx.x % (BN / TN) * TN'],
  mistakes: [
    mistake(
      'quotient and remainder',
      'threadIdx.x % (BN / TN) * TM',
      'threadIdx.x / (BN / TN) * TN',
    ),
    mistake('the factor TM is missing', 'threadIdx.x / (BN / TN)', 'threadIdx.x % (BN / TN) * TN'),
    mistake('the factor TN is missing', 'threadIdx.x / (BN / TN) * TM', 'threadIdx.x % (BN / TN)'),
    mistake('the division by TN is missing', 'threadIdx.x / BN * TM', 'threadIdx.x % BN * TN'),
    mistake(
      'bytes instead of elements',
      'threadIdx.x / (BN / TN) * TM * 4',
      'threadIdx.x % (BN / TN) * TN',
    ),
    mistake('"threadIdx.y" is not available', 'threadIdx.y * TM', 'threadIdx.x * TN'),
    mistake('it must change with threadIdx.x', '0', 'threadIdx.x % (BN / TN) * TN'),
  ],
});

/** Returns the step of the loop over an axis at a level; 0 without such a loop. */
const stepAt = (nest: LoopNest, axis: LoopAxis, level: Level): number =>
  nest.find(loop => loop.axis === axis && loop.level === level)?.step ?? 0;

const threadNest = (): NestTask => ({
  kind: 'nest',
  id: '13-thread-tile',
  title: 'Give each thread 4 x 4 accumulators',
  problem: { m: 16, n: 16, k: 8, dtype: 'f32' },
  statement: [
    'A thread block computes a 16 x 16 tile of C.',
    'Choose the steps of the loops at level block, so that 16 threads compute 4 x 4 elements each.',
  ],
  hints: [
    'The step of a loop at level block is the distance between the tiles of two threads.',
    'A tile of 16 rows has 4 thread tiles of 4 rows.',
  ],
  template:
    'i:16@grid\n  j:16@grid\n    k:8+shared\n      i:___@block\n        j:___@block\n          k\n            i\n              j',
  solution: ['4', '4'],
  goals: ({ nest, threads }) => [
    exactly('Threads per block', threads, 16),
    exactly('Rows of C per thread', stepAt(nest, 'i', 'block'), 4),
    exactly('Columns of C per thread', stepAt(nest, 'j', 'block'), 4),
  ],
  mistakes: [
    mistake('Rows of C per thread: 2', '2', '8'),
    mistake('Threads per block: 64', '2', '2'),
    mistake('Threads per block: 4,', '8', '8'),
    mistake('Threads per block: 32', '4', '2'),
    mistake('i occurs twice with step 16', '16', '16'),
    mistake('does not divide the next larger step 16', '3', '4'),
    mistake('i occurs twice with step 1', '1', '1'),
  ],
});

const reuse = (facts: SpecFacts): number => {
  const { thread } = facts.plan.spec.schedule;
  const [m, n] = [thread?.m ?? 1, thread?.n ?? 1];
  return (m * n) / (m + n);
};

const registerReuse = (): SpecTask => ({
  kind: 'spec',
  id: '14-register-reuse',
  title: 'Use each loaded value several times',
  template: templateOf(
    {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: '___', n: '___' },
    },
    BIG,
  ),
  simulateAt: TRIED,
  statement: [
    'With a thread tile of m x n, m + n loads from shared memory feed m * n FMAs.',
    'Choose the thread tile so that a load feeds at least 4 FMAs.',
    'Use at least 128 threads per block.',
  ],
  hints: [
    'Compare 2 x 32 with 8 x 8: both have 64 FMAs, but a different sum of m and n.',
    '8 * 8 / (8 + 8) = 4.',
  ],
  solution: ['8', '8'],
  goals: facts => [
    atLeast('FMAs per loaded value', reuse(facts), 4, {
      why: 'A square thread tile has the smallest sum of rows and columns.',
    }),
    atLeast('Threads per block', facts.plan.threads, 128),
  ],
  mistakes: [
    mistake('FMAs per loaded value: 2,', '4', '4'),
    mistake('threads per block > 1,024', '1', '1'),
    mistake('FMAs per loaded value: 1.9', '2', '32'),
    mistake('FMAs per loaded value: 2.7', '4', '8'),
    mistake('registers per thread', '16', '16'),
    mistake('not legal', '3', '8'),
    mistake('thread.n', '8', '8.5'),
  ],
});

const warpNest = (): NestTask => ({
  kind: 'nest',
  id: '17-warp-tile',
  title: 'Insert the warp tile',
  problem: LARGER,
  statement: [
    'Write two loops that distribute the 64 x 64 tile of a block over its warps.',
    'A warp has 32 lanes, and a lane computes 4 x 4 elements. Use 8 warps.',
    'With loops at level warp, the loops at level block count warps.',
    'The loop at level vector becomes one vectorized access, as in chapter 8.',
  ],
  hints: [
    'A warp tile of m x n has m / 4 * n / 4 lanes.',
    '32 x 16 elements are 8 x 4 lanes; write the loops as AXIS:STEP@block.',
  ],
  template:
    'i:64@grid\n  j:64@grid\n    k:8+shared\n      ___\n        ___\n          i:4@warp\n            j:4@warp\n              k\n                i\n                  j@vector',
  solution: ['i:32@block', 'j:16@block'],
  goals: ({ threads, accumulators }) => [
    exactly('Threads per block', threads, 256),
    exactly('Accumulators per thread', accumulators ?? 0, 16),
  ],
  mistakes: [
    mistake('level warp have 16 iterations', 'i:16@block', 'j:16@block'),
    mistake('level warp have 64 iterations', 'i:32@block', 'j:32@block'),
    mistake('level warp have 8 iterations', 'i:16@block', 'j:8@block'),
    mistake('level warp have', 'i:32@warp', 'j:16@warp'),
    mistake('Threads per block: 32', 'i:32', 'j:16'),
    mistake('does not divide the next larger step', 'i:24@block', 'j:16@block'),
    mistake('must be', 'i:32@grid', 'j:16@grid'),
  ],
});

const LANES = {
  warp: upTo(4),
  lane: upTo(32),
  BM: [64],
  BN: [64],
  WM: [32],
  WN: [32],
  LANES_M: [4],
  LANES_N: [8],
  VEC: [4],
};

const laneIndex = (): KernelTask => ({
  kind: 'kernel',
  id: '18-lane-index',
  title: 'Find the tile of a lane',
  source: WARP_TILES,
  statement: [
    'A lane is the position of a thread in its warp, 0 to 31.',
    'The warps are numbered along a row of warp tiles, and the lanes along a row of the warp tile.',
    'Write the first row and column of this lane. A lane owns groups of VEC rows and columns.',
  ],
  hints: [
    'Add two parts: the first row of the warp tile, and the row of the lane within it.',
    'A row of the block tile has BN / WN warp tiles. A row of the warp tile has LANES_N lanes.',
  ],
  cuda: {
    cuts: [
      {
        within: 'threadRow = warp / (BN / WN) * WM + lane / LANES_N * VEC',
        removes: 'warp / (BN / WN) * WM + lane / LANES_N * VEC',
      },
      {
        within: 'threadCol = warp % (BN / WN) * WN + lane % LANES_N * VEC',
        removes: 'warp % (BN / WN) * WN + lane % LANES_N * VEC',
      },
    ],
    holes: expressions(LANES, 'row', 'column'),
  },
  solution: [
    'warp / (BN / WN) * WM + lane / LANES_N * VEC',
    'warp % (BN / WN) * WN + lane % LANES_N * VEC',
  ],
  mistakes: [
    mistake(
      'quotient and remainder',
      'warp % (BN / WN) * WM + lane % LANES_N * VEC',
      'warp / (BN / WN) * WN + lane / LANES_N * VEC',
    ),
    mistake(
      'the term with warp is missing',
      'lane / LANES_N * VEC',
      'warp % (BN / WN) * WN + lane % LANES_N * VEC',
    ),
    mistake(
      'the term with lane is missing',
      'warp / (BN / WN) * WM',
      'warp % (BN / WN) * WN + lane % LANES_N * VEC',
    ),
    mistake(
      'the factor VEC is missing',
      'warp / (BN / WN) * WM + lane / LANES_N',
      'warp % (BN / WN) * WN + lane % LANES_N * VEC',
    ),
    mistake(
      'the factor WM is missing',
      'warp / (BN / WN) + lane / LANES_N * VEC',
      'warp % (BN / WN) * WN + lane % LANES_N * VEC',
    ),
    mistake(
      'it uses LANES_M instead of LANES_N',
      'warp / (BN / WN) * WM + lane / LANES_N * VEC',
      'warp % (BN / WN) * WN + lane % LANES_M * VEC',
    ),
  ],
});

export const tileTasks = (): readonly Task[] => [
  threadRow(),
  threadNest(),
  registerReuse(),
  warpNest(),
  laneIndex(),
];
