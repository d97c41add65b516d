/** Tasks on the grid and on coalescing. */
import { atLeast, atMost, exactly } from '../goals';
import { globalAccess } from '../specFacts';
import type { KernelTask, SpecTask, Task } from '../task';
import { expressions, mistake, specOf, templateOf, upTo } from './parts';

const XY = { x: upTo(4), y: upTo(4) };
const INDICES = {
  'blockIdx.x': XY.x,
  'blockIdx.y': XY.y,
  'threadIdx.x': XY.x,
  'threadIdx.y': XY.y,
  BM: [4],
  BN: [4],
};
const WGSL_INDICES = {
  'block.x': XY.x,
  'block.y': XY.y,
  'thread.x': XY.x,
  'thread.y': XY.y,
  BM: [4],
  BN: [4],
};
const naive = (): KernelTask => ({
  kind: 'kernel',
  id: '05-row-and-column',
  title: 'Compute the row and the column of a thread',
  source: { spec: specOf({ algorithm: 'naive', block: { m: 4, n: 4 } }) },
  statement: [
    'Write the row and the column of C that this thread computes.',
    'blockIdx is the position of the thread block in the grid, threadIdx the position in the block.',
    'In this kernel, x counts rows and y counts columns.',
  ],
  hints: [
    'Count the rows of all blocks above this block, then add the row within the block.',
    'A block has BM rows, so the first row of block b is b * BM.',
  ],
  cuda: {
    cuts: [
      { within: 'row = blockIdx.x * BM + threadIdx.x', removes: 'blockIdx.x * BM + threadIdx.x' },
      { within: 'col = blockIdx.y * BN + threadIdx.y', removes: 'blockIdx.y * BN + threadIdx.y' },
    ],
    holes: expressions(INDICES, 'row', 'column'),
  },
  wgsl: {
    cuts: [
      { within: 'row = block.x * BM + thread.x', removes: 'block.x * BM + thread.x' },
      { within: 'col = block.y * BN + thread.y', removes: 'block.y * BN + thread.y' },
    ],
    holes: expressions(WGSL_INDICES, 'row', 'column'),
  },
  solution: ['blockIdx.x * BM + threadIdx.x', 'blockIdx.y * BN + threadIdx.y'],
  mistakes: [
    mistake('the term with blockIdx.x is missing', 'threadIdx.x', 'blockIdx.y * BN + threadIdx.y'),
    mistake(
      'the term with threadIdx.y is missing',
      'blockIdx.x * BM + threadIdx.x',
      'blockIdx.y * BN',
    ),
    mistake(
      'x and y are exchanged',
      'blockIdx.y * BM + threadIdx.y',
      'blockIdx.x * BN + threadIdx.x',
    ),
    mistake(
      'the factor BM is missing',
      'blockIdx.x + threadIdx.x',
      'blockIdx.y * BN + threadIdx.y',
    ),
    mistake(
      'x and y of the thread index',
      'blockIdx.x * BM + threadIdx.y',
      'blockIdx.y * BN + threadIdx.x',
    ),
    mistake(
      'bytes instead of elements',
      '(blockIdx.x * BM + threadIdx.x) * 4',
      'blockIdx.y * BN + threadIdx.y',
    ),
    mistake(
      'it is 1 too large',
      'blockIdx.x * BM + threadIdx.x + 1',
      'blockIdx.y * BN + threadIdx.y',
    ),
    mistake('"threadIdx.z" is not available', 'blockIdx.x * BM + threadIdx.z', '0'),
    mistake('The row is missing', '', ''),
    mistake('it must change with blockIdx.x and threadIdx.x', '0', '0'),
    mistake('parenthesis is missing', '(blockIdx.x * BM + threadIdx.x', '0'),
  ],
});

const whole = (): SpecTask => ({
  kind: 'spec',
  id: '06-whole-warps',
  title: 'Choose a thread block of whole warps',
  template: templateOf(
    { algorithm: 'naive', block: { m: '___', n: '___' } },
    { m: 512, n: 512, k: 512 },
  ),
  simulateAt: { m: 40, n: 40, k: 8 },
  statement: [
    'The hardware executes threads in groups of 32, called warps.',
    'Choose the rows and columns of the thread block so that no warp has idle lanes.',
    'Use at least 256 threads per block, so that an SM has enough warps.',
    'Hover over a field in VS Code to read its meaning, or see docs/spec-reference.md.',
  ],
  hints: [
    'In this kernel a thread block of m x n has m * n threads.',
    'A CUDA thread block has at most 1024 threads; 16 x 16 = 256.',
  ],
  solution: ['16', '16'],
  goals: ({ plan }) => [
    exactly('Lanes of the last warp that have no thread', (32 - (plan.threads % 32)) % 32, 0, {
      why: 'The number of threads per block is not a multiple of 32.',
    }),
    atLeast('Threads per block', plan.threads, 256),
  ],
  mistakes: [
    mistake('Lanes of the last warp', '4', '4'),
    mistake('Lanes of the last warp', '17', '17'),
    mistake('Lanes of the last warp', '10', '30'),
    mistake('Threads per block: 64', '8', '8'),
    mistake('not legal', '64', '64'),
    mistake('block.m', '0', '16'),
    mistake('block.n', '16', '"16"'),
  ],
});

