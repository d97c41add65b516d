/**
 * Candidate `wgmma` schedules of a problem, with the quantities that predict their time. Candidates
 * are derived without planning, because a plan costs more than a prediction. A few may be illegal;
 * the caller plans the best ones.
 */
import { clusterSides, tileCount, type Sides } from '../../plan/tileCount';
import { swappedProblem, swappedSchedule } from '../../plan/swapAB';
import { residentClusters, STAGE_COUNTS } from '../../plan/wgmma/wgmma';
import { GROUP_ROWS } from '../../plan/wgmma/wgmmaUnits';
import { BOX_ROWS, MAX_PORTABLE_CLUSTER } from '../../plan/wgmma/wgmmaClusterRules';
import { GROUPS } from '../../plan/wgmma/wgmmaMoves';
import { maxAccumulators } from '../../plan/wgmma/wgmmaRegisters';
import { DTYPE_BYTES } from '../../types/dtype';
import { shapeClass } from '../../cost/shapeClass';
import { epilogueNanoseconds } from '../../cost/wgmma/epilogueTime';
import {
  blocksPerSm,
  inside,
  isAligned,
  rowsOf,
  storedLd,
  twoPassOf,
  type WarpGroupKernel,
} from '../../cost/wgmma/wgmmaKernel';
import { gateOf } from '../../spec/epilogue';
import { type ResolvedProblem, type ResolvedSchedule } from '../../spec/resolved';
import { STRIP_ROWS } from './wgmmaDefaults';
import { COLUMNS, quantitiesOf, type Quantities } from './wgmmaQuantities';
import { accumulatorsOf, stageCountsOf, usualStages, type CandidateTile } from './wgmmaStages';

export interface WarpGroupCandidate {
  readonly isSwapped: boolean;
  readonly kernel: WarpGroupKernel;
}

/** Returns the schedule of a candidate. It is separate, because most candidates need none. */
export function scheduleOf(candidate: WarpGroupCandidate): ResolvedSchedule {
  const { isSwapped, kernel } = candidate;
  const { tile, stages, isPingpong, consumers, cluster, twoPass, prefetches } = kernel;
  const splitK = twoPass?.slices ?? kernel.splitK;
  const computed: ResolvedSchedule = {
    algorithm: 'wgmma',
    block: tile,
    kernelSchedule: isPingpong ? 'pingpong' : 'cooperative',
    consumers,
    cluster,
    ...(splitK === 1 ? {} : { splitK }),
    ...(twoPass === undefined ? {} : { splitKReduction: 'two-pass' }),
    raster: {
      order: 'row',
      group: Math.max(1, Math.floor(STRIP_ROWS / (tile.m * cluster.m))),
    },
    stages,
    launch: prefetches ? 'prefetch' : 'programmatic',
  };
  return isSwapped ? swappedSchedule(computed) : computed;
}

const CLUSTERS: readonly Sides[] = [
  { m: 1, n: 1 },
  { m: 2, n: 1 },
  { m: 1, n: 2 },
  { m: 4, n: 1 },
  { m: 1, n: 4 },
];
/** Maximum number of blocks per SM that split-K creates. */
const SPLIT_K_WAVES = 2;

export function* warpGroupCandidates(
  problem: ResolvedProblem,
  device: string,
  multiprocessors: number,
): Generator<WarpGroupCandidate> {
  const at = { device, multiprocessors };
  for (const isSwapped of [false, true]) {
    const of = isSwapped ? swappedProblem(problem) : problem;
    if (!isSlowOrder(of)) yield* launched(of, isSwapped, at);
  }
}

/**
 * Returns whether the other order of the operands is faster: with few rows and an MN-major B.
 * Tiles of 64 rows were more than 1.5 % faster than narrow tiles at 3 of 59 such problems, and up
 * to 37 % slower (bench/h200-flat-fit.jsonl).
 */
const isSlowOrder = ({ m, n, b }: ResolvedProblem): boolean =>
  m < n && shapeClass({ m, n }) === 'flat' && b.layout === 'row';

interface At {
  readonly device: string;
  readonly multiprocessors: number;
}

/**
 * Yields the candidates of a computed GEMM. Kernels of `flat` problems also run with weight
 * prefetch, which saves a part of their short time.
 */
