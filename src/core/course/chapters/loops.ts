/** Chapters on loops: their order, tiles, and which of them can run in parallel. */
import { grouped } from '../../text/numbers';
import { LEVELS, AXES } from '../../nests/nest';
import { NEST_LIMITS, parallelViolations } from '../../nests/rules';
import type { Chapter } from '../chapter';
import { loadedLinesOf } from '../nestFacts';
import { question } from '../prediction';
import { nestOf } from '../../nests/text';
import { CUBE, SMALL } from '../tasks/parts';

const lines = (text: string): number => loadedLinesOf(nestOf(text), CUBE);

const TILED = 'i:4 j:4 k:4 i j k';
const PARALLEL = 'i:4@grid j:4@grid k i@block j@block';

const order = (): Chapter => ({
  id: 'loops',
  title: 'Loop orders',
  idea: 'All six orders of the three loops compute the same matrix, but they access memory in a different order.',
  terms: [
    ['GEMM', 'a general matrix multiplication, C = A B; A is M x K, B is K x N and C is M x N'],
    [
      'FMA',
      'the fused operation C[i][j] += A[i][k] * B[k][j]: multiply and add in one instruction',
    ],
    ['row-major', 'an order in memory in which the elements of a row are consecutive'],
    [
      'cache',
      'a small, fast memory that keeps recently used data; a full cache drops what was unused longest',
    ],
    ['cache line', 'the unit that a cache loads: several consecutive elements together'],
    [
      'loop nest',
      'loops inside of each other; the text i k j is a nest with i outermost and j innermost',
    ],
  ],
  why: [
    'A GEMM has three loops: i over the rows of C, j over its columns, and k over the products of one element.',
    'The additions can be done in any order, up to rounding errors, so the loops can be exchanged.',
    'The processor is much faster than the memory, so the number of loaded cache lines decides the speed.',
    'The innermost loop decides which elements follow each other in time.',
    'With k innermost, B is read down a column, and each access is in another line.',
    'With j innermost, B and C are read along a row, and all elements of a line are used.',
  ],
  before: { nest: nestOf('i j k'), problem: CUBE },
  after: { nest: nestOf('i k j'), problem: CUBE },
  look: [
    'Compare the innermost loops: the innermost loop of the second nest reads B along a row.',
    'The explorer is a page with views of a kernel. Open explorer, a command of VS Code, shows it.',
    'Its Loops view counts the cache lines of any order. In a terminal: gemm-explorer loops "i k j".',
  ],
  prediction: () =>
    question(
      'The cache has 16 lines of 4 elements, and all matrices are 16 x 16. The order i j k loads ' +
        `${grouped(lines('i j k'))} lines. How many lines does the order k i j load?`,
      grouped(lines('k i j')),
      [lines('k j i'), lines('i j k') * 2, 192].map(grouped),
      [
        'A row of 16 elements has 4 lines. A matrix has 64 lines.',
        'For each k and i, one element of A is read, each in another line: 16 x 16 = 256 lines.',
        'For each k, the row of B is loaded once and stays in the cache: 16 x 4 = 64 lines.',
        'For each k, all of C is loaded again: 16 x 64 = 1,024 lines.',
        `The sum is ${grouped(lines('k i j'))} lines.`,
      ],
    ),
  tasks: ['01-loop-order'],
  checkpoint: 'You can tell from the innermost loop which matrix is read along rows.',
});

