/**
 * Candidate `wgmma` schedules of a problem, with the quantities that predict their time. Candidates
 * are derived without planning, because a plan costs more than a prediction. A few may be illegal;
 * the caller plans the best ones.
 */
import { clusterSides, tileCount, type Sides } from '../../plan/tileCount';
import { compulsoryBytes } from '../../plan/traffic';
import { swappedProblem, swappedSchedule } from '../../plan/swapAB';
import {
  BARRIER_BYTES,
  GROUP_ROWS,
  HOPPER_SHARED_BYTES,
  REPACKED_PITCH_BYTES,
  TMA_STRIDE_BYTES,
  residentClusters,
  STAGE_COUNTS,
} from '../../plan/wgmma/wgmma';
import { GROUPS } from '../../plan/wgmma/wgmmaMoves';
import { maxAccumulators } from '../../plan/wgmma/wgmmaRegisters';
import { DTYPE_BYTES } from '../../types/dtype';
import {
  alignmentOf,
  inside,
  isAligned,
  LINE_BYTES,
  type LoadedRows,
  type WarpGroupKernel,
} from '../../cost/wgmma/wgmmaKernel';
import { flops, type ResolvedProblem, type ResolvedSchedule } from '../../spec/resolved';

export interface WarpGroupCandidate {
  readonly isSwapped: boolean;
  readonly consumers: number;
  readonly cluster: Sides;
  readonly kernel: WarpGroupKernel;
}

/** Returns the schedule of a candidate. It is separate, because most candidates need none. */
export function scheduleOf(candidate: WarpGroupCandidate): ResolvedSchedule {
  const { isSwapped, consumers, cluster, kernel } = candidate;
  const { tile, splitK, stages, isPingpong } = kernel;
  const computed: ResolvedSchedule = {
    algorithm: 'wgmma',
    block: tile,
    kernelSchedule: isPingpong ? 'pingpong' : 'cooperative',
    consumers,
    cluster,
    ...(splitK === 1 ? {} : { splitK }),
    raster: {
      order: 'row',
      group: Math.max(1, Math.floor(STRIP_ROWS / (tile.m * cluster.m))),
    },
    stages,
    launch: 'programmatic',
  };
  return isSwapped ? swappedSchedule(computed) : computed;
}

/** Bytes of a row of a shared tile, equal to the widest swizzle width of TMA. */
const ROW_BYTES = 128;
const COLUMNS = { step: 8, panel: 32, widePanel: 64, least: 32, most: 256 } as const;
const CLUSTERS: readonly Sides[] = [
  { m: 1, n: 1 },
  { m: 2, n: 1 },
  { m: 1, n: 2 },
  { m: 4, n: 1 },
  { m: 1, n: 4 },
];
const MAX_CLUSTER = 8;
/** Maximum number of rows of C for which swap-AB is a candidate. */
const MAX_SWAP_AB_ROWS = 128;
/** Maximum number of blocks per SM that split-K creates. */
const SPLIT_K_WAVES = 2;
const STRIP_ROWS = 2048;

export function* warpGroupCandidates(
  problem: ResolvedProblem,
  device: string,
  multiprocessors: number,
): Generator<WarpGroupCandidate> {
  const at = { device, multiprocessors };
  const { m, n, c } = problem;
  if (c.layout === 'row' || n <= MAX_SWAP_AB_ROWS) yield* computed(problem, false, at);
  if (c.layout === 'col' || m <= MAX_SWAP_AB_ROWS)
    yield* computed(swappedProblem(problem), true, at);
}

interface At {
  readonly device: string;
  readonly multiprocessors: number;
}

