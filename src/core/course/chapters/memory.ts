/** Chapters on the grid, coalescing and shared memory. */
import { grouped } from '../../text/numbers';
import { ownersOf } from '../../trace/owners';
import type { Chapter } from '../chapter';
import { specFacts } from '../specFacts';
import { question } from '../prediction';
import { quizPrediction } from '../quizPrediction';
import { nestOf } from '../../nests/text';
import { SMALL, specOf } from '../tasks/parts';

const NAIVE = specOf({ algorithm: 'naive', block: { m: 4, n: 4 } });
const COALESCED = specOf({ algorithm: 'coalesced', variant: 'swap', block: { m: 4, n: 4 } });
const SHARED = specOf({ algorithm: 'shared-tile', block: { m: 4, n: 4, k: 4 } });
const LARGE = { m: 4096, n: 4096, k: 4096 };

const SQUARE = { block: { m: 32, n: 32 } } as const;
const STEPS = {
  naive: { algorithm: 'naive', ...SQUARE },
  coalesced: { algorithm: 'coalesced', variant: 'swap', ...SQUARE },
  shared: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 } },
} as const;

const grid = (): Chapter => ({
  id: 'grid',
  title: 'Grid and thread block',
  idea: 'Each thread computes its row and its column of C from the position of its block and its position in the block.',
  terms: [
    ['blockIdx', 'the position of the thread block in the grid, with components x, y and z'],
    ['threadIdx', 'the position of the thread in its block, with components x and y'],
    [
      'launch',
      'the start of a kernel by the program on the CPU, with the extents of grid and block: <<<grid, block>>>',
    ],
    ['warp', '32 threads with consecutive numbers that execute each instruction together'],
    ['lane', 'the position of a thread in its warp, 0 to 31'],
    ['SM', 'the part of a GPU that executes thread blocks; an H200 has 132 of them'],
    ['global memory', 'the large memory of the GPU, which all threads can access'],
    ['lda, ldb, ldc', 'the distances between consecutive rows of A, B and C, in elements'],
    [
      'WGSL',
      'the language of WebGPU kernels; blockIdx is block, threadIdx is thread, and a block is a workgroup',
    ],
  ],
  why: [
    'The kernel contains only the work of one thread: one loop over k.',
    'A block covers BM rows of C, so the blocks before this one cover blockIdx.x * BM rows.',
    'The row of a thread is that number plus its row within the block.',
    'In chapter 3, x counted columns. In this kernel, x counts rows, which is correct but slow.',
    'Chapter 5 shows the reason, and exchanges x and y again.',
    'The number of a thread in its block is threadIdx.y times the extent along x, plus threadIdx.x.',
    'If BM does not divide M, the number of blocks is rounded up.',
    'The kernel then tests row < M, so that threads outside of C do nothing.',
    'This kernel is called naive, because it reads each operand from global memory for each FMA.',
    'It is correct, and it is the reference for all later kernels.',
  ],
  before: { nest: nestOf('i:4@grid j:4@grid k i@block j@block'), problem: SMALL },
  after: { spec: NAIVE },
  look: [
    'Tiles: click an element of C, and read the block and the thread that own it.',
    'The source: the lines with row and col replace the four lines with i, j, i0 and j0.',
  ],
  prediction: () => {
    const { kernel } = specFacts(NAIVE);
    const [row, column] = [6, 13];
    const owner = ownersOf(kernel).ownerOf({ entry: 0, row, column }).accumulators[0];
    if (owner?.thread === null || owner === undefined) throw new Error('The owner is unknown.');
    const { block, thread } = owner;
    const place = (bx: number, by: number, tx: number, ty: number): string =>
      `block (${bx}, ${by}), thread (${tx}, ${ty})`;
    const [x, y] = [thread % kernel.block.x, Math.floor(thread / kernel.block.x)];
    return question(
      `In the naive kernel with 4 x 4 blocks, x counts rows. Which thread computes C(${row}, ${column})?`,
      place(block.x, block.y, x, y),
      [
        place(block.y, block.x, y, x),
        place(block.x, block.y, y, x),
        place(block.x * 4, block.y * 4, x, y),
      ],
      [
        `Row ${row} = ${block.x} * 4 + ${x}, so blockIdx.x = ${block.x} and threadIdx.x = ${x}.`,
        `Column ${column} = ${block.y} * 4 + ${y}, so blockIdx.y = ${block.y} and threadIdx.y = ${y}.`,
      ],
    );
  },
  tasks: ['05-row-and-column', '06-whole-warps'],
  checkpoint: 'You can compute the element of C of a thread, and the thread of an element.',
});

