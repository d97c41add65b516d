/** Numbers of stages of candidate `wgmma` tiles. */
import { exchangedBytes, reducersOf } from '../../plan/wgmma/clusterSplit';
import { BARRIER_BYTES } from '../../plan/wgmma/specialization';
import { ACCUMULATORS_PER_COLUMN, STAGE_COUNTS } from '../../plan/wgmma/wgmma';
import { maxAccumulators } from '../../plan/wgmma/wgmmaRegisters';
import { SOURCE_BARRIER_BYTES, SOURCE_BUFFERS } from '../../plan/wgmma/wgmmaSource';
import {
  GROUP_ROWS,
  HOPPER_SHARED_BYTES,
  sharedBytesFor,
  WARP_GROUP,
} from '../../plan/wgmma/wgmmaUnits';
import type { Sides } from '../../plan/tileCount';
import { FLAT_EXTENT } from '../../cost/shapeClass';
import type { Quantities } from './wgmmaQuantities';

/** Tile of a computed GEMM with its warp groups. */
export interface CandidateTile extends Sides {
  readonly consumers: number;
  readonly isPingpong: boolean;
}

/** Columns of C per store buffer. */
const STORED_COLUMNS = 64;

/** Returns the number of accumulators per consumer thread. */
export const accumulatorsOf = ({ m, n, consumers, isPingpong }: CandidateTile): number =>
  ((isPingpong ? m : m / consumers) / GROUP_ROWS) * n * ACCUMULATORS_PER_COLUMN;

/** Returns whether the tile covers all columns of a `flat` problem. */
const isNarrow = ({ n }: Pick<CandidateTile, 'n'>): boolean => n <= FLAT_EXTENT;

/**
 * Returns the legal numbers of stages to consider. A narrow tile leaves a choice
 * (bench/h200-flat-fit.jsonl): the usual number, the number with which two blocks share an SM, and,
 * without split-K, all stages that fit.
 */
export function stageCountsOf(
  tile: CandidateTile,
  splitK: number,
  of: Quantities,
): readonly number[] {
  const usual = usualStages(tile, splitK, of);
  if (usual < STAGE_COUNTS.least) return [];
  if (!isNarrow(tile) || tile.isPingpong) return [usual];
  const fitting = (bytes: number): number =>
    Math.min(STAGE_COUNTS.most, Math.floor(bytes / (stageBytesOf(tile, of) + BARRIER_BYTES)));
  const half = fitting(sharedBytesFor(2));
  const least = splitK === 1 ? 1 : exchangedBytes(tile, splitK) / stageBytesOf(tile, of);
  const others = [half, ...(splitK === 1 ? [fitting(HOPPER_SHARED_BYTES)] : [])];
  return [
    usual,
    ...others.filter(
      (count, i) =>
        count !== usual &&
        count >= Math.max(STAGE_COUNTS.least, least) &&
        others.indexOf(count) === i,
    ),
  ];
}

const stageBytesOf = ({ m, n }: CandidateTile, { k, element }: Quantities): number =>
  (m + n) * k * element;

/**
 * Returns the number of stages that fit into shared memory, at most the usual one. Returns 0 if the
 * slices of split-K cannot reduce the tile: they have too many accumulators or too small stages.
 * Slices that do not reduce are considered only for narrow tiles, which the fit covers.
 */
export function usualStages(tile: CandidateTile, splitK: number, of: Quantities): number {
  const { m, n, consumers } = tile;
  const stageBytes = stageBytesOf(tile, of);
  const warps = (consumers * WARP_GROUP) / 32;
  const bufferBytes =
    consumers * GROUP_ROWS * of.outputBytes * Math.min(n, STORED_COLUMNS) +
    (of.source === undefined ? 0 : warps * SOURCE_BARRIER_BYTES);
  const storeBytes =
    splitK === 1 && of.isStaged ? (of.source === undefined ? 1 : SOURCE_BUFFERS) * bufferBytes : 0;
  const fit = Math.floor((HOPPER_SHARED_BYTES - storeBytes) / (stageBytes + BARRIER_BYTES));
  const stages = Math.min(fit, STAGE_COUNTS.usual);
  if (splitK === 1) return stages;
  const reduces =
    accumulatorsOf(tile) <= maxAccumulators(consumers, { ...of.limits, splitK }) &&
    (isNarrow(tile) || reducersOf(n, splitK) === splitK) &&
    exchangedBytes({ m, n }, splitK) <= stages * stageBytes;
  return reduces ? stages : 0;
}
