/**
 * The plan: all derived integers of a spec for one target, computed once. Emitters read only the
 * plan.
 */
import type { DType } from '../types/dtype';
import type { ResolvedSpec, GlobalOperand } from '../spec/resolved';
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
  /** threadIdx.x indexes rows, threadIdx.y columns: seed-style `naive` and `transposed`. */
  | 'x-rows'
  /** threadIdx.x indexes columns, threadIdx.y rows. */
  | 'x-columns'
  /** One-dimensional block; the index is divided by the width of the tile. */
  | 'linear';

/**
 * Order of C tiles over consecutive blockIdx.x: down a column of tiles, or along a row of tiles.
 */
export type GridMap = 'x-rows' | 'x-columns';

/** A tile in shared memory. It keeps the layout of its operand, so that staging is coalesced. */
export interface SharedTile {
  readonly outer: number;
  readonly inner: number;
  readonly padding: number;
  readonly bytes: number;
}

/**
 * How tiles are copied to shared memory: through registers, prefetched in registers, or
 * asynchronously.
 */
export type Copies = 'direct' | 'registers' | 'asynchronous';

/**
 * A tile staged with K outermost, so that a fragment consists of adjacent elements of a row; for
 * `register-tile`, an operand without staging.
 */
export interface StagedOperand {
  /** K is the contiguous index of the operand, so staging transposes it. */
  readonly transposed: boolean;
  /** Elements per global load. */
  readonly width: number;
  /**
   * Loads per store, where a store is wider than a load: a block of rows that is transposed, or
   * neighbors that no wider load covers.
   */
  readonly pieces: number;
  /** Elements per fragment load from shared memory. */
  readonly fragment: number;
  /** Stride between the elements of such a vector, in rows of A or columns of B (stridedRows.ts). */
  readonly apart: number;
  /** Period of the XOR swizzle, in rows; 1 without a swizzle. */
  readonly swizzle: number;
}

/** Work distribution and access widths of `vectorized` and later algorithms. */
export interface LanePlan {
  /** Warp tile; the block tile if there are no warp tiles. */
  readonly warp: { readonly m: number; readonly n: number };
  /** Threads along each side of the warp tile. */
  readonly lanes: { readonly m: number; readonly n: number };
  /**
   * Lanes are arranged in 2 x 2 quads instead of rows; shared memory serves twice as many lanes in
   * pairs.
   */
  readonly quads: boolean;
  /** Adjacent rows and columns per thread; its next group is `lanes` groups further. */
  readonly group: { readonly m: number; readonly n: number };
  /** Maximum elements per access, as requested by the schedule. */
  readonly vector: number;
  readonly stages: number;
  /**
   * Register buffers per fragment; with two, the next fragments are loaded during the current FMAs.
   */
  readonly fragments: 1 | 2;
  /** Serpentine order of the FMAs; absent: row by row. */
  readonly traversal?: Traversal;
  readonly copies: Copies;
  readonly a: StagedOperand;
  readonly b: StagedOperand;
  /** Elements per store to C. */
  readonly storeWidth: number;
  /**
   * Operand whose accesses are too narrow for asynchronous copies, although the device supports
   * them.
   */
  readonly tooNarrow?: { readonly operand: 'a' | 'b'; readonly bytes: number };
  /** The four lanes of a quad load a quarter of their A rows each. */
  readonly sharing?: 'quad';
  /** `layout`: thread layouts of copies and computation in CuTe notation. */
  readonly threadLayouts?: ThreadLayouts;
}

/** Rows, columns and K extent of one MMA instruction. */
export interface MatrixShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/**
 * XOR swizzle of 16-byte chunks of staged rows: chunk c of row r is stored at c ^ (r / rows %
 * ways).
 */
export interface Swizzle {
  readonly rows: number;
  readonly ways: number;
}

/** Fragment of A or B in one lane. */
export interface FragmentOperand {
  /** 32-bit words. */
  readonly words: number;
  /** Load from shared memory: ldmatrix along K, transposed ldmatrix across K, or single words. */
  readonly load: 'rows' | 'columns' | 'words';
  /** Fragments per load, or loads per fragment. */
  readonly together: number;
  readonly loads: number;
  readonly swizzle?: Swizzle;
}

