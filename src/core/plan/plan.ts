/** The plan: every derived integer of one spec for one target, computed once. Emitters see nothing else. */
import type { DType } from '../spec/dtype';
import type { ResolvedSpec } from '../spec/resolved';
import type { Algorithm, Target } from '../spec/schema';

export interface Dim3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** How the threads of a block map to elements of the C tile. */
export type ThreadMap =
  /** threadIdx.x walks rows, threadIdx.y columns: seed-style `naive` and `transposed`. */
  | 'x-rows'
  /** threadIdx.x walks columns, threadIdx.y rows. */
  | 'x-columns'
  /** One-dimensional block; the index is split by the tile's width. */
  | 'linear';

/** A tile in shared memory. It keeps its operand's own layout, so that staging it is coalesced. */
export interface SharedTile {
  readonly outer: number;
  readonly inner: number;
  readonly padding: number;
  readonly bytes: number;
}

export interface Plan {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly algorithm: Algorithm;
  readonly dtype: DType;
  readonly accumulator: DType;
  /** Tile of C a block computes, and the depth staged at a time (0: nothing is staged). */
  readonly tile: { readonly m: number; readonly n: number; readonly k: number };
  /** Results of one thread. */
  readonly thread: { readonly m: number; readonly n: number };
  readonly threadMap: ThreadMap;
  readonly threads: number;
  readonly block: Dim3;
  readonly grid: Dim3;
  /** Which dimensions a tile does not divide, so that accesses are guarded. */
  readonly guards: { readonly m: boolean; readonly n: boolean; readonly k: boolean };
  readonly shared?: { readonly a: SharedTile; readonly b: SharedTile };
  readonly sharedBytes: number;
  /** Shared memory is beyond what a static declaration may have, so it is passed at launch. */
  readonly dynamicShared: boolean;
  /** An element offset may exceed 2^31 - 1, so addresses are computed in 64 bits. */
  readonly wideOffsets: boolean;
  /** Registers a thread is expected to need; the compiler's figure replaces it. */
  readonly registersEstimate: number;
  readonly minBlocksPerSm?: number;
}

/** One reason why a spec is illegal for a target. Data, never an exception. */
export interface Violation {
  readonly target: Target;
  readonly rule: string;
  /** JSON path of the field to change, e.g. `schedule.block.m`. */
  readonly path: string;
  readonly message: string;
  /** The nearest legal value for `path`, or null when there is none or the field should go. */
  readonly nearest: unknown;
}

export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly violations: readonly Violation[] };
