/** From three loops to a kernel with shared-memory tiles ("Tiled Matmul 101"). */
import { t } from '@vscode/l10n';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { nestKernel } from '../nests/kernel';
import { simulateNest } from '../nests/simulateNest';
import { globalSite, shared } from '../search/ladder/demand';
import type { Schedule } from '../spec/schema';
import { listing } from './listing';
import { nestOf } from '../nests/text';
import { differing, parallelLoops, type Index } from './nest';
import { subjectOf, wrongElements, type Subject } from './subject';
import {
  cube,
  type Problem,
  type Row,
  type Tutorial,
  type TutorialKernel,
  type Value,
} from './tutorial';

const SIZE = 32;
const TILE = 16;
const EXTENTS = { m: SIZE, n: SIZE, k: SIZE, dtype: 's32' } as const;
const SEED = 1;

const integers = (problem: Problem): Problem => ({ ...problem, a: { dtype: 's32' } });
const EDGES: Problem = integers({ m: 100, n: 70, k: 50 });

const tiled = (variant: 'transposed' | '2d'): Schedule => ({
  algorithm: 'shared-tile',
  variant,
  block: { m: TILE, n: TILE, k: TILE },
});

const NESTS = {
  loops1: 'i j k',
  loops2: 'k i j',
  loops3: 'i:16 i j:16 j k:16 k',
  loops4: 'i:16@grid j:16@grid k:16 i@block j@block k',
  shared: 'i:16@grid j:16@grid k:16+shared i@block j@block k',
} as const;

/** Number of values of Python's range(start, end). */
const rangeLength = (start: number, end: number): number => Math.max(0, end - start);

/** The printed indices of C lack i0 and j0. */
const printedIndices = ({ i, j, k }: Index): Index => ({
  i: i - (i % TILE),
  j: j - (j % TILE),
  k,
});

const kernels = (): readonly TutorialKernel[] => [
  {
    row: '004.8',
    id: 'transposed',
    text: t('The mapping of the tutorial: threadIdx.x indexes rows'),
    schedule: tiled('transposed'),
    verified: EDGES,
    rates: { row: '004.9', problem: size => integers(cube(size)), theirs: {} },
  },
  {
    row: '004.11',
    id: 'columns',
    text: t('The same tiles with threadIdx.x along columns'),
    schedule: tiled('2d'),
    verified: EDGES,
    rates: { row: '004.9', problem: size => integers(cube(size)), theirs: {} },
  },
];

export function loops(): Tutorial {
  return {
    name: 'loops',
    title: t('Tiled Matmul 101'),
    reproduces: t('Four loop nests with equal results, and the integer kernel that they lead to'),
    gpu: null,
    sizes: [1024],
    kernels: kernels(),
    rows: () => [...nestRows(), ...kernelRows()],
    listings: [
      listing('004.1', 'loops1', t('Loops 1'), nestOf(NESTS.loops1), EXTENTS),
      listing('004.2', 'loops2', t('Loops 2'), nestOf(NESTS.loops2), EXTENTS),
      listing(
        '004.3',
        'loops3',
        t('Loops 3, with corrected indices'),
        nestOf(NESTS.loops3),
        EXTENTS,
      ),
      listing(
        '004.4',
        'loops4',
        t('Loops 4, with corrected indices'),
        nestOf(NESTS.loops4),
        EXTENTS,
      ),
    ],
  };
}

