/** The plan of `wgmma` kernels: tiles that TMA loads, warp groups, clusters and the epilogue. */
import type { Layout } from '../../spec/schema';
import type { DType } from '../../types/dtype';
import type { MatrixShape, Fp32Emulation } from '../plan';

/** An operand of `wgmma` as loaded into shared memory by TMA. */
export interface BoxedOperand {
  /** Contiguous index: K, or the rows of A and columns of B. */
  readonly major: 'k' | 'mn';
  /** TMA box in elements, the contiguous index first. */
  readonly box: readonly [inner: number, outer: number];
  /**
   * Swizzle span in bytes: 16-byte chunk c of row r is stored at c ^ (r * bytes / 128) % (bytes /
   * 16).
   */
  readonly swizzleBytes: 64 | 128;
  /** Bytes per tile, whichever block of the cluster loads them. */
  readonly bytes: number;
  /** Number of blocks of a cluster that each load a part of the tile for all of them. */
  readonly share: number;
  /**
   * Repacked copy that TMA can address: leading dimension, offset in the workspace, and reason;
   * `turned` is transposed.
   */
  readonly relaid?: {
    readonly ld: number;
    readonly batchStride: number;
    readonly offsetBytes: number;
    readonly why: 'turned' | 'ld' | 'batchStride' | 'split';
  };
}

/**
 * Epilogue of `wgmma`: TMA stores boxes staged in shared memory, or threads store from registers.
 */
export type WgmmaOutput =
  | {
      readonly by: 'tma';
      /** Columns per box of 64 rows. */
      readonly columns: 32 | 64;
      readonly swizzleBytes: 64 | 128;
      /** Store buffers per consumer, so that one is filled while others are stored. */
      readonly buffers: number;
      readonly bytes: number;
    }
  | { readonly by: 'registers' };

/**
 * `wgmma`: a producer warp group loads tiles by TMA, and consumers multiply them on tensor cores;
 * blocks are persistent.
 */
export interface WgmmaPlan {
  /** Element type of the instruction: the type of A and B, or of their split terms. */
  readonly element: DType;
  /** FP32 emulation. */
  readonly pieces?: Fp32Emulation;
  /** Split-K slices; the blocks of a cluster compute the slices of one tile. */
  readonly splitK: number;
  readonly shape: MatrixShape;
  /**
   * `ba`: swapped operands (swap-AB). The rows of the computed GEMM are the columns of C; the
   * instruction's A is B.
   */
  readonly operandOrder: 'ab' | 'ba';
  readonly kernelSchedule: 'cooperative' | 'pingpong';
  readonly consumers: number;
  /** Rows per consumer warp group (columns with swapped operands), in instructions of 64. */
  readonly groupRows: number;
  readonly cluster: { readonly m: number; readonly n: number };
  readonly stages: number;
  /** Clusters per raster group: along m in strips of rows (`row`), along n in strips of columns. */
  readonly raster: { readonly order: Layout; readonly group: number };
  readonly a: BoxedOperand;
  readonly b: BoxedOperand;
  readonly output: WgmmaOutput;
  /** setmaxnreg register counts; absent if the compiler's even distribution suffices. */
  readonly registers?: { readonly producer: number; readonly consumer: number };
  /** Launched blocks, which loop over the tiles of `grid`. */
  readonly blocks: number;
  /** Workspace of the repacked operands. */
  readonly workspaceBytes: number;
}
