/**
 * The plan: all values that are derived from a spec for one target. Emitters read only the plan.
 */
import type { DType } from '../types/dtype';
import type { BufferTypes, GlobalOperand, ResolvedSpec } from '../spec/resolved';
import type { Algorithm, SplitKReduction, Target, Traversal } from '../spec/schema';
import type { ThreadLayouts } from './threadLayout';
import type { Sides } from './tileCount';
import type { WgmmaPlan } from './wgmma/wgmmaPlan';

export interface Dim3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Mapping of the threads of a block to elements of the C tile. */
export type ThreadMap =
  /**
   * threadIdx.x indexes rows and threadIdx.y indexes columns. Used by `naive` and the variant
   * `transposed`.
   */
  | 'x-rows'
  /** threadIdx.x indexes columns and threadIdx.y indexes rows. */
  | 'x-columns'
  /** One-dimensional block. Dividing threadIdx.x by the tile width yields row and column. */
  | 'linear';

/**
 * Order of consecutive blocks in the grid: down a column of C tiles (`x-rows`), or along a row of C
 * tiles (`x-columns`).
 */
export type GridMap = 'x-rows' | 'x-columns';

/**
 * Tile in shared memory: `outer` lines of `inner` elements, each followed by `padding` elements.
 */
export interface SharedTile {
  readonly outer: number;
  readonly inner: number;
  readonly padding: number;
  readonly bytes: number;
}

/**
 * How tiles are copied to shared memory: through registers (`direct`), prefetched in registers, or
 * by asynchronous copies.
 */
export type Copies = 'direct' | 'registers' | 'asynchronous';

/**
 * Access widths of A or B. Shared tiles have K outermost, so that a fragment consists of adjacent
 * elements of a row. `register-tile` loads its operands without shared memory.
 */
export interface StagedOperand {
  /**
   * Whether K is the contiguous dimension of the operand. The copy to shared memory then transposes
   * it.
   */
  readonly transposed: boolean;
  readonly width: number;
  /**
   * Number of global loads per store to shared memory; more than 1 if a store is wider than a load.
   * The loads are the rows of a transposed block, or neighbors that no wider load can cover.
   */
  readonly loadsPerStore: number;
  /** Number of elements per fragment load from shared memory. */
  readonly fragment: number;
  /**
   * Stride between the elements of a fragment load, in rows of A or columns of B (see
   * stridedRows.ts).
   */
  readonly fragmentStride: number;
  /** Period of the XOR swizzle, in rows; 1 without a swizzle. */
  readonly swizzle: number;
}

/**
 * Distribution of the block tile over warps and lanes, and access widths, for `register-tile` and
 * later SIMT algorithms.
 */
export interface LanePlan {
  /** Warp tile; equal to the block tile if there are no warp tiles. */
  readonly warp: { readonly m: number; readonly n: number };
  /** Number of threads along M and N of the warp tile. */
  readonly lanes: { readonly m: number; readonly n: number };
  /**
   * Whether lanes are arranged in 2 x 2 quads instead of rows. Pairs of lanes then read the same
   * addresses, so a wavefront serves twice as many lanes.
   */
  readonly quads: boolean;
  /**
   * Number of rows and columns of C in one group of a thread. Consecutive groups have a stride of
   * `lanes` groups.
   */
  readonly group: { readonly m: number; readonly n: number };
  readonly vector: number;
  readonly stages: number;
  /**
   * Number of register buffers per fragment. With two buffers, the next fragments are loaded during
   * the current FMAs.
   */
  readonly fragments: 1 | 2;
  /** Serpentine order of the FMAs. If absent, FMAs are issued row by row. */
  readonly traversal?: Traversal;
  readonly copies: Copies;
  readonly a: StagedOperand;
  readonly b: StagedOperand;
  readonly storeWidth: number;
  /** Staging buffer of C in shared memory; absent if threads store their accumulators directly. */
  readonly scratch?: LaneScratch;
  /**
   * Operand whose accesses are too narrow for asynchronous copies on a device that supports them.
   */
  readonly tooNarrow?: { readonly operand: 'a' | 'b'; readonly bytes: number };
  /** Set if the four lanes of a quad share A: each lane loads every fourth k of A. */
  readonly sharing?: 'quad';
  /** Thread layouts of copies and computation in CuTe notation (`layout` only). */
  readonly threadLayouts?: ThreadLayouts;
  /** Threads along K and reduction of their partial results (`gemv` only). */
  readonly gemv?: GemvPlan;
}