const tiles = (): Chapter => ({
  id: 'cache',
  title: 'Cache lines and tiled loops',
  idea: 'Splitting each loop in two lets the cache serve most accesses, because a tile is used completely before the next tile.',
  terms: [
    ['tile', 'a rectangular part of a matrix, such as 4 x 4 elements'],
    [
      'tiled loop',
      'a pair of loops: the outer loop moves from tile to tile, the inner loop within a tile',
    ],
    ['step', 'the distance between two iterations; the text i:4 is a loop over i with step 4'],
    ['reuse', 'the number of times that a loaded value is used before it is replaced'],
  ],
  why: [
    'A loop over 16 elements can be written as a loop over 4 tiles and a loop over the 4 elements of a tile.',
    'The result is the same, since each index is visited once.',
    'With the tile loops outside, the inner loops use only one tile of A, B and C.',
    'If the three tiles fit in the cache, each line of a tile is loaded once and used many times.',
    'A larger tile is used more often, but too large a tile does not fit.',
    'The same idea appears at each level of a GPU. Later chapters use it for two faster memories.',
  ],
  before: { nest: nestOf('i k j'), problem: CUBE },
  after: { nest: nestOf(TILED), problem: CUBE },
  look: [
    'Each axis has two loops now. The index of a row is the sum i + i0.',
    'The three tiles of 4 x 4 elements have 12 lines together, so they fit in 16 lines.',
  ],
  prediction: () =>
    question(
      `Tiles of 4 x 4 elements load ${grouped(lines(TILED))} lines. How many lines do tiles of 8 x 8 elements load in the same cache of 16 lines?`,
      grouped(lines('i:8 j:8 k:8 i j k')),
      [lines(TILED) / 2, lines(TILED)].map(grouped),
      [
        'A tile of 8 x 8 elements has 8 rows of 2 lines, which are 16 lines.',
        'The tile of B alone fills the cache, so A and C replace its lines before they are used again.',
        `So there are more loads than with small tiles: the count gives ${grouped(lines('i:8 j:8 k:8 i j k'))} lines.`,
      ],
    ),
  tasks: ['02-tiled-loops', '03-tile-size'],
  checkpoint:
    'You can split a loop, and you can compute whether the tiles of a nest fit in a cache.',
});

const parallel = (): Chapter => ({
  id: 'parallel',
  title: 'Parallel loops',
  idea: 'The loops over i and j can run in parallel, but the loop over k cannot, because all its iterations add to the same element.',
  terms: [
    [
      'thread',
      'a sequence of instructions with its own variables; a GPU runs many thousands of them',
    ],
    ['kernel', 'the program that all these threads execute'],
    [
      'thread block',
      'a group of threads that runs on one processor of the GPU; the library CUTLASS calls it CTA',
    ],
    ['grid', 'all thread blocks of a kernel'],
    [
      'level',
      'the place where a loop runs; the text i:4@grid is a loop whose iterations are thread blocks',
    ],
    ['__global__', 'the CUDA mark of a kernel; extern "C" keeps its name for the host program'],
    ['__launch_bounds__', 'the largest number of threads per block, a fact for the compiler'],
    [
      '__restrict__',
      'a rule for the compiler: the program uses no other pointer to the same elements',
    ],
    [
      'race',
      'two threads that access the same element without an order, at least one of them writing',
    ],
  ],
  why: [
    'Two iterations can run at the same time if neither writes an element that the other uses.',
    'Different i or j belong to different elements of C, so these iterations are independent.',
    'Different k add to the same element of C.',
    'Two threads that add at the same time both read the old value, and one of the additions is lost.',
    'The loops over i and j therefore become thread blocks and threads, and each thread keeps the loop over k.',
    'A tile loop becomes the grid, and an element loop becomes the threads of a block.',
  ],
  before: { nest: nestOf(TILED), problem: CUBE },
  after: { nest: nestOf(PARALLEL), problem: SMALL },
  look: [
    'No loop over i or j is left in the kernel: blockIdx and threadIdx are their loop variables.',
    'The Loops view shows the lines that each loop became.',
  ],
  prediction: () => {
    const violations = AXES.map(axis => {
      const nest = nestOf(PARALLEL).map(loop => ({
        ...loop,
        level: loop.axis === axis ? ('grid' as const) : LEVELS[3],
      }));
      return { axis, found: parallelViolations(nest, SMALL, NEST_LIMITS.cuda) };
    });
    const racing = violations.filter(({ found }) =>
      found.some(({ message }) => message.includes('would race')),
    );
    return question(
      'Which loops cannot run in parallel?',
      `only ${racing.map(({ axis }) => axis).join(' and ')}`,
      ['only i', 'i and j', 'none: all loops are independent'],
      [
        'C[i][j] += A[i][k] * B[k][j] writes the element (i, j).',
        'Iterations with different i or j write different elements.',
        ...racing.flatMap(({ found }) => found.slice(0, 1).map(({ message }) => message)),
      ],
    );
  },
  tasks: ['04-parallel-loops'],
  checkpoint: 'You can assign the loops of a tiled nest to the grid and to the threads of a block.',
});

export const loopChapters = (): readonly Chapter[] => [order(), tiles(), parallel()];