function* computed(
  problem: ResolvedProblem,
  isSwapped: boolean,
  at: At,
): Generator<WarpGroupCandidate> {
  const of = quantitiesOf(problem);
  const k = ROW_BYTES / of.element;
  const steps = Math.ceil(problem.k / k);
  for (const { m, kernelSchedule, consumers } of GROUPS) {
    if (m > GROUP_ROWS && m - GROUP_ROWS >= problem.m) continue;
    const isPingpong = kernelSchedule === 'pingpong';
    const rows = isPingpong ? m : m / consumers;
    for (const n of widthsOf(problem.n, of.panel)) {
      const accumulators = (rows / GROUP_ROWS) * (n / 2);
      const tiles = tileCount(problem, { m, n });
      const count = tiles.m * tiles.n * problem.batch;
      const stageBytes = (m + n) * k * of.element;
      const fraction = { m: inside(problem.m, m), n: inside(problem.n, n) };
      for (const cluster of CLUSTERS) {
        if (cluster.m > tiles.m || cluster.n > tiles.n || n % (8 * cluster.m) !== 0) continue;
        const blocks = cluster.m * cluster.n;
        const along = tileCount(problem, clusterSides({ m, n }, cluster));
        const clusters = along.m * along.n * problem.batch;
        // With one tile per block, the second consumer of a ping-pong block would be idle.
        if (isPingpong && clusters <= residentOf(at, blocks)) continue;
        const mostSlices = isPingpong
          ? 1
          : Math.min(
              MAX_CLUSTER / blocks,
              Math.floor(steps / 2),
              Math.floor((SPLIT_K_WAVES * at.multiprocessors) / count),
            );
        for (let splitK = 1; splitK <= Math.max(1, mostSlices); splitK++) {
          if (accumulators > maxAccumulators(consumers, { ...of.limits, splitK })) continue;
          if (splitK > 1 && (n / 8) % splitK !== 0) continue;
          const output =
            splitK === 1 && of.storesByTma ? consumers * GROUP_ROWS * 2 * Math.min(n, 64) : 0;
          const fit = Math.floor((HOPPER_SHARED_BYTES - output) / (stageBytes + BARRIER_BYTES));
          const stages = Math.min(fit, STAGE_COUNTS.usual);
          if (stages < STAGE_COUNTS.least) continue;
          if (splitK > 1 && Math.ceil((m * n * 4) / stageBytes) > stages) continue;
          const size = blocks * splitK;
          const kernel: WarpGroupKernel = {
            problem,
            tile: { m, n, k },
            splitK,
            stages,
            isPingpong,
            isProgrammatic: true,
            clusterSize: size,
            clusters,
            resident: residentOf(at, size),
            elementBytes: of.element,
            outputBytes: of.outputBytes,
            storesAligned: of.storesAligned,
            loads: [
              rowsOf(of.a, fraction.m * m * k * of.element, cluster.n),
              rowsOf(of.b, fraction.n * n * k * of.element, cluster.m),
            ],
            products: 1,
            prePass: of.prePass,
            compulsoryBytes: of.compulsoryBytes,
            flops: of.flops,
          };
          yield { isSwapped, consumers, cluster, kernel };
        }
      }
    }
  }
}

const rowsOf = (
  alignment: LoadedRows['alignment'],
  bytes: number,
  sharers: number,
): LoadedRows => ({
  alignment,
  count: bytes / sharers / LINE_BYTES,
  isShared: sharers > 1,
});

const known = new Map<string, number>();
function residentOf({ device }: At, size: number): number {
  const key = `${device} ${size}`;
  const found = known.get(key) ?? residentClusters(device, size);
  known.set(key, found);
  return found;
}

/**
 * Returns the tile widths, at most `COLUMNS.most`: for each number of tiles along N, the narrowest
 * width that covers N.
 */
function widthsOf(n: number, panel: number): readonly number[] {
  const least = n < COLUMNS.least ? Math.ceil(n / panel) * panel : COLUMNS.least;
  const widths = new Set<number>();
  for (let count = Math.ceil(n / COLUMNS.most); ; count++) {
    const width = Math.ceil(n / count / panel) * panel;
    if (width <= COLUMNS.most) widths.add(Math.max(width, least));
    if (width <= least) return [...widths];
  }
}

/** Returns the quantities that all candidates of a computed GEMM share. */
function quantitiesOf(problem: ResolvedProblem) {
  const { a, b, c, m, n, k, batch, beta } = problem;
  const element = DTYPE_BYTES[a.dtype];
  const outputBytes = DTYPE_BYTES[c.dtype];
  const isTransposable = element === 2;
  const unit = TMA_STRIDE_BYTES / element;
  const copyOf = (
    ld: number,
    stride: number,
    {
      isKMajor,
      outer,
      inner,
    }: { readonly isKMajor: boolean; readonly outer: number; readonly inner: number },
  ) => {
    const isTurned = !isKMajor && !isTransposable;
    const isOff = ld % unit !== 0 || (batch > 1 && stride % unit !== 0);
    if (!isTurned && !isOff) return { alignment: alignmentOf(ld, element), launches: 0, bytes: 0 };
    const pitch = REPACKED_PITCH_BYTES / element;
    const [rows, columns] = isTurned ? [inner, outer] : [outer, inner];
    const copied = rows * Math.ceil(columns / pitch) * pitch;
    return {
      alignment: LINE_BYTES as LoadedRows['alignment'],
      launches: 1,
      bytes: batch * (outer * inner + copied) * element,
    };
  };
  const aIsK = a.layout === 'row';
  const bIsK = b.layout === 'col';
  const ofA = copyOf(a.ld, a.batchStride, {
    isKMajor: aIsK,
    outer: aIsK ? m : k,
    inner: aIsK ? k : m,
  });
  const ofB = copyOf(b.ld, b.batchStride, {
    isKMajor: bIsK,
    outer: bIsK ? n : k,
    inner: bIsK ? k : n,
  });
  const storesAligned = isAligned(c.ld, outputBytes);
  return {
    element,
    outputBytes,
    a: ofA.alignment,
    b: ofB.alignment,
    panel: bIsK || !isTransposable ? COLUMNS.step : COLUMNS.panel,
    storesAligned,
    storesByTma: outputBytes === 2 && beta === 0 && c.layout === 'row' && storesAligned,
    limits: { storesColumns: c.layout === 'col' },
    prePass: { launches: ofA.launches + ofB.launches, bytes: ofA.bytes + ofB.bytes },
    compulsoryBytes: compulsoryBytes(problem),
    flops: flops(problem),
  };
}