function* launched(
  problem: ResolvedProblem,
  isSwapped: boolean,
  at: At,
): Generator<WarpGroupCandidate> {
  const mayPrefetch = shapeClass(problem) === 'flat' && gateOf(problem) === undefined;
  for (const candidate of computed(problem, isSwapped, at)) {
    yield candidate;
    const { kernel } = candidate;
    if (mayPrefetch && kernel.prePass.launches === 0)
      yield { isSwapped, kernel: { ...kernel, prefetches: true } };
  }
}

function* computed(
  problem: ResolvedProblem,
  isSwapped: boolean,
  at: At,
): Generator<WarpGroupCandidate> {
  const of = quantitiesOf(problem);
  for (const tile of tilesOf(of)) {
    const twoPassStages = twoPassStagesOf(tile, of);
    const stagesBySlices: (readonly number[])[] = [];
    for (const cluster of clustersOf(tile, of)) {
      const most = mostSlices(tile, cluster, of, at);
      for (let splitK = 1; splitK <= most; splitK++) {
        for (const stages of (stagesBySlices[splitK] ??= stageCountsOf(tile, splitK, of))) {
          const kernel = kernelOf(tile, { cluster, splitK, stages }, of, at);
          // With one tile per block, the second consumer of a ping-pong block would be idle.
          if (tile.isPingpong && kernel.clusters <= kernel.resident) continue;
          yield { isSwapped, kernel };
        }
      }
      if (twoPassStages < STAGE_COUNTS.least) continue;
      const slices = twoPassSlices(tile, cluster, of, at);
      if (slices === 1) continue;
      const kernel = kernelOf(tile, { cluster, splitK: 1, stages: twoPassStages }, of, at);
      yield { isSwapped, kernel: inTwoPasses(kernel, slices) };
    }
  }
}

/**
 * Returns the number of stages with two-pass split-K, which stores partial results from registers.
 * Returns 0 for ping-pong, which two-pass split-K does not support, and for too many accumulators.
 */
function twoPassStagesOf(tile: CandidateTile, of: Quantities): number {
  const limits = { storesColumns: of.problem.c.layout === 'col' };
  return tile.isPingpong || accumulatorsOf(tile) > maxAccumulators(tile.consumers, limits)
    ? 0
    : usualStages(tile, 1, { ...of, isStaged: false });
}

/** Minimum k-iterations per slice of two-pass split-K, whose blocks fill their pipelines first. */
const TWO_PASS_STEPS = 8;

/**
 * Returns the number of slices of two-pass split-K with which the blocks fill the SMs once; 1 if
 * K cannot be split. Fewer slices were slower (bench/h200-wgmma-choice.jsonl).
 */
function twoPassSlices(
  tile: CandidateTile,
  cluster: Sides,
  { problem, k }: Quantities,
  { multiprocessors }: At,
): number {
  const tiles = tileCount(problem, clusterSides(tile, cluster));
  const blocks = tiles.m * tiles.n * cluster.m * cluster.n * problem.batch;
  const steps = Math.ceil(problem.k / k);
  const most = Math.min(Math.floor(multiprocessors / blocks), Math.floor(steps / TWO_PASS_STEPS));
  // No slice is empty.
  return most < 2 ? 1 : Math.ceil(steps / Math.ceil(steps / most));
}

/** Returns the kernel with slices in the grid, which store partial results in FP32. */
function inTwoPasses(kernel: WarpGroupKernel, slices: number): WarpGroupKernel {
  const { problem } = kernel;
  const twoPass = twoPassOf(problem, slices);
  const outputBytes = DTYPE_BYTES.f32;
  return {
    ...kernel,
    outputBytes,
    stores: isAligned(storedLd(problem, { twoPass }), outputBytes) ? 'aligned' : 'direct',
    clusters: kernel.clusters * slices,
    epilogueNanoseconds: 0,
    twoPass,
  };
}

function* tilesOf({ problem, panel, limits, k }: Quantities): Generator<CandidateTile> {
  const steps = Math.ceil(problem.k / k);
  for (const { m, kernelSchedule, consumers } of GROUPS) {
    if (m > GROUP_ROWS && m - GROUP_ROWS >= problem.m) continue;
    const isPingpong = kernelSchedule === 'pingpong';
    if (isPingpong && isSlowPingpong(m, steps)) continue;
    for (const n of widthsOf(problem.n, panel)) {
      const tile = { m, n, consumers, isPingpong };
      if (accumulatorsOf(tile) <= maxAccumulators(consumers, limits)) yield tile;
    }
  }
}