/** Fragments of warps whose lanes hold known parts of a matrix. */
export interface FragmentPlan {
  readonly stages: number;
  /** Fragment buffers; with two, the next fragments are loaded during the current MMAs. */
  readonly buffers: 1 | 2;
  readonly copies: 'registers' | 'asynchronous';
  /** Operand that prevents asynchronous copies, although the device supports them. */
  readonly tooNarrow?: LanePlan['tooNarrow'];
  /** FP32 emulation: lanes split the loaded values into terms. */
  readonly pieces?: Fp32Emulation;
  readonly a: FragmentOperand;
  readonly b: FragmentOperand;
}

/**
 * `mma`: warps multiply matrices that their lanes hold jointly, on tensor cores or other matrix
 * units.
 */
export interface MatrixPlan {
  readonly shape: MatrixShape;
  /** Warp tile, and warps along each side of the block. */
  readonly warp: { readonly m: number; readonly n: number };
  readonly warps: { readonly m: number; readonly n: number };
  /** Maximum elements per access, as requested by the schedule. */
  readonly vector: number;
  /** Elements per thread and copy from global to shared memory. */
  readonly a: { readonly width: number };
  readonly b: { readonly width: number };
  /**
   * Whether accumulators are stored to C or to the workspace as matrices; otherwise they are staged
   * in shared memory.
   */
  readonly direct: boolean;
  /** Elements per store to C. */
  readonly storeWidth: number;
  /**
   * Shared-memory staging buffer per warp: lines of C at a time, elements per line, and padding
   * between lines.
   */
  readonly scratch?: { readonly lines: number; readonly inner: number; readonly padding: number };
  readonly scratchBytes: number;
}

/**
 * FP32 emulation: each matrix is the sum of `count` terms. Each term is the remainder of the terms
 * before it, rounded to a narrower type. `products` lists the pairs of A and B terms in
 * accumulation order, smallest first.
 */
export interface Fp32Emulation {
  readonly dtype: 'tf32' | 'bf16';
  readonly count: number;
  readonly products: readonly (readonly [a: number, b: number])[];
  /** `wgmma` only: k-iterations accumulated by tensor cores before the result is added in f32. */
  readonly promotion: number;
}

/**
 * A pre-pass or post-pass kernel: C := beta * C, C := alpha * (sum of the slices) + beta * C, or A
 * or B repacked in the workspace with rows that TMA can address.
 */
export type Pass = 'scale' | 'reduce' | 'relayout';

export type SplitPass = Exclude<Pass, 'relayout'>;

/** Split-K: slices of K, each computed by separate blocks. */
export interface SplitPlan {
  readonly parts: number;
  /** K extent of a slice, a multiple of the staged tile's; the last slice may be smaller. */
  readonly depth: number;
  readonly reduction: SplitKReduction;
  /** The pre-pass or post-pass kernel, with one element of C per thread; absent if not needed. */
  readonly pass?: { readonly kind: SplitPass; readonly block: Dim3; readonly grid: Dim3 };
  /** Elements of partial results; 0 if they are added to C directly. */
  readonly workspaceElements: number;
}

/** Tiles of A and B in shared memory. */
export interface SharedTiles {
  readonly a: SharedTile;
  readonly b: SharedTile;
}

/** Kernels whose threads multiply single elements, on FMA units. */
interface Simt {
  readonly family: 'simt';
  /** Absent where nothing is staged. */
  readonly shared?: SharedTiles;
}

/** SIMT kernels before `vectorized`: threads without vectors and warp tiles. */
export interface ScalarFamily extends Simt {
  readonly lanes: null;
}

/** SIMT kernels from `vectorized` on. */
export interface LanedFamily extends Simt {
  readonly lanes: LanePlan;
}

export type SimtFamily = ScalarFamily | LanedFamily;

/** `mma` in WGSL: subgroup matrices, whose distribution to lanes is known only to the driver. */
export interface SubgroupMatrixFamily {
  readonly family: 'subgroup-matrix';
  readonly matrix: MatrixPlan;
  readonly shared: SharedTiles;
}

