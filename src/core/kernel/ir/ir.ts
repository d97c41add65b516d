/**
 * Loop IR: a kernel as statements whose addresses are integer expressions. Dialects print it,
 * simulate/ interprets it, and the access analysis evaluates its addresses.
 */
import type { DType } from '../../types/dtype';
import type { Activation } from '../../types/activations';
import type { ArgumentRole } from './arguments';
import type { Layout } from '../../spec/schema';
import type { BufferTypes, GlobalOperand } from '../../spec/resolved';
import type { Pass } from '../../plan/plan';

export type Axis = 'x' | 'y' | 'z';

/** Integer expressions; never negative when evaluated, so that WGSL can use u32. */
export type Expr =
  | { readonly op: 'int'; readonly value: number }
  /** A named compile-time constant of the kernel, such as BM. */
  | { readonly op: 'constant'; readonly name: string }
  /** A run-time parameter: m, n, k, lda, ldb, ldc, and the strides of a batch. */
  | { readonly op: 'parameter'; readonly role: ArgumentRole }
  /** An integer declared by `let`, or a loop index. */
  | { readonly op: 'variable'; readonly name: string }
  | { readonly op: 'threadIdx' | 'blockIdx'; readonly axis: Axis }
  /** Warp index in a one-dimensional block, and lane index in the warp. */
  | { readonly op: 'warpIdx' | 'laneIdx' }
  | { readonly op: BinaryOp; readonly left: Expr; readonly right: Expr }
  /** `value` if the condition holds, otherwise `otherwise`. */
  | {
      readonly op: 'select';
      readonly condition: Condition;
      readonly value: Expr;
      readonly otherwise: Expr;
    };
export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '^' | '<<' | 'min';

/**
 * Conjunction of conditions left < right, or left <= right with `orEqual`.
 */
export type Condition = readonly {
  readonly left: Expr;
  readonly right: Expr;
  readonly orEqual?: true;
}[];

/** A memory access, as named in the access analysis. */
export interface Site {
  readonly name: string;
  readonly operand: GlobalOperand;
  /** Set if the access is outside of the main loop, such as in the prologue. */
  readonly once?: true;
}

export type Value =
  | { readonly op: 'zero' }
  | { readonly op: 'scalar'; readonly role: 'alpha' | 'beta' }
  | RegisterElement
  | GlobalElement
  | SharedElement
  | { readonly op: 'mul' | 'add' | 'sub'; readonly left: Value; readonly right: Value }
  | { readonly op: 'activation'; readonly of: Activation; readonly value: Value }
  /** Rounds to nearest if the type cannot represent the value. */
  | { readonly op: 'convert'; readonly from: DType; readonly to: DType; readonly value: Value }
  /** One value in all lanes of a vector operation. */
  | { readonly op: 'broadcast'; readonly value: Value }
  /** One value per lane of a vector operation. */
  | { readonly op: 'lanes'; readonly values: readonly Value[] }
  /** A register of lane `lane` of this thread's quad; all threads of the block must execute it. */
  | { readonly op: 'quadBroadcast'; readonly value: RegisterElement; readonly lane: Expr }
  /**
   * A register of lane (own lane ^ mask) of this thread's warp; all threads of the block must
   * execute it, and all warps must be full.
   */
  | { readonly op: 'shuffleXor'; readonly value: RegisterElement; readonly mask: Expr }
  /** The value if the condition holds. Otherwise zero, without evaluating the value. */
  | { readonly op: 'guarded'; readonly condition: Condition; readonly value: Value };

/** An element of a register array; without an index, a scalar. */
export interface RegisterElement {
  readonly op: 'register';
  readonly name: string;
  readonly index: readonly Expr[];
}

/** Element (outer, inner) of a matrix in global memory, at offset + outer * stride + inner. */
export interface GlobalElement {
  readonly op: 'global';
  readonly site: Site;
  readonly offset?: Expr;
  readonly outer: Expr;
  readonly stride: Expr;
  readonly inner: Expr;
}

/** Element [outer][inner] of a shared array, or [stage][outer][inner] with pipeline stages. */
export interface SharedElement {
  readonly op: 'shared';
  readonly site: Site;
  readonly array: string;
  readonly stage?: Expr;
  readonly outer: Expr;
  readonly inner: Expr;
}

export type Place = RegisterElement | GlobalElement | SharedElement;

export type MatrixUse = 'a' | 'b' | 'sum';

/** A matrix whose elements are distributed over the registers of a warp. */
export interface MatrixRegister {
  readonly name: string;
  readonly index: readonly Expr[];
}

/** An integer declared before a loop and incremented by a constant in every iteration. */
export interface Advancing {
  readonly name: string;
  readonly from: Expr;
  readonly by: Expr;
}

/**
 * Vector width of an operation, default 1: adjacent elements along the last index of registers and
 * along the contiguous dimension of memory.
 */
interface Wide {
  readonly width?: number;
}

