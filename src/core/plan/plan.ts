/** The plan: every derived integer of one spec for one target, computed once. Emitters see nothing else. */
import type { DType } from '../types/dtype';
import type { ResolvedSpec, GlobalOperand } from '../spec/resolved';
import type { Algorithm, Layout, SplitKReduction, Target, Traversal } from '../spec/schema';
import type { ThreadLayouts } from './threadLayout';
import type { Sides } from './tileCount';

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

/** Which tiles of C consecutive values of blockIdx.x select: tiles below each other, or tiles of one row. */
export type GridMap = 'x-rows' | 'x-columns';

/** A tile in shared memory. It keeps its operand's own layout, so that staging it is coalesced. */
export interface SharedTile {
  readonly outer: number;
  readonly inner: number;
  readonly padding: number;
  readonly bytes: number;
}

/** How a tile comes to shared memory: through registers at once, through registers a tile later, or by itself. */
export type Copies = 'direct' | 'registers' | 'asynchronous';

/**
 * A tile that is staged with its depth outermost, so that a fragment is a few neighbouring elements of a row; or, of
 * `register-tile`, an operand that nobody stages.
 */
export interface StagedOperand {
  /** The operand's contiguous index is the depth, so that staging turns it over. */
  readonly transposed: boolean;
  /** Elements a load from global memory moves. */
  readonly width: number;
  /**
   * Loads whose elements a thread stores together, where a store is wider than what it has: rows that are turned over
   * as a block, or neighbours that no wider load can reach.
   */
  readonly pieces: number;
  /** Elements a load of a fragment from shared memory moves. */
  readonly fragment: number;
  /** From one element of such a vector to the next, in rows of A or columns of B (apart.ts). */
  readonly apart: number;
  /** Rows of which each exchanges its groups in a way of its own (XOR); 1: none does. */
  readonly swizzle: number;
}

/** From `vectorized` on: who computes what, and how wide accesses are. */
export interface LanePlan {
  /** Tile of a warp; of the whole block where there are no warp tiles. */
  readonly warp: { readonly m: number; readonly n: number };
  /** Threads along each side of it. */
  readonly lanes: { readonly m: number; readonly n: number };
  /** Lanes go in quads of 2 x 2, not row after row: shared memory serves twice as many of those that ask in pairs. */
  readonly quads: boolean;
  /** Neighbouring rows and columns that a thread holds; its next ones are `lanes` groups further. */
  readonly group: { readonly m: number; readonly n: number };
  /** Elements an access moves at most, as the schedule asks. */
  readonly vector: number;
  readonly stages: number;
  /** Register buffers of the fragments: with two, the next are loaded while these are multiplied. */
  readonly fragments: 1 | 2;
  /** Multiply-adds go there and back over a thread's results; absent: row after row. */
  readonly traversal?: Traversal;
  readonly copies: Copies;
  readonly a: StagedOperand;
  readonly b: StagedOperand;
  /** Elements a store to C moves. */
  readonly storeWidth: number;
  /** Why copies are not asynchronous although the device has such: an operand that they would move by so few bytes. */
  readonly tooNarrow?: { readonly operand: 'a' | 'b'; readonly bytes: number };
  /** Four lanes beside each other each load a quarter of their rows of A. */
  readonly sharing?: 'quad';
  /** `layout`: which thread copies and computes what, the CuTe way. */
  readonly threadLayouts?: ThreadLayouts;
}

/** Rows, columns and depth of one multiply-accumulate of matrix units. */
export interface MatrixShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Chunks of 16 bytes of a staged row change places: chunk c of row r lies at c ^ (r / rows % ways). */
export interface Swizzle {
  readonly rows: number;
  readonly ways: number;
}

/** What a lane loads of a matrix of A or B. */
export interface FragmentOperand {
  /** Words of 32 bits. */
  readonly words: number;
  /** How they come from shared memory: as rows of 16 bytes along the depth, as rows across it that are turned over, or one by one. */
  readonly load: 'rows' | 'columns' | 'words';
  /** Matrices that one load fills, or loads that fill one. */
  readonly together: number;
  readonly loads: number;
  readonly swizzle?: Swizzle;
}

