/** Quantities of a `wgmma` kernel that determine its predicted time. */
import { withoutGate } from '../../plan/gated';
import { compulsoryBytes, epilogueBytes } from '../../plan/traffic';
import { productsOf } from '../../spec/epilogue';
import type { WarpGroupPlan } from '../../plan/plan';
import { clustersOf, computedTile, residentClusters } from '../../plan/wgmma/wgmma';
import { reducersOf } from '../../plan/wgmma/clusterSplit';
import { BARRIER_BYTES } from '../../plan/wgmma/specialization';
import { isProgrammaticLaunch } from '../../plan/wgmma/weightPrefetch';
import { blocksWith, TMA_STRIDE_BYTES } from '../../plan/wgmma/wgmmaUnits';
import type { BoxedOperand, WgmmaPlan } from '../../plan/wgmma/wgmmaPlan';
import type { SourceName } from '../../plan/wgmma/wgmmaSource';
import { repackedBytes } from '../../plan/wgmma/wgmmaTwoPass';
import { swappedProblem } from '../../plan/swapAB';
import type { Sides } from '../../plan/tileCount';
import { DTYPE_BYTES } from '../../types/dtype';
import { epilogueNanoseconds } from './epilogueTime';
import { extent, flops, type ResolvedProblem } from '../../spec/resolved';

/** Bytes that TMA copies per row of a box, at most; also the width of a cache line. */
export const LINE_BYTES = 128;
/** Bytes per sector of a cache line, the unit of L2 accesses. */
export const SECTOR_BYTES = 32;
export const ALIGNMENTS = [16, 32, 64, 128] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

/** Rows that a block loads per k-iteration for one operand. */
export interface LoadedRows {
  /** Common alignment of the rows in bytes; at most a cache line. */
  readonly alignment: Alignment;
  /**
   * Number of rows inside the matrix in units of `LINE_BYTES`. Blocks of a cluster share the load
   * of a tile.
   */
  readonly count: number;
  /** Number of rows outside of the matrix, which TMA fills with zeros. */
  readonly padded: number;
  /** Whether the tile is shared by multicast. */
  readonly isShared: boolean;
  /** Whether rows of a TMA box have half of `LINE_BYTES`. */
  readonly isNarrow: boolean;
}

/**
 * How the epilogue stores rows of C: `aligned` if they are multiples of 16 bytes, so that TMA or
 * vector stores apply; otherwise `staged` in shared memory, or `direct` from registers.
 */
export type StoredRows = 'aligned' | 'staged' | 'direct';

/** All extents are those of the computed GEMM, that is, after swapping operands. */
export interface WarpGroupKernel {
  readonly problem: ResolvedProblem;
  readonly tile: Readonly<Record<'m' | 'n' | 'k', number>>;
  /** Number of split-K slices that a cluster reduces. */
  readonly splitK: number;
  /** Two-pass split-K: slices that separate clusters compute, and bytes of the reduction kernel. */
  readonly twoPass?: { readonly slices: number; readonly reducedBytes: number };
  readonly stages: number;
  readonly consumers: number;
  readonly isPingpong: boolean;
  readonly isProgrammatic: boolean;
  /** Whether the kernel loads weights into the L2 cache while the previous kernel ends. */
  readonly prefetches: boolean;
  /** Blocks of a cluster along M and N, without split-K slices. */
  readonly cluster: Sides;
  /** Blocks per cluster, including split-K slices. */
  readonly clusterSize: number;
  /** Cluster tiles, one per slice with two-pass split-K, and clusters resident on the device. */
  readonly clusters: number;
  readonly resident: number;
  readonly elementBytes: number;
  /** Bytes per element that the epilogue stores: of C, or of a partial result. */
  readonly outputBytes: number;
  readonly stores: StoredRows;
  /** Nanoseconds per element of a tile for the operations of the epilogue. */
  readonly epilogueNanoseconds: number;
  readonly loads: readonly LoadedRows[];
  /** Number of split products of FP32 emulation, with the interval of the FP32 promotion. */
  readonly products: number;
  readonly promotion?: number;
  readonly prePass: { readonly launches: number; readonly bytes: number };
  readonly compulsoryBytes: number;
  readonly flops: number;
}

