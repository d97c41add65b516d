/** Features of a `wgmma` kernel that correct its predicted time (wgmmaCorrection.ts). */
import { alignmentOf, type WarpGroupKernel } from './wgmmaKernel';
import type { WarpGroupPrediction } from './wgmmaModel';

const STORES = { aligned: 0, staged: 1, direct: 2 } as const;
const log2 = Math.log2;
const flag = (is: boolean): number => (is ? 1 : 0);

/** Returns the features by name. Extents are those of the computed GEMM. */
export function correctionFeatures(
  kernel: WarpGroupKernel,
  { milliseconds, parts, step, steps, clockMHz }: WarpGroupPrediction,
) {
  const { problem, tile, cluster, loads, clusters, resident } = kernel;
  const { m, n, k, a, b, c, batch } = problem;
  const rounds = clusters / resident;
  const residentBlocks = Math.min(clusters, resident) * kernel.clusterSize;
  const stageBytes = (tile.m + tile.n) * tile.k * kernel.elementBytes;
  const [ofA, ofB] = loads;
  return {
    problemM: log2(m),
    problemN: log2(n),
    problemK: log2(k),
    tileM: tile.m,
    tileN: tile.n,
    tileElements: tile.m * tile.n,
    consumers: kernel.consumers,
    isPingpong: flag(kernel.isPingpong),
    stages: kernel.stages,
    splitK: kernel.splitK,
    clusterM: cluster.m,
    clusterN: cluster.n,
    clusterSize: kernel.clusterSize,
    rounds,
    lastRound: rounds - Math.floor(rounds),
    filledRounds: rounds / Math.ceil(rounds),
    clusters: log2(clusters),
    residentBlocks,
    stageBytes: log2(stageBytes),
    bytesInFlight: log2(stageBytes * Math.min(kernel.stages, steps) * residentBlocks),
    stagesPerSteps: kernel.stages / steps,
    tilesM: Math.ceil(m / tile.m),
    tilesN: Math.ceil(n / tile.n),
    batch,
    steps,
    arrivalNanoseconds: step.arrival,
    arrivalPerProducts: step.arrival / step.products,
    latencyPerProducts: step.latency / step.products,
    clockMHz,
    milliseconds: log2(milliseconds),
    multiprocessorShare: parts.multiprocessors / milliseconds,
    dramShare: parts.dram / milliseconds,
    launchShare: parts.launch / milliseconds,
    prePassShare: parts.before / milliseconds,
    alignmentA: ofA?.alignment ?? 0,
    alignmentB: ofB?.alignment ?? 0,
    alignmentC: alignmentOf(c.ld, kernel.outputBytes),
    isNarrowA: flag(ofA?.isNarrow ?? false),
    isNarrowB: flag(ofB?.isNarrow ?? false),
    isKMajorA: flag(a.layout === 'row'),
    isKMajorB: flag(b.layout === 'col'),
    isRowC: flag(c.layout === 'row'),
    stores: STORES[kernel.stores],
    elementBytes: kernel.elementBytes,
    outputBytes: kernel.outputBytes,
    paddingM: (Math.ceil(m / tile.m) * tile.m) / m,
    paddingN: (Math.ceil(n / tile.n) * tile.n) / n,
    launch: flag(kernel.isProgrammatic) + flag(kernel.prefetches),
    twoPassSlices: kernel.twoPass?.slices ?? 1,
    reductionShare: parts.reduction / milliseconds,
  };
}