/** Of warps whose lanes each hold their own part of a matrix. */
export interface FragmentPlan {
  readonly stages: number;
  /** Buffers of the fragments: with two, the next ones are loaded while these are multiplied. */
  readonly buffers: 1 | 2;
  readonly copies: 'registers' | 'asynchronous';
  /** Why copies are not asynchronous although the device has such. */
  readonly tooNarrow?: LanePlan['tooNarrow'];
  /** f32 as a sum of products of a shorter type: what lanes make of what they have loaded. */
  readonly pieces?: PiecesPlan;
  readonly a: FragmentOperand;
  readonly b: FragmentOperand;
}

/** `mma`: warps multiply matrices that their lanes hold together, on tensor cores or what else an adapter has. */
export interface MatrixPlan {
  readonly shape: MatrixShape;
  /** Tile of a warp, and warps along each side of the block. */
  readonly warp: { readonly m: number; readonly n: number };
  readonly warps: { readonly m: number; readonly n: number };
  /** Elements an access moves at most, as the schedule asks. */
  readonly vector: number;
  /** Elements a thread moves at once from global to shared memory. */
  readonly a: { readonly width: number };
  readonly b: { readonly width: number };
  /** Whether sums go to C, or to the workspace, as matrices; else through shared memory, elements by each thread. */
  readonly direct: boolean;
  /** Elements a store to C moves. */
  readonly storeWidth: number;
  /** Shared memory that sums go through: of each warp so many lines of C at a time, and elements between two of them. */
  readonly scratch?: { readonly lines: number; readonly inner: number; readonly padding: number };
  readonly scratchBytes: number;
}

/** An operand of `wgmma` as the tensor memory accelerator (TMA) brings it to shared memory. */
export interface BoxedOperand {
  /** Its contiguous index: the depth, or the rows of A and columns of B. */
  readonly major: 'k' | 'mn';
  /** Elements that one load moves, the contiguous index first. */
  readonly box: readonly [inner: number, outer: number];
  /** Chunks of 16 bytes change places within rows of so many bytes: chunk c of row r lies at c ^ (r * bytes / 128) % (bytes / 16). */
  readonly swizzleBytes: 64 | 128;
  /** Of a tile, whoever of a cluster loads it. */
  readonly bytes: number;
  /** Blocks of a cluster that each load a part of the tile for all of them. */
  readonly share: number;
  /** A copy that TMA can address, made before: its leading dimension, where it begins in the workspace, and why; 'turned' is transposed. */
  readonly relaid?: {
    readonly ld: number;
    readonly batchStride: number;
    readonly offsetBytes: number;
    readonly why: 'turned' | 'ld' | 'batchStride' | 'split';
  };
}

/** How sums of `wgmma` come to C: boxes through shared memory that TMA stores, or from registers. */
export type WgmmaOutput =
  | {
      readonly by: 'tma';
      /** Columns of a box of 64 rows. */
      readonly columns: 32 | 64;
      readonly swizzleBytes: 64 | 128;
      /** Boxes of a consumer, so that one is filled while others are stored. */
      readonly buffers: number;
      readonly bytes: number;
    }
  | { readonly by: 'registers' };

/**
 * Each matrix as a sum of `count` pieces, each the rest of those before it rounded to a shorter type, and which of A and B
 * are multiplied: the smallest products first, as they are summed.
 */
export interface PiecesPlan {
  readonly dtype: 'tf32' | 'bf16';
  readonly count: number;
  readonly products: readonly (readonly [a: number, b: number])[];
  /** Of `wgmma`: tiles along K whose products tensor cores sum, before that is added in f32. */
  readonly promotion: number;
}

