/** Block, warp and thread tiles as loops ("A description of a simple GEMM hierarchy"). */
import { t } from '@vscode/l10n';
import { DEFAULT_DEVICE } from '../hardware/devices';
import { countLines, forEachFma, missesOf } from '../nests/cacheLines';
import { iterationsOf, type LoopNest, type LoopProblem } from '../nests/nest';
import type { Schedule } from '../spec/schema';
import { listing } from './listing';
import { nestOf } from '../nests/text';
import { differing, iterationAt, type Index } from './nest';
import { subjectOf, wrongElements } from './subject';
import type { Row, Tutorial, TutorialKernel, Value } from './tutorial';

const PROBLEM = { m: 48, n: 128, k: 12, dtype: 's32' } as const satisfies LoopProblem;
const SIZES = { m: PROBLEM.m, n: PROBLEM.n, k: PROBLEM.k } as const;
const BLOCK = { m: 8, n: 32, k: 6 } as const;
const THREAD = { m: 4, n: 4 } as const;

const BLOCK_LOOPS = 'i:8@grid j:32@grid k:6';
const LISTINGS = {
  block: `${BLOCK_LOOPS} k i j`,
  warp: `${BLOCK_LOOPS} k:3 i:4@block j:8@block k i j@warp`,
  // A thread tile has the rows of its warp tile, so the loop over its rows is the innermost one.
  thread: `${BLOCK_LOOPS} i:4@block j:8@block k:3 k j:4@warp i j`,
} as const;

const BLOCK_TILES: Schedule = { algorithm: 'shared-tile', block: BLOCK };
const THREAD_TILES: Schedule = { algorithm: 'thread-tile-2d', block: BLOCK, thread: THREAD };
/** A warp has 32 lanes, so its tile is larger than the tutorial's. */
const WARP_TILES: Schedule = {
  algorithm: 'warp-tile',
  block: { m: 16, n: 64, k: BLOCK.k },
  warp: { m: 16, n: 32 },
  thread: THREAD,
};

const kernel = (
  row: string,
  id: string,
  text: string,
  schedule: Schedule,
  verified: TutorialKernel['verified'] = SIZES,
): TutorialKernel => ({ row, id, text, schedule, verified });

const kernels = (): readonly TutorialKernel[] => [
  kernel('000.3', 'block', t('Block tiles 8 x 32 x 6'), BLOCK_TILES),
  kernel('000.5', 'warp', t('Warp tiles 16 x 32 in block tiles 16 x 64 x 6'), WARP_TILES),
  kernel('000.8', 'thread', t('Thread tiles 4 x 4 in block tiles 8 x 32 x 6'), THREAD_TILES),
  kernel(
    '000.12',
    'masked',
    t('Thread tiles 4 x 4 at 100 x 70 x 50, which no tile divides'),
    THREAD_TILES,
    { m: 100, n: 70, k: 50 },
  ),
];

export function hierarchy(): Tutorial {
  return {
    name: 'hierarchy',
    title: t('A description of a simple GEMM hierarchy'),
    reproduces: t('Block, warp and thread tiles of 48 x 128 x 12 as loops, and their results'),
    gpu: null,
    sizes: [],
    kernels: kernels(),
    rows: () => [...tileRows(), ...resultRows(), ...cacheRows()],
    listings: [
      listing('000.3', 'block-tiles', t('Listing 1: block tiles'), nestOf(LISTINGS.block), PROBLEM),
      listing('000.16', 'warp-tiles', t('Listing 2: warp tiles'), nestOf(LISTINGS.warp), PROBLEM),
      listing(
        '000.10',
        'thread-tiles',
        t('Listing 3: thread tiles'),
        nestOf(LISTINGS.thread),
        PROBLEM,
      ),
    ],
  };
}

function tileRows(): readonly Row[] {
  const { tile, tiles, sharedBytes } = subjectOf(SIZES, BLOCK_TILES, DEFAULT_DEVICE).kernel.plan;
  const { thread } = subjectOf(SIZES, THREAD_TILES, DEFAULT_DEVICE).kernel.plan;
  const [warp, threads] = [nestOf(LISTINGS.warp), nestOf(LISTINGS.thread)];
  const warpTile = tileOf(warp, warp.slice(0, -3));
  const readers = warpsReadingA(warp);
  return [
    row('000.2', 'blockTile', t('Block tile'), '8 x 32 x 6', `${tile.m} x ${tile.n} x ${tile.k}`),
    row('000.3', 'blocks', t('Thread blocks along M and N'), '6 x 4', `${tiles.m} x ${tiles.n}`),
    {
      ...row('000.4', 'sharedBytes', t('Shared memory of the tiles of A and B'), null, sharedBytes),
      unit: 'B',
    },
    row('000.5', 'warpTile', t('Warp tile'), '4 x 8', warpTile.slice(0, 2).join(' x ')),
    row('000.5', 'warps', t('Warps along M and N of a block'), '2 x 4', warpCounts(warp)),
    row('000.6', 'warpK', t('K extent of a warp tile'), 3, warpTile[2] ?? NaN),
    row('000.7', 'reloads', t('Warps that read the same element of A'), 4, readers.length),
    row('000.7', 'readers', t('These warps, numbered along M'), '0, 2, 4, 6', readers.join(', ')),
    row(
      '000.8',
      'threadTile',
      t('Thread tile'),
      '4 x 4 x 1',
      tileOf(threads, threads.slice(0, -2)).join(' x '),
    ),
    row(
      '000.9',
      'reuse',
      t('FMAs of a thread per k, for the values that it loads'),
      null,
      `${thread.m * thread.n} / ${thread.m + thread.n}`,
    ),
  ];
}