function nestRows(): readonly Row[] {
  const result = (row: string, id: string, text: string, nest: string): Row => ({
    row,
    id,
    text,
    kind: 'equal',
    theirs: 0,
    ours: () => differing(nestOf(nest), EXTENTS),
  });
  return [
    result('004.1', 'loops1', t('Wrong elements of loops 1 (i, j, k)'), NESTS.loops1),
    result('004.2', 'loops2', t('Wrong elements of loops 2 (k, i, j)'), NESTS.loops2),
    {
      row: '004.3',
      id: 'printedRange',
      text: t('Products of loops 3 as printed, for M = N = K = {0}', SIZE),
      kind: 'reported',
      theirs: SIZE ** 3,
      ours: () => rangeLength(SIZE, TILE) ** 3,
      note: t(
        'The printed range(M, 16) starts at M and ends before 16, so the loop is empty. range(0, M, 16) is correct.',
      ),
    },
    {
      row: '004.3',
      id: 'printedIndices',
      text: t('Wrong elements with the printed indices of C'),
      kind: 'reported',
      theirs: 0,
      ours: () => differing(nestOf(NESTS.loops3), EXTENTS, printedIndices),
      note: t(
        'The printed C[i][j] lacks i0 and j0, so only the first element of each tile is written. C[i + i0][j + j0] is correct.',
      ),
    },
    result('004.3', 'loops3', t('Wrong elements of loops 3 with corrected indices'), NESTS.loops3),
    result('004.4', 'loops4', t('Wrong elements of loops 4 with corrected indices'), NESTS.loops4),
    {
      row: '004.4',
      id: 'loops4Kernel',
      text: t('Wrong elements of loops 4 as a CUDA kernel: i, j to the grid, i0, j0 to the block'),
      kind: 'equal',
      theirs: 0,
      ours: () => simulated(NESTS.loops4),
    },
    {
      row: '004.6',
      id: 'sharedKernel',
      text: t('The same with tiles of A and B in shared memory'),
      kind: 'equal',
      theirs: 0,
      ours: () => simulated(NESTS.shared),
    },
    {
      row: '004.5',
      id: 'parallel',
      text: t('Loops whose iterations may run in parallel'),
      kind: 'equal',
      theirs: 'i, j, i0, j0',
      ours: () => parallelLoops(nestOf(NESTS.loops4), EXTENTS).join(', '),
      note: t('Iterations of k and k0 add to the same element of C, so they run in sequence.'),
    },
  ];
}

/** Runs a nest as a CUDA kernel; returns the wrong elements, or the first race or other finding. */
function simulated(nest: string): Value {
  const { verification, findings } = simulateNest(nestKernel(nestOf(nest), EXTENTS, 'cuda'), SEED);
  return findings[0]?.message ?? verification.mismatches;
}

function kernelRows(): readonly Row[] {
  const problem = integers(cube(1024));
  const [transposed, columns] = [tiled('transposed'), tiled('2d')].map(schedule =>
    subjectOf(problem, schedule, DEFAULT_DEVICE),
  ) as [Subject, Subject];
  const { shared: tiles, tile } = transposed.kernel.plan as Extract<
    Subject['kernel']['plan'],
    { readonly family: 'simt' }
  >;
  return [
    {
      row: '004.6',
      id: 'sharedTiles',
      text: t('Tiles of A and B in shared memory'),
      kind: 'equal',
      theirs: '16 x 16, 16 x 16',
      ours: () => `${tile.m} x ${tile.k}, ${tile.k} x ${tile.n}`,
    },
    {
      row: '004.6',
      id: 'sharedBytes',
      text: t('Shared memory of both tiles'),
      kind: 'equal',
      theirs: null,
      unit: 'B',
      ours: () => (tiles?.a.bytes ?? 0) + (tiles?.b.bytes ?? 0),
    },
    ...kernels().map(({ row, id, text }): Row => ({
      row: id === 'transposed' ? row : '004.10',
      id: `${id}Result`,
      text: t('Wrong elements at 100 x 70 x 50: {0}', text),
      kind: 'equal',
      theirs: 0,
      ours: wrongElements(id),
      note: t('Elements outside A and B are zero. Integer results are exact.'),
    })),
    costRow('sectorsPrinted', t('Sectors per load of A, ideal {0}', idealOf(transposed)), () =>
      sectorsOf(transposed),
    ),
    costRow('sectorsColumns', t('The same with threadIdx.x along columns'), () =>
      sectorsOf(columns),
    ),
    costRow('wavefrontsPrinted', t('Wavefronts per load of the tile of A, ideal 1'), () =>
      wavefrontsOf(transposed),
    ),
    costRow('wavefrontsColumns', t('The same with threadIdx.x along columns'), () =>
      wavefrontsOf(columns),
    ),
  ];
}

const costRow = (id: string, text: string, ours: Row['ours']): Row => ({
  row: '004.11',
  id,
  text,
  kind: 'equal',
  theirs: null,
  ours,
});

const sectorsOf = ({ analysis }: Subject): number =>
  globalSite(analysis, 'a', 'load')?.sectorsPerRequest ?? NaN;
const idealOf = ({ analysis }: Subject): number =>
  globalSite(analysis, 'a', 'load')?.idealSectors ?? NaN;
const wavefrontsOf = ({ analysis }: Subject): number =>
  shared(analysis, 'a', 'load')?.wavefrontsPerRequest ?? NaN;