/** `wgmma`: a warp group brings tiles by TMA, and others (consumers) multiply them on tensor cores; blocks are persistent. */
export interface WgmmaPlan {
  /** What the instruction takes: the type of A and B, or of the pieces that they are split into. */
  readonly element: DType;
  /** f32 as a sum of products of a shorter type. */
  readonly pieces?: PiecesPlan;
  /** Blocks of a cluster that compute the same tile, each from its own part of K. */
  readonly splitK: number;
  readonly shape: MatrixShape;
  /** `ba`: the transposed product is computed, whose rows are the columns of C; the instruction's A is B. */
  readonly operandOrder: 'ab' | 'ba';
  readonly kernelSchedule: 'cooperative' | 'pingpong';
  readonly consumers: number;
  /** Rows of a tile (columns, of the transposed product) that a consumer multiplies, in instructions of 64. */
  readonly groupRows: number;
  readonly cluster: { readonly m: number; readonly n: number };
  readonly stages: number;
  /** Clusters whose tiles are walked together: along m in strips of rows (`row`), along n in strips of columns. */
  readonly raster: { readonly order: Layout; readonly group: number };
  readonly a: BoxedOperand;
  readonly b: BoxedOperand;
  readonly output: WgmmaOutput;
  /** That warp groups ask for; absent where the compiler's even share is enough. */
  readonly registers?: { readonly producer: number; readonly consumer: number };
  /** Blocks that are launched; they share out the tiles of `grid`. */
  readonly blocks: number;
  /** Of the operands that are re-laid. */
  readonly workspaceBytes: number;
}

/**
 * A kernel around the one that multiplies: C := beta * C, C := alpha * (the sum of the parts) + beta * C, or A or B copied
 * to the workspace with rows that TMA can address.
 */
export type Pass = 'scale' | 'reduce' | 'relayout';

export type SplitPass = Exclude<Pass, 'relayout'>;

/** K in parts, each summed by blocks of its own. */
export interface SplitPlan {
  readonly parts: number;
  /** Depth of a part, a multiple of the staged tile's; the last one may be less. */
  readonly depth: number;
  readonly reduction: SplitKReduction;
  /** The kernel beside the one that multiplies, one element of C a thread; absent where none is needed. */
  readonly pass?: { readonly kind: SplitPass; readonly block: Dim3; readonly grid: Dim3 };
  /** Partial sums; 0 where they are added to C at once. */
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

/** `mma` in WGSL: subgroup matrices, whose distribution to lanes only the driver knows. */
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

/** What a kernel family needs beyond the common plan. */
export type KernelFamily = SimtFamily | SubgroupMatrixFamily | MmaFamily | WgmmaFamily;

/** What follows from the schedule, except from the number of split-K slices and `minBlocksPerSm`. */
export interface BlockShape {
  /** Tile of C a block computes, and the depth of a step along K, which is staged or written out (0: neither). */
  readonly tile: { readonly m: number; readonly n: number; readonly k: number };
  /** Results of one thread. */
  readonly thread: { readonly m: number; readonly n: number };
  readonly threadMap: ThreadMap;
  readonly gridMap: GridMap;
  readonly threads: number;
  readonly block: Dim3;
  readonly sharedBytes: number;
}

/** What follows from the problem's sizes: the number of blocks, and what each of them tests. */
export interface Extent {
  /** Tiles of C along M and N, those at the edge included. */
  readonly tiles: Sides;
  /** Blocks; of a persistent kernel the tiles of C, which its blocks share out. */
  readonly grid: Dim3;
  /** Which dimensions a tile does not divide, so that accesses are guarded. */
  readonly guards: { readonly m: boolean; readonly n: boolean; readonly k: boolean };
  readonly split?: SplitPlan;
  /** What spans more than 2^31 - 1 elements, so that its addresses are computed in 64 bits. */
  readonly wideOffsets: readonly GlobalOperand[];
}

/** What follows from the spec, the target and the launch bounds. */
export interface Launch {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly algorithm: Algorithm;
  readonly dtypes: Readonly<Record<GlobalOperand, DType>>;
  readonly accumulator: DType;
  /** Shared memory is beyond what a static declaration may have, so it is passed at launch. */
  readonly dynamicShared: boolean;
  /** Registers a thread is expected to need; the compiler's figure replaces it. */
  readonly registersEstimate: number;
  /** Words that the compiler has to keep in memory, for what __launch_bounds__ or the architecture leave it no room. */
  readonly spilledEstimate: {
    /** Read and written at every depth. */
    readonly inner: number;
    /** Read once a tile. */
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
/** Kernels of matrices that the lanes of a warp hold together. */
export type WarpMatrixPlan = SubgroupMatrixPlan | MmaPlan;
/** Kernels whose tiles can come to shared memory through a pipeline. */
export type PipelinedPlan = LanedPlan | MmaPlan;
export type WarpGroupPlan = BlockShape & Extent & Launch & WgmmaFamily;

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
