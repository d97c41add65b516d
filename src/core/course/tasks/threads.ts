/** Tasks on the grid, coalescing, shared memory and barriers. */
import { atLeast, atMost, exactly } from '../goals';
import { globalAccess } from '../specFacts';
import type { KernelTask, NestTask, SpecTask, Task } from '../task';
import { expressions, mistake, SMALL, specOf, templateOf, upTo } from './parts';

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
/** Ranges of the shared-tile kernel; lda and ldb are the packed leading dimensions. */
const COPY = {
  threadRow: upTo(4),
  threadCol: upTo(4),
  row: [0, 1, 5, 15],
  col: [0, 1, 6, 15],
  k0: [0, 4],
  lda: [8],
  ldb: [16],
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
    mistake('the same for all threads', '0', '0'),
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
    'With at least 32 columns per block, all lanes of a warp are in one row.',
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

const sharedNest = (): NestTask => ({
  kind: 'nest',
  id: '09-shared-tile',
  title: 'Copy tiles to shared memory',
  problem: SMALL,
  statement: [
    'Write the loop that copies tiles of A and B to shared memory.',
    'The tiles are 4 deep along k. Append +shared to the loop that copies them.',
  ],
  hints: [
    'Each k-iteration of a thread block needs other elements of A and B.',
    'A loop is written AXIS:STEP, so a loop over k in steps of 4 is k:4.',
  ],
  template: 'i:4@grid\n  j:4@grid\n    ___\n      i@block\n        j@block\n          k',
  solution: ['k:4+shared'],
  goals: ({ shared, threads }) => [
    exactly('K extent of the shared tiles', shared?.k ?? 0, 4, {
      why: shared === null ? 'The nest copies no tiles: +shared is missing.' : '',
    }),
    exactly('Threads per block', threads, 16),
  ],
  mistakes: [
    mistake('+shared is missing', 'k:4'),
    mistake('does not divide the next larger step', 'k+shared'),
    mistake('Only a loop over k copies tiles', 'i:2+shared'),
    mistake('K extent of the shared tiles: 8', 'k:8+shared'),
    mistake('K extent of the shared tiles: 2', 'k:2+shared'),
    mistake('is not a loop', 'k:4@shared+'),
    mistake('all iterations over k add to the same element', 'k:4@block'),
    mistake('"shared" is not a level', 'k:4@shared'),
  ],
});

const sharedKernel = { spec: specOf({ algorithm: 'shared-tile', block: { m: 4, n: 4, k: 4 } }) };

const copies = (): KernelTask => ({
  kind: 'kernel',
  id: '10-copy-index',
  title: 'Compute the elements that a thread copies',
  source: sharedKernel,
  statement: [
    'Each thread copies one element of A and one element of B to shared memory.',
    'Write the index of both elements. lda and ldb are the distances between rows, in elements.',
    'k0 is the first k of the tiles.',
  ],
  hints: [
    'The index of element (r, c) of a row-major matrix is r * ld + c.',
    'The tile of A begins at column k0. The tile of B begins at row k0.',
  ],
  cuda: {
    cuts: [
      { within: '= A[row * lda + k0 + threadCol]', removes: 'row * lda + k0 + threadCol' },
      { within: '= B[(k0 + threadRow) * ldb + col]', removes: '(k0 + threadRow) * ldb + col' },
    ],
    holes: expressions(COPY, 'index of A', 'index of B'),
  },
  solution: ['row * lda + k0 + threadCol', '(k0 + threadRow) * ldb + col'],
  mistakes: [
    mistake('the term with k0 is missing', 'row * lda + threadCol', '(k0 + threadRow) * ldb + col'),
    mistake('the term with threadCol is missing', 'row * lda + k0', '(k0 + threadRow) * ldb + col'),
    mistake('the factor lda is missing', 'row + k0 + threadCol', '(k0 + threadRow) * ldb + col'),
    mistake('the term with k0 is missing', 'row * lda + k0 + threadCol', 'threadRow * ldb + col'),
    mistake(
      'The index of B is incorrect',
      'row * lda + k0 + threadCol',
      'k0 + threadRow * ldb + col',
    ),
    mistake(
      'bytes instead of elements',
      '(row * lda + k0 + threadCol) * 4',
      '(k0 + threadRow) * ldb + col',
    ),
    mistake(
      'The index of A is incorrect',
      'threadCol * lda + k0 + row',
      '(k0 + threadRow) * ldb + col',
    ),
  ],
});

const FIRST_BARRIER =
  'The first barrier is missing: a thread can read an element of the tiles before the thread that copies it has written it (race).';
const SECOND_BARRIER =
  'The second barrier is missing: a fast thread can overwrite the tiles while another thread still reads them (race).';
const WARP_BARRIER =
  '__syncwarp waits only for the threads of a warp. This small block is one warp, but larger blocks would have a race.';
const FENCE =
  '__threadfence orders the writes of one thread, but no thread waits for another one (race).';

const barrier = (missing: string) =>
  ({
    kind: 'text',
    accepts: ['__syncthreads()'],
    known: [
      { text: '', why: missing },
      { text: '__syncwarp();', why: WARP_BARRIER },
      { text: '__threadfence();', why: FENCE },
      { text: '__threadfence_block();', why: FENCE },
    ],
  }) as const;

const workgroupBarrier = (missing: string) =>
  ({
    kind: 'text',
    known: [
      { text: '', why: missing },
      {
        text: 'storageBarrier();',
        why: 'storageBarrier orders accesses of storage buffers, but the tiles are in workgroup memory (race).',
      },
    ],
  }) as const;

const barriers = (): KernelTask => ({
  kind: 'kernel',
  id: '11-barriers',
  title: 'Place the barriers',
  source: sharedKernel,
  statement: [
    'The threads of a block share the tiles As and Bs, and run at different speeds.',
    'Write the statement that lets all threads of the block wait for each other.',
  ],
  hints: [
    'One barrier is needed after the copies, and one before the next copies.',
    'The barrier of a thread block is __syncthreads() in CUDA and workgroupBarrier() in WGSL.',
  ],
  cuda: {
    cuts: [
      { within: '__syncthreads();', removes: '__syncthreads();' },
      { within: '__syncthreads();', removes: '__syncthreads();' },
    ],
    holes: [barrier(FIRST_BARRIER), barrier(SECOND_BARRIER)],
  },
  wgsl: {
    cuts: [
      { within: 'workgroupBarrier();', removes: 'workgroupBarrier();' },
      { within: 'workgroupBarrier();', removes: 'workgroupBarrier();' },
    ],
    holes: [workgroupBarrier(FIRST_BARRIER), workgroupBarrier(SECOND_BARRIER)],
  },
  solution: ['__syncthreads();', '__syncthreads();'],
  mistakes: [
    mistake('first barrier is missing', '', '__syncthreads();'),
    mistake('second barrier is missing', '__syncthreads();', ''),
    mistake('first barrier is missing', '', ''),
    mistake('only for the threads of a warp', '__syncwarp();', '__syncthreads();'),
    mistake('only for the threads of a warp', '__syncthreads();', '__syncwarp();'),
    mistake('no thread waits for another one', '__threadfence();', '__syncthreads();'),
    mistake('no thread waits for another one', '__syncthreads();', '__threadfence_block();'),
  ],
});

export const threadTasks = (): readonly Task[] => [
  naive(),
  whole(),
  coalesced(),
  sectors(),
  sharedNest(),
  copies(),
  barriers(),
];