const coalescing = (): Chapter => ({
  id: 'coalescing',
  title: 'Coalesced accesses',
  idea: 'The 32 lanes of a warp access memory together, so consecutive lanes must access consecutive elements.',
  terms: [
    ['request', 'one memory instruction of a warp, with one address per lane'],
    ['sector', '32 consecutive bytes, the smallest amount that the memory moves'],
    [
      'coalesced',
      'a request whose lanes access consecutive elements, so that few sectors are moved',
    ],
    ['broadcast', 'a request whose lanes read the same element, so that one sector is moved'],
    ['f32', 'a floating-point number of 32 bits, which are 4 bytes; f16 has 2 bytes'],
    ['TFLOP/s', '1,000 GFLOP/s, or 10^12 floating-point operations per second; an FMA counts as 2'],
    ['time model', 'the formulas with which GEMM Explorer predicts the run time of a kernel'],
  ],
  why: [
    'The hardware collects the addresses of the 32 lanes and moves each sector that contains one of them.',
    'If 32 lanes read 32 consecutive f32 elements, they need 128 bytes, which are 4 sectors.',
    'If 32 lanes read 32 elements of one column, each element is in another sector, and 32 sectors are moved.',
    'Only 4 of the 32 bytes of such a sector are used.',
    'threadIdx.x selects the lane. It must therefore count the columns of a row-major matrix.',
    'The change is one exchange of x and y, as in chapter 3. The arithmetic stays the same.',
  ],
  before: { spec: NAIVE },
  after: { spec: COALESCED },
  look: [
    'Memory accesses: the row A load of both kernels, with the number of sectors per request.',
    'The picture of a request: lanes on the left, sectors on the right.',
  ],
  prediction: () =>
    quizPrediction(
      specOf(STEPS.naive, LARGE),
      'requests/sectors/A load load',
      'A is row-major with 4,096 columns, and the naive kernel has 32 x 32 threads per block.',
    ),
  tasks: ['07-coalesced-index', '08-few-sectors'],
  checkpoint: 'You can count the sectors of a request from the element that each lane accesses.',
  step: { before: STEPS.naive, after: STEPS.coalesced, dtype: 'f32' },
});

const shared = (): Chapter => ({
  id: 'shared',
  title: 'Shared memory and barriers',
  idea: 'The threads of a block copy tiles of A and B to shared memory once, and then read them many times.',
  terms: [
    ['shared memory', 'a small, fast memory of an SM that the threads of one block share'],
    ['staging', 'copying a tile to a faster memory before it is used'],
    [
      'barrier',
      'a statement at which each thread waits until all threads of the block have arrived',
    ],
    ['__shared__', 'the CUDA mark of an array in shared memory'],
    ['epoch', 'the time between two barriers'],
    ['k-iteration', 'one pass of the loop that moves from tile to tile along k'],
  ],
  why: [
    'All threads in a row of the block tile read the same elements of A, and all threads in a column the same of B.',
    'The naive kernel loads them from global memory in each thread.',
    'Here each thread copies one element of each tile, and all threads use all elements.',
    'A tile of BM rows and BN columns loads each element of A and B once per block.',
    'Without tiles, a 16 x 16 block loads 2 x 256 elements per k. With tiles it loads 16 + 16.',
    'That is 16 times fewer: 16 threads of a row use each element of A.',
    'In the same way, 16 threads of a column use each element of B.',
    '',
    'Blocks cannot access the shared memory of each other, and no barrier joins two blocks.',
    'The threads run at different speeds, so two barriers are necessary.',
    'The first barrier is after the copies: no thread may read a tile that is not complete.',
    'The second barrier is after the FMAs: no thread may overwrite a tile that another thread still reads.',
  ],
  before: { spec: COALESCED },
  after: { spec: SHARED },
  look: [
    'Steps: follow an element of A from global memory to As and to the FMAs that use it.',
    'Steps: each barrier ends an epoch. Within an epoch, the order of the threads is not defined.',
  ],
  prediction: () => {
    const [before, after] = [COALESCED, SHARED].map(spec => specFacts(spec).analysis.traffic);
    if (before === undefined || after === undefined) throw new Error('The traffic is unknown.');
    return question(
      `For ${SMALL.m} x ${SMALL.n} x ${SMALL.k}, the coalesced kernel loads and stores ${grouped(before.l2.value)} bytes of global memory. How many bytes does the kernel with 4 x 4 x 4 tiles load and store?`,
      grouped(after.l2.value),
      [before.dram.value, before.l2.value / 2, before.l2.value * 2].map(grouped),
      [
        'A has 16 x 8 elements. Each is loaded once per column of 4 tiles: 16 x 8 x 4 x 4 B = 2,048 B.',
        'B has 8 x 16 elements. Each is loaded once per row of 4 tiles: 2,048 B.',
        'C has 16 x 16 elements, which are stored once: 1,024 B.',
        `The sum is ${grouped(after.l2.value)} B.`,
      ],
    );
  },
  tasks: ['09-shared-tile', '10-copy-index', '11-barriers'],
  checkpoint:
    'You can place the two barriers of a tiled kernel, and explain what each of them prevents.',
  step: { before: STEPS.coalesced, after: STEPS.shared, dtype: 'f32' },
});

export const memoryChapters = (): readonly Chapter[] => [grid(), coalescing(), shared()];
