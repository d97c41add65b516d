/** Tasks on shared memory and barriers. */
import { exactly } from '../goals';
import type { KernelTask, NestTask, Task } from '../task';
import { mistake, SMALL, specOf, upTo } from './parts';

/** Ranges of the shared-tile kernel; lda and ldb are the packed leading dimensions. */
const COPY = {
  threadRow: upTo(4),
  threadCol: upTo(4),
  row: upTo(16),
  col: upTo(16),
  k0: [0, 4],
  lda: [8],
  ldb: [16],
};

/** Tests whether one thread has these values: row and col depend on its position in the block. */
const isOneThread = (values: ReadonlyMap<string, number>): boolean =>
  (['row', 'col'] as const).every(
    name => (values.get(name) ?? 0) % 4 === values.get(name === 'row' ? 'threadRow' : 'threadCol'),
  );

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
    mistake('k occurs twice with step 1', 'k+shared'),
    mistake('Only a loop over k copies tiles', 'i:2+shared'),
    mistake('K extent of the shared tiles: 8', 'k:8+shared'),
    mistake('K extent of the shared tiles: 2', 'k:2+shared'),
    mistake('is not a loop', 'k:4@shared+'),
    mistake('all iterations over k add to the same element', 'k:4@block'),
    mistake('"shared" is not a level. Write k:4+shared.', 'k:4@shared'),
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
    holes: [
      {
        kind: 'expression',
        of: 'index of A',
        ranges: COPY,
        isPossible: isOneThread,
        advice: { K: 'Use lda, the distance between rows, instead of K.' },
      },
      {
        kind: 'expression',
        of: 'index of B',
        ranges: COPY,
        isPossible: isOneThread,
        advice: { N: 'Use ldb, the distance between rows, instead of N.' },
      },
    ],
  },
  solution: ['row * lda + k0 + threadCol', '(k0 + threadRow) * ldb + col'],
  mistakes: [
    mistake('the term with k0 is missing', 'row * lda + threadCol', '(k0 + threadRow) * ldb + col'),
    mistake('the term with threadCol is missing', 'row * lda + k0', '(k0 + threadRow) * ldb + col'),
    mistake('Use lda', 'row * K + k0 + threadCol', '(k0 + threadRow) * ldb + col'),
    mistake('Use ldb', 'row * lda + k0 + threadCol', '(k0 + threadRow) * N + col'),
    mistake('the factor lda is missing', 'row + k0 + threadCol', '(k0 + threadRow) * ldb + col'),
    mistake('the term with k0 is missing', 'row * lda + k0 + threadCol', 'threadRow * ldb + col'),
    mistake('parentheses are missing', 'row * lda + k0 + threadCol', 'k0 + threadRow * ldb + col'),
    mistake(
      'it uses threadCol instead of threadRow',
      'row * lda + k0 + threadCol',
      '(k0 + threadCol) * ldb + col',
    ),
    mistake(
      'it uses threadRow instead of row',
      'threadRow * lda + k0 + threadCol',
      '(k0 + threadRow) * ldb + col',
    ),
    mistake(
      'it does not contain row and k0',
      'threadRow * lda + threadCol',
      '(k0 + threadRow) * ldb + col',
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
      ...['barrier();', 'workgroupBarrier();', 'syncthreads();'].map(text => ({
        text,
        why: `${text.slice(0, -1)} is not a function of CUDA. In CUDA the barrier is __syncthreads();`,
      })),
    ],
  }) as const;

const workgroupBarrier = (missing: string) =>
  ({
    kind: 'text',
    known: [
      { text: '', why: missing },
      ...['barrier();', '__syncthreads();'].map(text => ({
        text,
        why: `${text.slice(0, -1)} is not a function of WGSL. In WGSL the barrier is workgroupBarrier();`,
      })),
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
    mistake('second barrier is missing', '__syncthreads();', '; // none'),
    mistake('In CUDA the barrier is __syncthreads()', 'barrier();', '__syncthreads();'),
    mistake('In CUDA the barrier is __syncthreads()', '__syncthreads();', 'workgroupBarrier();'),
    mistake('first barrier is missing', '', ''),
    mistake('only for the threads of a warp', '__syncwarp();', '__syncthreads();'),
    mistake('only for the threads of a warp', '__syncthreads();', '__syncwarp();'),
    mistake('no thread waits for another one', '__threadfence();', '__syncthreads();'),
    mistake('no thread waits for another one', '__syncthreads();', '__threadfence_block();'),
  ],
});

export const sharedTasks = (): readonly Task[] => [sharedNest(), copies(), barriers()];