/** `mma` in CUDA: `mma.sync`, with the fragments that each lane holds. */
export interface MmaFamily {
  readonly family: 'mma';
  readonly matrix: MatrixPlan;
  readonly fragments: FragmentPlan;
  readonly shared: SharedTiles;
}

/** `wgmma`: warp groups of Hopper. */
export interface WgmmaFamily {
  readonly family: 'wgmma';
  readonly wgmma: WgmmaPlan;
  readonly shared: SharedTiles;
}

/** Sub-plans of one kernel family. */
export type KernelFamily = SimtFamily | SubgroupMatrixFamily | MmaFamily | WgmmaFamily;

/** Derived from the schedule, except for the number of split-K slices and `minBlocksPerSm`. */
export interface BlockShape {
  /**
   * Block tile of C, and the K extent of a k-iteration, which is staged or unrolled (0: neither).
   */
  readonly tile: { readonly m: number; readonly n: number; readonly k: number };
  /** Accumulators per thread. */
  readonly thread: { readonly m: number; readonly n: number };
  readonly threadMap: ThreadMap;
  readonly gridMap: GridMap;
  readonly threads: number;
  readonly block: Dim3;
  readonly sharedBytes: number;
}

/** Block counts and bounds checks, derived from the problem size. */
export interface Extent {
  /** Tiles of C along M and N, including boundary tiles. */
  readonly tiles: Sides;
  /** Grid of blocks; for a persistent kernel, the tiles of C that its blocks loop over. */
  readonly grid: Dim3;
  /** Dimensions that are not a multiple of the tile, so that accesses are guarded. */
  readonly guards: { readonly m: boolean; readonly n: boolean; readonly k: boolean };
  readonly split?: SplitPlan;
  /** Buffers of more than 2^31 - 1 elements, whose addresses are computed in 64 bits. */
  readonly wideOffsets: readonly GlobalOperand[];
}

/** Derived from the spec, the target and the launch bounds. */
export interface Launch {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly algorithm: Algorithm;
  readonly dtypes: Readonly<Record<GlobalOperand, DType>>;
  readonly accumulator: DType;
  /** Shared memory exceeds the limit of static declarations, so its size is passed at launch. */
  readonly dynamicShared: boolean;
  /** Expected registers per thread; replaced by the compiler's count. */
  readonly registersEstimate: number;
  /** Words that the compiler must spill because of __launch_bounds__ or the architecture. */
  readonly spilledEstimate: {
    /** Read and written at every k-step. */
    readonly inner: number;
    /** Read once per tile. */
    readonly outer: number;
  };
  readonly minBlocksPerSm?: number;
}

export type Shape = BlockShape & KernelFamily;
/** Threads, grid and shared tiles: the plan before its launch. */
export type Geometry = BlockShape & Extent & KernelFamily;
export type Plan = BlockShape & Extent & Launch & KernelFamily;

export type ScalarPlan = BlockShape & Extent & Launch & ScalarFamily;
export type LanedPlan = BlockShape & Extent & Launch & LanedFamily;
export type MmaPlan = BlockShape & Extent & Launch & MmaFamily;
export type SubgroupMatrixPlan = BlockShape & Extent & Launch & SubgroupMatrixFamily;
/** Kernels with matrix fragments that are distributed over the lanes of a warp. */
export type WarpMatrixPlan = SubgroupMatrixPlan | MmaPlan;
/** Kernels that can stage tiles in shared memory through a pipeline. */
export type PipelinedPlan = LanedPlan | MmaPlan;
export type WarpGroupPlan = BlockShape & Extent & Launch & WgmmaFamily;

/** A reason why a spec is illegal for a target. Returned as data, never thrown. */
export interface Violation {
  readonly target: Target;
  readonly rule: string;
  /** JSON path of the field to change, e.g. `schedule.block.m`. */
  readonly path: string;
  readonly message: string;
  /** The nearest legal value for `path`; null if there is none or the field must be removed. */
  readonly nearest: unknown;
}

export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly violations: readonly Violation[] };