export type Statement =
  | { readonly op: 'comment'; readonly text: string }
  | { readonly op: 'blank' }
  /** Declares an integer; with `wide`, its value may exceed 32 bits. */
  | { readonly op: 'let'; readonly name: string; readonly value: Expr; readonly wide?: true }
  /** A scalar (shape []) or array in registers, zeroed or uninitialized. */
  | {
      readonly op: 'registers';
      readonly name: string;
      readonly dtype: DType;
      readonly shape: readonly Expr[];
      readonly zeroed: boolean;
      /**
       * Set if a loop contains the declaration. WGSL then has an explicit initial value, because
       * some drivers apply the implicit one only once.
       */
      readonly inLoop?: true;
      /** Vector width along the last index; divides its extent. */
      readonly vector?: number;
      readonly packed?: true;
      /**
       * Set if all indices are compile-time constants, so that each element or vector can be a
       * variable.
       */
      readonly named?: boolean;
    }
  | ({
      readonly op: 'assign';
      readonly place: Place;
      readonly value: Value;
      /** Set for an asynchronous copy from global to shared memory, which completes at a wait. */
      readonly asynchronous?: true;
      /** Set for an atomic addition to global memory, whose order is not deterministic. */
      readonly atomic?: true;
    } & Wide)
  /** An FMA place += left * right; the target language may not fuse it. */
  | ({
      readonly op: 'fma';
      readonly place: Place;
      readonly left: Value;
      readonly right: Value;
    } & Wide)
  /** Array of matrices per warp; accumulators start at zero, operands are uninitialized. */
  | {
      readonly op: 'matrices';
      readonly name: string;
      readonly use: MatrixUse;
      readonly shape: readonly Expr[];
    }
  /**
   * Warp-wide load from a warp-uniform address of the matrix's first element; its rows (`col`:
   * columns) are contiguous in memory.
   */
  | {
      readonly op: 'loadMatrix';
      readonly place: MatrixRegister;
      readonly from: SharedElement;
      readonly order: Layout;
    }
  | {
      readonly op: 'storeMatrix';
      readonly place: GlobalElement | SharedElement;
      readonly value: MatrixRegister;
      readonly order: Layout;
    }
  /** An MMA place += left * right in the accumulator type. */
  | {
      readonly op: 'multiplyMatrices';
      readonly place: MatrixRegister;
      readonly left: MatrixRegister;
      readonly right: MatrixRegister;
    }
  /**
   * ldmatrix, warp-wide: 8 rows of 16 bytes per matrix; lane i + 8 j supplies the address of row i
   * of matrix j. Lane l receives word l % 4 of row l / 4 of each matrix; if transposed (16-bit
   * elements), element l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1. Elements of tf32 are rounded.
   */
  | {
      readonly op: 'loadRows';
      readonly place: RegisterElement;
      readonly from: SharedElement;
      readonly matrices: 1 | 2 | 4;
      readonly transposed: boolean;
    }
  /** mma.sync, warp-wide: place += left * right on fragments (plan/mma/fragments.ts). */
  | {
      readonly op: 'multiplyFragments';
      readonly place: RegisterElement;
      readonly left: RegisterElement;
      readonly right: RegisterElement;
    }
  /**
   * FP32 emulation: rounds the first elements of `rest` to one 32-bit word of terms in `place`, and
   * keeps the remainders in `rest`.
   */
  | { readonly op: 'takePiece'; readonly place: RegisterElement; readonly rest: RegisterElement }
  | {
      readonly op: 'for';
      readonly index: string;
      readonly from: Expr;
      readonly to: Expr;
      readonly step: Expr;
      /**
       * Unroll hint for the compiler, or `written-out`: the printed code contains each iteration.
       */
      readonly unroll: boolean | 'written-out';
      /** Variables incremented per iteration; not allowed if the loop is `written-out`. */
      readonly advancing?: readonly Advancing[];
      readonly body: readonly Statement[];
    }
  | {
      readonly op: 'if';
      readonly condition: Condition;
      readonly body: readonly Statement[];
      readonly otherwise?: readonly Statement[];
    }
  | { readonly op: 'barrier' }
  /** Commits the current group of asynchronous copies of this thread. */
  | { readonly op: 'commit' }
  /** Waits until at most `pending` copy groups of this thread are in flight. */
  | { readonly op: 'wait'; readonly pending: number }
  /**
   * Programmatic dependent launch: waits for the end of the previous kernel in the stream, or
   * permits the launch of the next kernel.
   */
  | { readonly op: 'gridDependency'; readonly action: 'wait' | 'launch' };

export interface NamedConstant {
  readonly name: string;
  readonly value: number;
  readonly comment: string;
  /** Set if another kernel of the file declares the constant. */
  readonly shared?: true;
}

/** A two-dimensional array in shared memory, with one copy per pipeline stage. */
export interface SharedArray {
  readonly name: string;
  readonly dtype: DType;
  readonly stages?: Expr;
  /** Vector width of all accesses, default 1. */
  readonly vector?: number;
  readonly outer: Expr;
  readonly inner: Expr;
  /** Set if the array is declared one-dimensional, as subgroup-matrix loads require. */
  readonly flat?: true;
}

export interface KernelIr {
  readonly entry: string;
  /** Kind of a pre-pass or post-pass kernel; absent for the main kernel. */
  readonly pass?: Pass;
  /** Description in the file head, one sentence or paragraph per entry. */
  readonly summary: readonly string[];
  readonly dtypes: BufferTypes;
  /** Type of accumulators, alpha and beta. */
  readonly accumulator: DType;
  readonly constants: readonly NamedConstant[];
  readonly shared: readonly SharedArray[];
  /** Set if another kernel of the file declares the device functions. */
  readonly helpers?: 'declared';
  /** MMA shape, as named constants of the kernel. */
  readonly matrices?: Readonly<Record<'m' | 'n' | 'k', Expr>>;
  /** Type of the split terms, if lanes split A and B into terms. */
  readonly factor?: DType;
  /** Vector width of all accesses to a matrix in global memory, default 1. */
  readonly vectors?: Readonly<Partial<Record<GlobalOperand, number>>>;
  /** Matrices in global memory, in argument order. */
  readonly operands: readonly GlobalOperand[];
  /** Run-time scalars, in argument order. */
  readonly parameters: readonly ArgumentRole[];
  readonly body: readonly Statement[];
}