const coalesced = (): KernelTask => ({
  kind: 'kernel',
  id: '07-coalesced-index',
  title: 'Make the accesses coalesced',
  source: { spec: specOf({ algorithm: 'coalesced', block: { m: 4, n: 4 } }) },
  statement: [
    'Write the row and the column so that threads with consecutive threadIdx.x access consecutive elements of B and C.',
    'B and C are row-major: consecutive columns of a row are consecutive in memory.',
  ],
  hints: [
    'The column must change when threadIdx.x changes.',
    'Use the y indices for the row and the x indices for the column.',
  ],
  cuda: {
    cuts: [
      { within: 'row = blockIdx.y * BM + threadIdx.y', removes: 'blockIdx.y * BM + threadIdx.y' },
      { within: 'col = blockIdx.x * BN + threadIdx.x', removes: 'blockIdx.x * BN + threadIdx.x' },
    ],
    holes: expressions(INDICES, 'row', 'column'),
  },
  wgsl: {
    cuts: [
      { within: 'row = block.y * BM + thread.y', removes: 'block.y * BM + thread.y' },
      { within: 'col = block.x * BN + thread.x', removes: 'block.x * BN + thread.x' },
    ],
    holes: expressions(WGSL_INDICES, 'row', 'column'),
  },
  solution: ['blockIdx.y * BM + threadIdx.y', 'blockIdx.x * BN + threadIdx.x'],
  mistakes: [
    mistake(
      'x and y are exchanged',
      'blockIdx.x * BM + threadIdx.x',
      'blockIdx.y * BN + threadIdx.y',
    ),
    mistake(
      'x and y of the thread index',
      'blockIdx.y * BM + threadIdx.x',
      'blockIdx.x * BN + threadIdx.y',
    ),
    mistake(
      'x and y of the block index',
      'blockIdx.x * BM + threadIdx.y',
      'blockIdx.y * BN + threadIdx.x',
    ),
    mistake('the term with blockIdx.x is missing', 'blockIdx.y * BM + threadIdx.y', 'threadIdx.x'),
    mistake(
      'the factor BN is missing',
      'blockIdx.y * BM + threadIdx.y',
      'blockIdx.x + threadIdx.x',
    ),
    mistake(
      'bytes instead of elements',
      'blockIdx.y * BM + threadIdx.y',
      '4 * (blockIdx.x * BN + threadIdx.x)',
    ),
  ],
});

const sectors = (): SpecTask => ({
  kind: 'spec',
  id: '08-few-sectors',
  title: 'Store C with few sectors',
  template: templateOf(
    { algorithm: 'coalesced', variant: 'swap', block: { m: '___', n: '___' } },
    { m: 512, n: 512, k: 512 },
  ),
  simulateAt: { m: 64, n: 64, k: 8 },
  statement: [
    'The memory moves data in sectors of 32 bytes, which are 8 elements of f32.',
    'Choose a thread block with 256 threads, so that a warp stores its 32 elements of C in 4 sectors.',
    'threadIdx.x counts columns of C.',
  ],
  hints: [
    'A warp has 32 threads with consecutive threadIdx.x, then consecutive threadIdx.y.',
    'A sector has 8 elements of a row. With at least 8 columns per block, all of its bytes are used.',
  ],
  solution: ['8', '32'],
  goals: facts => [
    atMost(
      'Sectors per store request of C',
      globalAccess(facts, 'c', 'store').sectorsPerRequest,
      4,
      {
        why: 'The lanes of a warp are in several rows of C, and some sectors are used only in part.',
      },
    ),
    exactly('Threads per block', facts.plan.threads, 256),
  ],
  mistakes: [
    mistake('Sectors per store request of C: 8', '64', '4'),
    mistake('Sectors per store request of C', '128', '2'),
    mistake('Sectors per store request of C', '256', '1'),
    mistake('Threads per block: 128', '4', '32'),
    mistake('Threads per block: 1,024', '32', '32'),
    mistake('not legal', '64', '32'),
    mistake('block.m', '-8', '32'),
  ],
});

export const threadTasks = (): readonly Task[] => [naive(), whole(), coalesced(), sectors()];
