/**
 * Owner of an element of C: the thread that accumulates it in each split-K slice, and the thread
 * that writes it last.
 */
import type { Dim3 } from '../plan/plan';
import type { TileOfC } from './tileOfC';

export interface Element {
  /** Batch entry. */
  readonly entry: number;
  readonly row: number;
  readonly column: number;
}

export interface Accumulator {
  /** Thread block of the main kernel. */
  readonly block: Dim3;
  /** Number of tiles that a persistent block computes before this one; otherwise 0. */
  readonly turn: number;
  readonly warp: number;
  /**
   * Lane in the warp; null for subgroup matrices, whose distribution over the lanes depends on the
   * driver.
   */
  readonly lane: number | null;
  /** Linear thread index in the block; null if the lane is unknown. */
  readonly thread: number | null;
  /** Register in the source: `acc[2][3]`. For subgroup matrices: the matrix. */
  readonly register: string;
  /** Threads of the block that accumulate parts of K; this thread is the first of them. */
  readonly threadsAlongK?: number;
}

export interface Writer {
  /** Kernel that writes the element last: the main kernel or the split-K reduction kernel. */
  readonly kernel: string;
  readonly block: Dim3;
  /** Linear thread index in the block; null for a TMA store, which has no thread per element. */
  readonly thread: number | null;
  /** First line of the store in the file; null if unknown. */
  readonly line: number | null;
}

export interface Owner {
  /** Accumulators of the element, one per split-K slice. */
  readonly accumulators: readonly Accumulator[];
  readonly writer: Writer;
}

export interface Owners {
  readonly ownerOf: (element: Element) => Owner;
  /**
   * Returns the linear thread index of the accumulator of each element of a tile, row-major; of a
   * subgroup matrix, the first thread of its warp.
   */
  readonly threadsOf: (tile: TileOfC) => Int32Array;
}