/** Distribution of K over the threads of a `gemv` block, and reduction of their partial results. */
export interface GemvPlan {
  /** Number of threads of the block along N and along K. */
  readonly threads: { readonly n: number; readonly k: number };
  /** Whether consecutive threads are along K (K is contiguous in B), not along N. */
  readonly isAlongK: boolean;
  /** k values per thread and k-iteration (TK). */
  readonly depth: number;
  /** Consecutive k values of a thread. Its runs have a stride of threads.k runs. */
  readonly run: number;
  /** Threads along K per warp whose partial results are reduced by shuffles; 1 without shuffles. */
  readonly lanesK: number;
  /** Partial results per element of C that are reduced through shared memory; 1 if none are. */
  readonly partials: number;
  /** Bytes of shared memory per block for the partial results. */
  readonly bytes: number;
}

/**
 * Staging buffer of C. Each warp has one line per row of lanes (per column of lanes if C is
 * column-major). A line holds the warp tile's elements along the contiguous dimension of C.
 */
export interface LaneScratch {
  /** Elements between lines. */
  readonly padding: number;
  /** Number of accumulators per store to the buffer. */
  readonly width: number;
  /** Bytes per thread block. */
  readonly bytes: number;
}

export interface MatrixShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/**
 * XOR swizzle of the rows of a shared tile: chunk c of row r is stored at chunk c ^ (r / rows %
 * ways). `swizzleChunkBytes` returns the size of a chunk.
 */
export interface Swizzle {
  readonly rows: number;
  readonly ways: number;
}

export interface FragmentOperand {
  /** Number of 32-bit words per fragment and lane. */
  readonly words: number;
  /** Load instruction: ldmatrix along K, transposed ldmatrix across K, or single-word loads. */
  readonly load: 'rows' | 'columns' | 'words';
  /** Number of fragments per load (`together`) and of loads per fragment (`loads`). */
  readonly together: number;
  readonly loads: number;
  readonly swizzle?: Swizzle;
}

export interface FragmentPlan {
  readonly stages: number;
  /**
   * Number of fragment buffers in registers. With two buffers, the next fragments are loaded during
   * the current MMAs.
   */
  readonly buffers: 1 | 2;
  readonly copies: 'registers' | 'asynchronous';
  /** Operand that prevents asynchronous copies on a device that supports them. */
  readonly tooNarrow?: LanePlan['tooNarrow'];
  /** FP32 emulation, where lanes split the loaded values into terms; absent without emulation. */
  readonly fp32Emulation?: Fp32Emulation;
  readonly a: FragmentOperand;
  readonly b: FragmentOperand;
}

/**
 * Matrices of an `mma` kernel. The lanes of a warp hold each matrix jointly and multiply it on
 * tensor cores or other matrix units.
 */
export interface MatrixPlan {
  readonly shape: MatrixShape;
  /** Warp tile (`warp`), and number of warps along M and N of the block (`warps`). */
  readonly warp: { readonly m: number; readonly n: number };
  readonly warps: { readonly m: number; readonly n: number };
  readonly vector: number;
  /** Number of elements that a thread copies per access from global to shared memory. */
  readonly a: { readonly width: number };
  readonly b: { readonly width: number };
  /** Whether accumulator matrices are stored to global memory without staging in shared memory. */
  readonly direct: boolean;
  readonly storeWidth: number;
  /**
   * Staging buffer of a warp in shared memory: number of lines of C, elements per line, and padding
   * between lines.
   */
  readonly scratch?: { readonly lines: number; readonly inner: number; readonly padding: number };
  readonly scratchBytes: number;
}

/**
 * FP32 emulation. Each matrix is represented as the sum of `count` terms. A term is the rounded
 * remainder after all previous terms. `products` lists pairs of A and B terms in accumulation
 * order, smallest products first.
 */
export interface Fp32Emulation {
  readonly dtype: 'tf32' | 'bf16';
  readonly count: number;
  readonly products: readonly (readonly [a: number, b: number])[];
  /**
   * Number of k-iterations that tensor cores accumulate before the result is added in f32 (`wgmma`
   * only).
   */
  readonly promotion: number;
}

/**
 * Pre-pass or post-pass kernel:
 * - `scale`: C := beta * C
 * - `reduce`: C := alpha * (sum of the slices) + beta * C
 * - `relayout`: repacks A or B in the workspace with rows that TMA can address
 */
export type Pass = 'scale' | 'reduce' | 'relayout';

export type SplitPass = Exclude<Pass, 'relayout'>;

export interface SplitPlan {
  readonly slices: number;
  /** K extent of a slice, a multiple of BK; the last slice may be smaller. */
  readonly sliceK: number;
  readonly reduction: SplitKReduction;
  /** Pre-pass or post-pass kernel with one element of C per thread; absent if not needed. */
  readonly pass?: { readonly kind: SplitPass; readonly block: Dim3; readonly grid: Dim3 };
  /** Number of partial results in the workspace; 0 if the slices add to C directly. */
  readonly workspaceElements: number;
}