/** Maximum number of k-iterations for which ping-pong with 64-row tiles is a candidate. */
const MAX_SHORT_STEPS = 12;

/**
 * Returns whether ping-pong is slower than one consumer with the same tile. With 64 rows, it was
 * faster only if the epilogue is long in relation to the main loop (bench/h200-random-fit.jsonl).
 */
export const isSlowPingpong = (rows: number, steps: number): boolean =>
  rows === GROUP_ROWS && steps > MAX_SHORT_STEPS;

/** Returns the clusters that are not larger than C, and whose blocks load whole boxes of B. */
function clustersOf(tile: CandidateTile, { problem }: Quantities): readonly Sides[] {
  const tiles = tileCount(problem, tile);
  return CLUSTERS.filter(
    ({ m, n }) => m <= tiles.m && n <= tiles.n && tile.n % (BOX_ROWS.unit * m) === 0,
  );
}

/** Returns the largest number of split-K slices for which each slice has two k-iterations. */
function mostSlices(
  tile: CandidateTile,
  cluster: Sides,
  { problem, k }: Quantities,
  { multiprocessors }: At,
): number {
  if (tile.isPingpong) return 1;
  const tiles = tileCount(problem, tile);
  const most = Math.min(
    MAX_PORTABLE_CLUSTER / (cluster.m * cluster.n),
    Math.floor(Math.ceil(problem.k / k) / 2),
    Math.floor((SPLIT_K_WAVES * multiprocessors) / (tiles.m * tiles.n * problem.batch)),
  );
  return Math.max(1, most);
}

function kernelOf(
  { m, n, consumers, isPingpong }: CandidateTile,
  {
    cluster,
    splitK,
    stages,
  }: { readonly cluster: Sides; readonly splitK: number; readonly stages: number },
  of: Quantities,
  at: At,
): WarpGroupKernel {
  const { problem, k, element } = of;
  const along = tileCount(problem, clusterSides({ m, n }, cluster));
  const clusterSize = cluster.m * cluster.n * splitK;
  return {
    problem,
    tile: { m, n, k },
    splitK,
    stages,
    consumers,
    isPingpong,
    isProgrammatic: true,
    prefetches: false,
    cluster,
    clusterSize,
    clusters: along.m * along.n * problem.batch,
    resident: residentClusters(
      at.device,
      clusterSize,
      blocksPerSm({ tile: { m, n, k }, splitK, stages, consumers, elementBytes: element }),
    ),
    elementBytes: element,
    outputBytes: of.outputBytes,
    stores: storedRows(of, n, splitK),
    epilogueNanoseconds: epilogueNanoseconds(problem, {
      source: splitK === 1 && n >= COLUMNS.least ? of.source : undefined,
      isPingpong,
    }),
    loads: [
      rowsOf({
        alignment: of.a,
        bytes: m * k * element,
        share: inside(problem.m, m),
        sharers: cluster.n,
        isNarrow: false,
      }),
      rowsOf({
        alignment: of.b,
        bytes: n * k * element,
        share: inside(problem.n, n),
        sharers: cluster.m,
        isNarrow: of.panel === COLUMNS.panel && n % COLUMNS.widePanel !== 0,
      }),
    ],
    products: 1,
    prePass: of.prePass,
    compulsoryBytes: of.compulsoryBytes,
    flops: of.flops,
  };
}

const storedRows = (
  { storesAligned, isStaged }: Quantities,
  columns: number,
  splitK: number,
): WarpGroupKernel['stores'] => {
  if (storesAligned) return 'aligned';
  return isStaged && splitK === 1 && columns >= COLUMNS.least ? 'staged' : 'direct';
};

/**
 * Returns the tile widths: for each number of tiles along N, the narrowest width that covers N.
 * Narrow matrices have a single width.
 */
function widthsOf(n: number, panel: number): readonly number[] {
  const least = Math.min(COLUMNS.least, Math.ceil(n / panel) * panel);
  const widths = new Set<number>();
  for (let width = COLUMNS.most; width >= least; width -= panel) {
    const narrowest = Math.ceil(n / Math.ceil(n / width) / panel) * panel;
    widths.add(Math.max(narrowest, least));
  }
  return [...widths];
}