function resultRows(): readonly Row[] {
  const result = (item: string, id: string, text: string, nest: string): Row => ({
    ...row(item, id, text, 0, 0),
    ours: () => differing(nestOf(nest), PROBLEM),
  });
  return [
    result('000.3', 'listing1', t('Wrong elements of listing 1 (block tiles)'), LISTINGS.block),
    result('000.5', 'listing2', t('Wrong elements of listing 2 (warp tiles)'), LISTINGS.warp),
    result('000.8', 'listing3', t('Wrong elements of listing 3 (thread tiles)'), LISTINGS.thread),
    result(
      '000.11',
      'innerProduct',
      t('Wrong elements with k innermost instead of k, i, j (outer product)'),
      `${BLOCK_LOOPS} i j k`,
    ),
    ...kernels().map(({ row: item, id, text }): Row => ({
      ...row(
        id === 'block' ? '000.1' : item,
        `${id}Result`,
        t('Wrong elements of the generated kernel: {0}', text),
        0,
        0,
      ),
      ours: wrongElements(id),
    })),
  ];
}

/** Holds half of a matrix of 64 x 64 elements, so that loop orders differ. */
const CACHE = { lineBytes: 64, lines: 128 } as const;

/** Cache misses of three loop orders; the tutorial refers to a page about them. */
function cacheRows(): readonly Row[] {
  const problem = { m: 64, n: 64, k: 64, dtype: 'f32' } as const;
  const misses = (nest: string) => (): number => missesOf(countLines(nestOf(nest), problem, CACHE));
  const text = (order: string): string =>
    t('Cache misses of the loops {0} at 64, in a cache of 8 KiB', order);
  return [
    { ...row('000.13', 'missesIjk', text('i, j, k'), null, 0), ours: misses('i j k') },
    { ...row('000.13', 'missesKij', text('k, i, j'), null, 0), ours: misses('k i j') },
    {
      ...row('000.13', 'missesTiled', t('The same with tiles of 16 x 16 x 16'), null, 0),
      ours: misses('i:16 j:16 k:16 i j k'),
    },
  ];
}

const row = (item: string, id: string, text: string, theirs: Value | null, ours: Value): Row => ({
  row: item,
  id,
  text,
  kind: 'equal',
  theirs,
  ours: () => ours,
});

/** Returns the extents along i, j and k of the FMAs in the first iteration of these loops. */
function tileOf(nest: LoopNest, loops: LoopNest): readonly number[] {
  const seen = { i: new Set<number>(), j: new Set<number>(), k: new Set<number>() };
  forEachFma(nest, PROBLEM, (i, j, k) => {
    if (loops.some(loop => iterationAt(nest, loop, { i, j, k }) !== 0)) return;
    seen.i.add(i);
    seen.j.add(j);
    seen.k.add(k);
  });
  return [seen.i.size, seen.j.size, seen.k.size];
}

const warpLoops = (nest: LoopNest): LoopNest => nest.filter(({ level }) => level === 'block');

const warpCounts = (nest: LoopNest): string =>
  warpLoops(nest)
    .map(loop => iterationsOf(nest, loop, PROBLEM))
    .join(' x ');

/** Returns the warps of the first block that read element A(0,0), numbered along M first. */
function warpsReadingA(nest: LoopNest): readonly number[] {
  const warps = new Set<number>();
  const grid = nest.filter(({ level }) => level === 'grid');
  const numberOf = (index: Index): number =>
    warpLoops(nest).reduceRight(
      (number, loop) => number * iterationsOf(nest, loop, PROBLEM) + iterationAt(nest, loop, index),
      0,
    );
  forEachFma(nest, PROBLEM, (i, j, k) => {
    const index = { i, j, k };
    if (i === 0 && k === 0 && grid.every(loop => iterationAt(nest, loop, index) === 0))
      warps.add(numberOf(index));
  });
  return [...warps].sort((one, other) => one - other);
}