export interface SharedTiles {
  readonly a: SharedTile;
  readonly b: SharedTile;
  /** Tile of the second B of a gate; equal to the tile of B. */
  readonly gate?: SharedTile;
}

interface Simt {
  readonly family: 'simt';
  /** Shared tiles; absent if the kernel does not use shared memory. */
  readonly shared?: SharedTiles;
}

/** SIMT kernels before `register-tile`, without vector accesses or warp tiles. */
export interface ScalarFamily extends Simt {
  readonly lanes: null;
}

export interface LanedFamily extends Simt {
  readonly lanes: LanePlan;
}

export type SimtFamily = ScalarFamily | LanedFamily;

/**
 * `mma` kernels in WGSL. They use subgroup matrices, whose distribution over lanes depends on the
 * driver.
 */
export interface SubgroupMatrixFamily {
  readonly family: 'subgroup-matrix';
  readonly matrix: MatrixPlan;
  readonly shared: SharedTiles;
}

/**
 * `mma` kernels in CUDA. They use `mma.sync`, whose fragment layout is documented in the PTX ISA.
 */
export interface MmaFamily {
  readonly family: 'mma';
  readonly matrix: MatrixPlan;
  readonly fragments: FragmentPlan;
  readonly shared: SharedTiles;
}

export interface WgmmaFamily {
  readonly family: 'wgmma';
  readonly wgmma: WgmmaPlan;
  readonly shared: SharedTiles;
}

export type KernelFamily = SimtFamily | SubgroupMatrixFamily | MmaFamily | WgmmaFamily;

/**
 * Shape of a block, derived from the schedule without `splitK` (except for `wgmma`) and
 * `minBlocksPerSm`.
 */
export interface BlockShape {
  /**
   * Block tile of C, with the K extent of a k-iteration. k = 0 if the kernel neither stages tiles
   * nor unrolls the k loop.
   */
  readonly tile: { readonly m: number; readonly n: number; readonly k: number };
  readonly thread: { readonly m: number; readonly n: number };
  readonly threadMap: ThreadMap;
  readonly gridMap: GridMap;
  readonly threads: number;
  readonly block: Dim3;
  readonly sharedBytes: number;
}

export interface Extent {
  readonly tiles: Sides;
  /** Grid of blocks. For a persistent kernel, the grid of C tiles that its blocks loop over. */
  readonly grid: Dim3;
  /**
   * Whether M, N or K is not a multiple of its tile extent, so that accesses need bounds checks.
   */
  readonly guards: { readonly m: boolean; readonly n: boolean; readonly k: boolean };
  readonly split?: SplitPlan;
  /** Buffers with more than 2^31 - 1 elements, which require 64-bit offsets. */
  readonly wideOffsets: readonly GlobalOperand[];
}

export interface Launch {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly algorithm: Algorithm;
  readonly dtypes: BufferTypes;
  readonly accumulator: DType;
  /**
   * Whether shared memory exceeds the limit of static declarations. Its size is then passed at
   * launch.
   */
  readonly dynamicShared: boolean;
  /** Estimated number of registers per thread before compilation, up to the register limit. */
  readonly registersEstimate: number;
  /**
   * Estimated number of registers per thread that the compiler spills because of __launch_bounds__
   * or the architecture limit.
   */
  readonly spilledEstimate: {
    /** Number of spilled registers that are read and written at every k-step. */
    readonly inner: number;
    /** Number of spilled registers that are read once per tile. */
    readonly outer: number;
  };
  readonly minBlocksPerSm?: number;
}

export type Shape = BlockShape & KernelFamily;
export type Geometry = BlockShape & Extent & KernelFamily;
export type Plan = BlockShape & Extent & Launch & KernelFamily;

export type ScalarPlan = BlockShape & Extent & Launch & ScalarFamily;
export type LanedPlan = BlockShape & Extent & Launch & LanedFamily;
export type MmaPlan = BlockShape & Extent & Launch & MmaFamily;
export type SubgroupMatrixPlan = BlockShape & Extent & Launch & SubgroupMatrixFamily;
/** Kernels whose matrices are distributed over the lanes of a warp. */
export type WarpMatrixPlan = SubgroupMatrixPlan | MmaPlan;
/** Kernels, except `wgmma`, that can use a pipeline of stages in shared memory. */
export type PipelinedPlan = LanedPlan | MmaPlan;
export type WarpGroupPlan = BlockShape & Extent & Launch & WgmmaFamily;

/** Reason why a spec is illegal for a target. Violations are returned as data and never thrown. */
export interface Violation {
  readonly target: Target;
  readonly rule: string;
  /** JSON path of the field to change, e.g. `schedule.block.m`. */
  readonly path: string;
  readonly message: string;
  /** Nearest legal value for `path`; null if no value is legal or the field must be removed. */
  readonly nearest: unknown;
}

export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly violations: readonly Violation[] };