export function kernelOf({ spec, tile, dtypes, wgmma }: WarpGroupPlan): WarpGroupKernel {
  const { problem: given, schedule, device } = spec;
  const { splitK, stages, element, fp32Emulation, operandOrder, twoPass } = wgmma;
  const isSwapped = operandOrder === 'ba';
  // A gate costs as much as one product with all columns of both B; it stores half of them.
  const gated = productsOf(given);
  const problem = isSwapped ? swappedProblem(given) : withoutGate(given);
  const { size, count } = clustersOf(given, tile, wgmma);
  const [a, b] = isSwapped ? [wgmma.b, wgmma.a] : [wgmma.a, wgmma.b];
  const { n, ...sides } = computedTile(wgmma, tile);
  const computed = { ...sides, n: gated * n };
  const elementBytes = DTYPE_BYTES[element];
  const outputBytes = DTYPE_BYTES[twoPass === undefined ? dtypes.c : 'f32'];
  const repacked = (['a', 'b'] as const).filter(operand => wgmma[operand].repacked !== undefined);
  const read = repacked.reduce((sum, operand) => {
    const { rows, columns } = extent(given, operand);
    return sum + given.batch * rows * columns * DTYPE_BYTES[given[operand].dtype];
  }, 0);
  return {
    problem,
    tile: computed,
    splitK,
    ...(twoPass === undefined ? {} : { twoPass: twoPassOf(given, twoPass.slices) }),
    stages,
    consumers: wgmma.consumers,
    isPingpong: wgmma.kernelSchedule === 'pingpong',
    isProgrammatic: isProgrammaticLaunch(schedule),
    prefetches: schedule.launch === 'prefetch',
    cluster: isSwapped ? { m: wgmma.cluster.n, n: wgmma.cluster.m } : wgmma.cluster,
    clusterSize: size,
    clusters: count,
    resident: residentClusters(
      device,
      size,
      blocksPerSm({
        tile: computed,
        splitK,
        stages,
        consumers: wgmma.consumers,
        elementBytes,
      }),
    ),
    elementBytes,
    outputBytes: outputBytes / gated,
    stores: isAligned(storedLd(isSwapped ? problem : given, wgmma), outputBytes)
      ? 'aligned'
      : wgmma.output.by === 'threads'
        ? 'staged'
        : 'direct',
    epilogueNanoseconds:
      twoPass === undefined
        ? epilogueNanoseconds(problem, {
            source: sourceIn(wgmma),
            isPingpong: wgmma.kernelSchedule === 'pingpong',
          })
        : 0,
    loads: [
      loadedRows(a, {
        ld: problem.a.ld,
        bytes: elementBytes,
        share: inside(problem.m, computed.m),
      }),
      loadedRows(b, {
        ld: problem.b.ld,
        bytes: elementBytes,
        share: inside(problem.n, computed.n),
      }),
    ],
    products: fp32Emulation?.products.length ?? 1,
    ...(fp32Emulation === undefined ? {} : { promotion: fp32Emulation.promotion }),
    prePass: { launches: repacked.length, bytes: read + repackedBytes(wgmma) },
    compulsoryBytes: compulsoryBytes(given),
    flops: flops(given),
  };
}

type Occupied = Pick<WarpGroupKernel, 'tile' | 'splitK' | 'stages' | 'consumers' | 'elementBytes'>;

/**
 * Returns the number of blocks that an SM holds. Blocks that loop over tiles fill the SMs once.
 * Registers of several consumers fill an SM. Kernels whose slices all reduce are counted with one
 * block per SM, as in the fit of the time model.
 */
export function blocksPerSm(kernel: Occupied): number {
  const { tile, splitK, stages, consumers, elementBytes } = kernel;
  if (consumers > 1 || reducersOf(tile.n, splitK) === splitK) return 1;
  const stageBytes = (tile.m + tile.n) * tile.k * elementBytes + BARRIER_BYTES;
  return Math.max(1, blocksWith(stages * stageBytes));
}

/** Returns the matrix that TMA loads into the store boxes. */
const sourceIn = ({ output }: Pick<WgmmaPlan, 'output'>): SourceName | undefined =>
  output.by === 'tma' ? output.source : undefined;

/** Returns the leading dimension that the epilogue stores to: of C, or of the partial results. */
export const storedLd = (
  { m, n, c }: ResolvedProblem,
  { twoPass }: { readonly twoPass?: unknown },
): number => (twoPass === undefined ? c.ld : c.layout === 'row' ? n : m);

/**
 * The reduction kernel reads all partial results, the operands of the epilogue and, if beta is not
 * 0, C, and writes C.
 */
export function twoPassOf(
  problem: ResolvedProblem,
  slices: number,
): NonNullable<WarpGroupKernel['twoPass']> {
  const { m, n, batch, c, beta } = problem;
  const bytes = slices * DTYPE_BYTES.f32 + (beta === 0 ? 1 : 2) * DTYPE_BYTES[c.dtype];
  return { slices, reducedBytes: batch * m * n * bytes + epilogueBytes(problem) };
}

export const isAligned = (elements: number, bytes: number): boolean =>
  (elements * bytes) % TMA_STRIDE_BYTES === 0;

/** Average fraction of a tile that is inside the matrix. TMA fills the rest with zeros. */
export const inside = (extentOf: number, side: number): number =>
  extentOf / (Math.ceil(extentOf / side) * side);

export function alignmentOf(ld: number, bytes: number): Alignment {
  const rest = (ld * bytes) % LINE_BYTES;
  return ALIGNMENTS.findLast(alignment => rest % alignment === 0) ?? TMA_STRIDE_BYTES;
}

interface Rows {
  readonly ld: number;
  readonly bytes: number;
  readonly share: number;
}

const loadedRows = (
  { bytes, share: sharers, repacked, swizzleBytes }: BoxedOperand,
  { ld, bytes: element, share }: Rows,
): LoadedRows =>
  rowsOf({
    alignment: alignmentOf(repacked?.ld ?? ld, element),
    bytes,
    share,
    sharers,
    isNarrow: swizzleBytes < LINE_BYTES,
  });

export interface LoadedTile extends Pick<LoadedRows, 'alignment' | 'isNarrow'> {
  readonly bytes: number;
  /** Fraction of the tile that is inside the matrix. */
  readonly share: number;
  /** Blocks of the cluster that load equal parts of the tile. */
  readonly sharers: number;
}

/** Returns the rows that each block loads of a tile. */
export const rowsOf = ({ alignment, bytes, share, sharers, isNarrow }: LoadedTile): LoadedRows => ({
  alignment,
  count: (share * bytes) / sharers / LINE_BYTES,
  padded: ((1 - share) * bytes) / sharers / LINE_BYTES,
  isShared: sharers > 1,
  isNarrow,
});
