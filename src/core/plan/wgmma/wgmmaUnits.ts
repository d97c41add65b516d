/** Units of `wgmma` instructions and of TMA. */
import { limitsOf } from '../../hardware/computeCapability';
import type { ResolvedProblem } from '../../spec/resolved';

/** Rows (M) of a `wgmma` instruction (PTX ISA, "wgmma.mma_async"). */
export const GROUP_ROWS = 64;
/** Threads of a warp group. */
export const WARP_GROUP = 128;
/** Alignment of TMA addresses and strides in bytes (CUDA Driver API, "cuTensorMapEncodeTiled"). */
export const TMA_STRIDE_BYTES = 16;

/**
 * Alignment of TMA boxes with a 128-byte swizzle, in bytes: TMA derives the pattern from the
 * address.
 */
export const SWIZZLED_START = 1024;

const HOPPER = limitsOf('9.0');
export const HOPPER_SHARED_BYTES = HOPPER.sharedBytesPerBlockOptIn;

/** Returns the bytes of shared memory per block with which an SM holds `blocks` blocks. */
export const sharedBytesFor = (blocks: number): number =>
  HOPPER.sharedBytesPerSm / blocks - HOPPER.sharedBytesReservedPerBlock;

/** Returns the number of blocks with `bytes` of shared memory that an SM holds. */
export const blocksWith = (bytes: number): number =>
  Math.floor(HOPPER.sharedBytesPerSm / (bytes + HOPPER.sharedBytesReservedPerBlock));

/** Widths of TMA boxes in 16-bit elements. Loads use the largest width that divides the tile. */
export const PANEL = { wide: 64, narrow: 32 } as const;

/** Returns whether TMA does not support the batch stride. */
export const isBatchOff = (
  problem: ResolvedProblem,
  operand: 'a' | 'b' | 'c',
  unit: number,
): boolean => problem.batch > 1 && problem[operand].batchStride % unit !== 0;
