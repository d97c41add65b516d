/** The items of the five tutorials, and the row or the test that shows each of them. */
import { TUTORIAL_NAMES, type TutorialName } from '../../src/core/tutorials/tutorial';

export type Shown =
  /** Rows in the JSON report of `seed NAME`, by the first word of their `id`. */
  | { readonly seed: TutorialName; readonly row: string }
  | { readonly test: string; readonly name: string }
  /** Reason why the item is not supported. */
  | { readonly why: string };

export interface Item {
  readonly row: string;
  readonly title: string;
  readonly shown: Shown;
}

const tested = (file: string, name: string): Shown => ({ test: `test/${file}.test.ts`, name });
const TILES = 'page/tileMap';
const STEPS = 'page/blockSteps';
const WARP = 'page/warpMatrix';
const LOOPS = 'page/loops';
const GLOSSARY = 'core/text/glossary';

/**
 * Titles in the order of each tutorial. The rows of `seed NAME` show an item that has only a title.
 */
const TITLES: Readonly<Record<TutorialName, readonly (string | readonly [string, Shown])[]>> = {
  hierarchy: [
    'Problem of 48 x 128 x 12 with a check of C',
    'Block tile of 8 x 32 x 6',
    'Listing of block tiles',
    'Tiles of A and B in shared memory',
    'Listing of warp tiles',
    'Warp tiles with a K extent of 3',
    'Warps that reload the same elements of A',
    'Listing of thread tiles of 4 x 4 x 1',
    'Reuse of values in registers',
    'Complete nest of grid, block, warp and thread loops',
    'Outer product: k as the outermost loop of a thread tile',
    'Zeros outside of the matrices',
    'Effect of the loop order on cache misses',
    ['Tiling in motion', tested(LOOPS, 'plays the loops FMA by FMA, with the misses of a cache')],
    [
      'Picture of the hierarchy of tiles',
      tested(
        TILES,
        'shows the layouts of the matrices and a legend with the colors of the pictures',
      ),
    ],
    'Runnable Python programs',
  ],
  cute: [
    [
      'Element types S, D, C and Z',
      { why: 'The types f32 (S) and f64 (D) are supported, but no complex types (C and Z).' },
    ],
    [
      'Matrix kinds and operations in BLAS names',
      tested(GLOSSARY, 'explains the matrix kinds and operations in names of BLAS'),
    ],
    'C = alpha A B + beta C',
    'NT: only B is transposed',
    'TN, NN and TT',
    'A as (M,K), B as (N,K), C as (M,N)',
    'M-major, N-major and K-major matrices',
    'View of the BLAS user and of the implementation',
    'MN-major and K-major arrangements',
    'Template parameters of the kernel',
    'Launch bounds from the threads of tC',
    'Run-time extents M, N and K',
    'Static and dynamic integers in printed layouts',
    [
      'Static, constexpr and run-time values; mdspan',
      tested(GLOSSARY, 'explains static, constexpr and dynamic values, and the extents of mdspan'),
    ],
    'Offset of an element from its strides',
    'Leading dimension',
    [
      'Reduction mode, Einstein notation, inner and outer mode, atom',
      tested(GLOSSARY, 'explains the modes and atoms of CuTe'),
    ],
    'Main loop: copies, barrier, multiplication, barrier',
    'Copy atoms',
    'Slice of a tensor',
    'Block tile of 128 x 128 x 8',
    'Layouts of the shared tiles of A and B',
    'Layout of the tile of C',
    'Elements of a buffer: cosize',
    'Thread layouts tA, tB and tC',
    'Thread of an element of C',
    'Checks of thread layouts',
    'Grid and block of the launch',
    'local_tile with a step',
    'Coordinate of a thread block',
    'Tiles of A and B of a thread block',
    'Tile of C of a thread block',
    'Layouts as C++ source',
    'Elements of a thread in each tile',
    'Accumulators of a thread',
    'Sizes that no tile divides',
    'Rates of NT and TN',
    'Nested modes for tensor contractions (GETT)',
    [
      'Stream-K',
      {
        why: 'Kernels divide K with split-K. The glossary defines stream-K, but it is not generated.',
      },
    ],
  ],
  ratios: [
    'Peak rate and bandwidth of the GPU',
    'Device ratio and its meaning',
    'Formula of the problem ratio',
    'Problem ratios at 1024 and 2048',
    'Traffic and ratio of the naive kernel',
    'Memory bound without caches, and the verdict with caches',
    'Naive kernel',
    'Number of thread blocks',
    [
      'Advice: block tiles, then thread tiles',
      tested(
        'core/roofline/waterfall',
        'lead from one algorithm to the next: coalesced accesses, then tiles in shared memory',
      ),
    ],
    'Kernel with block tiles',
    'Ratio with block tiles',
    'Kernel with thread tiles',
    'Ratio with thread tiles',
    'Rates of three kernels at four sizes',
    [
      'Share of the rate of a library',
      tested('core/tutorials/compare', 'compare a timed run with the tutorial and the library'),
    ],
  ],
  worklog: [
    ['Program to compile and run', tested('cli/generate', 'writes a host program on request')],
    [
      'Matrices in .npy files',
      tested('host/npy', 'reads C where beta is not 0, in column-major matrices with gaps'),
    ],
    [
      'Registers and shared memory reported by ptxas',
      tested('cli/compile', 'reports registers and spills (needs nvcc)'),
    ],
    [
      'PTX of a kernel',
      tested('cli/inspect', 'prints the main loop next to the model, and as JSON (needs nvcc)'),
    ],
    ['Counters of Nsight Compute', tested('cli/ncu', 'puts counters beside each access site')],
    ['Words of the hardware', tested(GLOSSARY, 'explains the hardware words of the tutorials')],
    ['Occupancy and its limits', tested('cli/occupancy', 'computes one case')],
    'One 128-byte transaction for 32 lanes',
    'Waves of thread blocks',
    'SMs, cores, bandwidth, peak and clock rate of the GPU',
    'Peak rate from cores and clock rate',
    'Work and its minimum time',
    'Bytes and their minimum time',
    'Grid of 64 x 64, block of 32 x 32',
    'Naive kernel',
    [
      'Picture of threads on the matrices',
      tested(WARP, 'compares the three mappings of threads, and saves them as SVG'),
    ],
    'Kernel with x and y exchanged',
    'Coalesced kernel with a one-dimensional index',
    [
      'Picture of coalesced accesses',
      tested(WARP, 'shows the lanes and sectors of the warp that the keyboard selects'),
    ],
    'Shared memory, one-dimensional block',
    [
      'Picture of a tile on its way to the FMAs',
      tested(STEPS, 'follows an element of B from global memory to its FMAs'),
    ],
    'Shared memory, two-dimensional block',
    'Occupancy by hand',
    'Occupancy of 66 %, 40 concurrent blocks',
    [
      'Bytes of constant memory',
      tested('cli/compile', 'reports registers and spills (needs nvcc)'),
    ],
    [
      'PTX of the inner loop',
      tested('cli/seed', 'compiles the kernel of the worklog: registers, constant bytes and PTX'),
    ],
    'FMAs per load from shared memory',
    'One-dimensional block tiling',
    ['Table of times and rates', { seed: 'worklog', row: '003.15' }],
    [
      'Memory of CUDA declarations: scope and lifetime',
      tested(
        GLOSSARY,
        'explains the memory of each CUDA declaration, as the table of docs/concepts.md does',
      ),
    ],
    'Reason for the different rates of kernels 1.1 and 2',
    [
      'Picture of two-dimensional block tiling',
      tested(TILES, 'shows block, warp, lane, register and line of the selected element'),
    ],
  ],
  loops: [
    'Loops in the order i, j, k',
    'Loops in the order k, i, j',
    'Split loops, with corrected indices',
    'Reordered loops as grid and block',
    'Loops that may run in parallel',
    'Tiles of A and B in shared memory',
    [
      'Picture of tiles of A, B and C',
      tested(
        TILES,
        'moves by tiles over the matrices and by elements in the block tile, with arrow keys',
      ),
    ],
    'Integer kernel with bounds',
    'Generated integer kernel',
    'Zeros outside of A and B, also along K',
    'Sectors and wavefronts of the mapping',
    [
      'Main loop of an integer kernel without a description',
      tested('core/profile/listing/listings', 'counts products of loaded integers of 32 or 8 bits'),
    ],
  ],
};

export const itemsOf = (name: TutorialName): readonly Item[] =>
  TITLES[name].map((of, index) => {
    const row = `00${TUTORIAL_NAMES.indexOf(name)}.${index + 1}`;
    return typeof of === 'string'
      ? { row, title: of, shown: { seed: name, row } }
      : { row, title: of[0], shown: of[1] };
  });
