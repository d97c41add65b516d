/** Types of the `wgmma` plan: operands loaded by TMA, warp groups, clusters and the epilogue. */
import type { KernelSchedule, Layout } from '../../spec/schema';
import type { DType } from '../../types/dtype';
import type { MatrixShape, Fp32Emulation } from '../plan';
import type { SourceName } from './wgmmaSource';

export interface BoxedOperand {
  /** Contiguous dimension in shared memory: K (`k`), or M of A and N of B (`mn`). */
  readonly major: 'k' | 'mn';
  /** Dimensions of the TMA box in elements, contiguous dimension first. */
  readonly box: readonly [inner: number, outer: number];
  /**
   * Swizzle width in bytes: 16-byte chunk c of row r is stored at c ^ (r * bytes / 128) % (bytes /
   * 16).
   */
  readonly swizzleBytes: 64 | 128;
  /** Bytes per tile in shared memory, regardless of the block that loads them. */
  readonly bytes: number;
  /**
   * Number of blocks in a cluster that share the tile. Each block loads an equal fraction and
   * multicasts it.
   */
  readonly share: number;
  /**
   * Repacked copy in the workspace that TMA can address, with the reason for the copy. `transposed`
   * means that the copy is transposed.
   */
  readonly repacked?: {
    readonly ld: number;
    readonly batchStride: number;
    readonly offsetBytes: number;
    readonly why: 'transposed' | 'ld' | 'batchStride' | 'split';
  };
}

/**
 * Box of C in shared memory. If C is row-major, each warp stages its 16 rows in boxes of 32 or 64
 * columns. If C is column-major, each warp group stages its 64 rows, transposed.
 */
interface StagedBox {
  readonly columns: 32 | 64;
  /** Dimensions of the box in elements, contiguous dimension of C first. */
  readonly box: readonly [inner: number, outer: number];
  readonly swizzleBytes: 64 | 128;
}

/**
 * Epilogue of `wgmma`. Either TMA (`tma`) or threads (`threads`) store boxes of C staged in shared
 * memory, or threads store from registers.
 */
export type WgmmaOutput =
  | (StagedBox & {
      readonly by: 'tma';
      /**
       * Number of store buffers per consumer. While TMA stores one buffer, the consumer fills
       * another buffer.
       */
      readonly buffers: number;
      /** Matrix that TMA loads into the buffers, and that the epilogue adds in place. */
      readonly source?: SourceName;
      /** Bytes before the boxes, which start at a multiple of `SWIZZLED_START`; absent if 0. */
      readonly paddingBytes?: number;
      readonly bytes: number;
    })
  | (StagedBox & {
      readonly by: 'threads';
      readonly bytes: number;
    })
  | { readonly by: 'registers' };

/**
 * Two-pass split-K. Each slice of a tile is a work item of the persistent blocks; a second kernel
 * reduces the FP32 partial results.
 */
export interface TwoPassPlan {
  readonly slices: number;
  /** Number of k-iterations per slice; the last slice may have fewer. */
  readonly iterations: number;
  /** Offset in bytes of the partial results in the workspace; repacked copies precede them. */
  readonly offsetBytes: number;
}

/**
 * Plan of a `wgmma` kernel. A producer warp group loads tiles by TMA, and consumers multiply them
 * on tensor cores. Without warp specialization (`tma`), one warp group does both; it counts as a
 * consumer. Blocks are persistent, except with split-K and without warp specialization.
 */
export interface WgmmaPlan {
  /** Element type of the instruction: the type of A and B, or of their split terms. */
  readonly element: DType;
  readonly fp32Emulation?: Fp32Emulation;
  /**
   * Number of split-K slices in a cluster, whose blocks compute the slices of one tile; 1 if
   * separate clusters compute the slices (`twoPass`).
   */
  readonly splitK: number;
  readonly twoPass?: TwoPassPlan;
  /**
   * Instruction that multiplies the tiles: `wgmma.mma_async`, which a warp group executes, or
   * `mma.sync`, whose fragments each warp loads with `ldmatrix`.
   */
  readonly instruction: 'wgmma' | 'mma';
  readonly shape: MatrixShape;
  /**
   * Operand order; `ba` swaps operands (swap-AB). Rows of the computed GEMM are then columns of C,
   * and its A is B.
   */
  readonly operandOrder: 'ab' | 'ba';
  readonly kernelSchedule: KernelSchedule;
  readonly consumers: number;
  /** Number of rows per consumer warp group (columns with swapped operands), a multiple of 64. */
  readonly rowsPerConsumer: number;
  readonly cluster: { readonly m: number; readonly n: number };
  readonly stages: number;
  /** Raster order, with `group` clusters along M (`row`) or along N (`col`) per raster group. */
  readonly raster: { readonly order: Layout; readonly group: number };
  readonly a: BoxedOperand;
  readonly b: BoxedOperand;
  readonly output: WgmmaOutput;
  /** Number of registers per thread after setmaxnreg; absent if setmaxnreg is not used. */
  readonly registers?: { readonly producer: number; readonly consumer: number };
  /** Number of launched blocks. Persistent blocks loop over the tiles of `grid`. */
  readonly blocks: number;
  readonly workspaceBytes: number;
}
