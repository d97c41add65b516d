/**
 * Trace of one thread block: what each step moves and multiplies. The data describe a step of the
 * whole block, because its threads execute the same statement.
 */
import type { Site, Statement } from '../kernel/ir/ir';

/** Accesses of a step at one access site. The arrays have one entry per accessed element. */
export interface StepAccesses {
  readonly site: Site;
  readonly space: 'global' | 'shared';
  /** A `copy` is issued by an asynchronous copy and takes effect when its thread waits for it. */
  readonly op: 'load' | 'store' | 'copy';
  /** Linear thread indices in the block. */
  readonly threads: Int32Array;
  /** Element indices in the matrix, or in the concatenated shared arrays. */
  readonly indices: Float64Array;
  /** Tags of the values (tags.ts). */
  readonly tags: Float64Array;
  /** Number of warp requests. */
  readonly requests: number;
  /** Sectors of global memory or wavefronts of shared memory, over all warp requests. */
  readonly cost: number;
}

/** FMAs of a step: accumulator += left * right. */
export interface Products {
  readonly count: number;
  /** Updated accumulators, as positions in `BlockTrace.accumulators`. */
  readonly accumulators: Int32Array;
  /** Number of FMAs of each updated accumulator. */
  readonly counts: Int32Array;
  /** Tags of the multiplied elements, without their terms. */
  readonly elements: Float64Array;
}

/** Asynchronous copies that become visible in shared memory at a wait. */
export interface Arrivals {
  readonly indices: Float64Array;
  readonly tags: Float64Array;
}

export interface Step {
  readonly statement: Statement;
  /** Number of barriers before the step. */
  readonly interval: number;
  readonly accesses: readonly StepAccesses[];
  readonly products: Products;
  readonly arrivals: Arrivals;
  /** First race or uninitialized read of the step, as a sentence. */
  readonly finding: string | null;
}

/** A shared array, as it is drawn: `stages` x `outer` rows of `inner` elements from `base` on. */
export interface TracedArray {
  readonly name: string;
  readonly base: number;
  readonly stages: number;
  readonly outer: number;
  readonly inner: number;
}

export interface BlockTrace {
  readonly steps: readonly Step[];
  readonly arrays: readonly TracedArray[];
  /** Tags of all accumulators, in ascending order. */
  readonly accumulators: Float64Array;
  /** Element of C (or of the workspace) that each accumulator is stored to; NaN if none. */
  readonly storedAt: Float64Array;
}
