/**
 * The loop IR: what a kernel does, statement by statement, with every address a small integer
 * expression. Dialects print it, simulate/ interprets it, and the access analysis evaluates the same
 * expressions for the lanes of a warp, so what is shown is what is emitted.
 */
import type { DType } from '../../types/dtype';
import type { ArgumentRole } from './arguments';
import type { Layout } from '../../spec/schema';
import type { GlobalOperand } from '../../spec/resolved';
import type { Pass } from '../../plan/plan';

export type Axis = 'x' | 'y' | 'z';

/** Integer expressions: never negative where they are evaluated, so that WGSL can hold them in u32. */
export type Expr =
  | { readonly op: 'int'; readonly value: number }
  /** A named compile-time constant of the kernel, e.g. BM. */
  | { readonly op: 'constant'; readonly name: string }
  /** A run-time parameter: m, n, k, lda, ldb, ldc, and the strides of a batch. */
  | { readonly op: 'parameter'; readonly role: ArgumentRole }
  /** A let-bound integer or a loop index. */
  | { readonly op: 'variable'; readonly name: string }
  | { readonly op: 'threadIdx' | 'blockIdx'; readonly axis: Axis }
  /** The warp of a block that has one dimension, and the lane of a warp. */
  | { readonly op: 'warpIdx' | 'laneIdx' }
  | { readonly op: BinaryOp; readonly left: Expr; readonly right: Expr };
export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '^' | '<<' | 'min';

/** Conjunction of left < right, or left <= right where `orEqual`. */
export type Condition = readonly {
  readonly left: Expr;
  readonly right: Expr;
  readonly orEqual?: true;
}[];

/** Where a memory access stands: named for the views that count it. */
export interface Site {
  readonly name: string;
  readonly operand: GlobalOperand;
  /** Outside of the main loop, where the same access stands again. */
  readonly once?: true;
}

/** Element-typed expressions. */
export type Value =
  | { readonly op: 'zero' }
  | { readonly op: 'scalar'; readonly role: 'alpha' | 'beta' }
  | RegisterElement
  | GlobalElement
  | SharedElement
  | { readonly op: 'mul' | 'add' | 'sub'; readonly left: Value; readonly right: Value }
  /** Rounded to nearest where the type cannot hold the value. */
  | { readonly op: 'convert'; readonly from: DType; readonly to: DType; readonly value: Value }
  /** The same element in every lane of a vector operation. */
  | { readonly op: 'broadcast'; readonly value: Value }
  /** An element a lane of a vector operation. */
  | { readonly op: 'lanes'; readonly values: readonly Value[] }
  /** What the lane-th of the four threads of this thread's quad has in a register; all of a block's threads come by together. */
  | { readonly op: 'quadBroadcast'; readonly value: RegisterElement; readonly lane: Expr }
  /** left where the condition holds, else zero; left is not evaluated otherwise. */
  | { readonly op: 'guarded'; readonly condition: Condition; readonly value: Value };

/** Element of a register array, or a scalar (no index). */
export interface RegisterElement {
  readonly op: 'register';
  readonly name: string;
  readonly index: readonly Expr[];
}

/** Element (outer, inner) of a matrix in global memory, at outer * stride + inner, behind `offset` elements. */
export interface GlobalElement {
  readonly op: 'global';
  readonly site: Site;
  readonly offset?: Expr;
  readonly outer: Expr;
  readonly stride: Expr;
  readonly inner: Expr;
}

/** Element [outer][inner] of a shared array, or [stage][outer][inner] of a ring of them. */
export interface SharedElement {
  readonly op: 'shared';
  readonly site: Site;
  readonly array: string;
  readonly stage?: Expr;
  readonly outer: Expr;
  readonly inner: Expr;
}

export type Place = RegisterElement | GlobalElement | SharedElement;

/** Which part of a multiply-accumulate a matrix is: A, B, or the sum. */
export type MatrixUse = 'a' | 'b' | 'sum';

/** One of an array of matrices that the lanes of a warp hold together. */
export interface MatrixRegister {
  readonly name: string;
  readonly index: readonly Expr[];
}

/** An integer that is declared before a loop, and to whose value every iteration adds as much. */
export interface Advancing {
  readonly name: string;
  readonly from: Expr;
  readonly by: Expr;
}

/**
 * Elements that one operation works on, 1 when absent: lane j takes the j-th element after the one named, along
 * the last index of registers and along the contiguous index of memory.
 */
interface Wide {
  readonly width?: number;
}

export type Statement =
  | { readonly op: 'comment'; readonly text: string }
  | { readonly op: 'blank' }
  /** `wide`: may pass 32 bits. */
  | { readonly op: 'let'; readonly name: string; readonly value: Expr; readonly wide?: true }
  /** A scalar (shape []) or array in registers; `initial` zero or undefined contents. */
  | {
      readonly op: 'registers';
      readonly name: string;
      readonly dtype: DType;
      readonly shape: readonly Expr[];
      readonly zeroed: boolean;
      /** Elements of the last index that are accessed together; a divisor of its extent. */
      readonly vector?: number;
      /** Elements that fill 32 bits together are kept as one word. */
      readonly packed?: true;
      /** Every index is known where it is used, so that each element or vector can be a variable of its own. */
      readonly named?: boolean;
    }
  | ({
      readonly op: 'assign';
      readonly place: Place;
      readonly value: Value;
      /** A copy from global to shared memory that is done when it has been waited for. */
      readonly asynchronous?: true;
      /** Adds to a place in global memory that others add to, in no order. */
      readonly atomic?: true;
    } & Wide)
  /** place += left * right, fused where the target fuses. */
  | ({
      readonly op: 'fma';
      readonly place: Place;
      readonly left: Value;
      readonly right: Value;
    } & Wide)
  /** Matrices in the registers of each warp, as many as `shape` says; sums begin at zero, others are not set. */
  | {
      readonly op: 'matrices';
      readonly name: string;
      readonly use: MatrixUse;
      readonly shape: readonly Expr[];
    }
  /**
   * All lanes of a warp together, at an address that they agree on: the element named is the matrix's first, its rows
   * (of `col`: columns) lie one after the other in memory.
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
  /** place += left * right, summed in the type of the sum. */
  | {
      readonly op: 'multiplyMatrices';
      readonly place: MatrixRegister;
      readonly left: MatrixRegister;
      readonly right: MatrixRegister;
    }
  /**
   * All lanes of a warp together: 8 rows of 16 bytes a matrix, of which lane i + 8 j names where row i of matrix j begins.
   * Lane l gets the 4 bytes l % 4 of row l / 4 of each, one matrix after the other; of rows that are turned over (16-bit
   * elements) it gets element l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1. Elements of tf32 are rounded to it.
   */
  | {
      readonly op: 'loadRows';
      readonly place: RegisterElement;
      readonly from: SharedElement;
      readonly matrices: 1 | 2 | 4;
      readonly turned: boolean;
    }
  /** All lanes of a warp together: place += left * right, of matrices that each lane holds its part of (plan/mma/fragments.ts). */
  | {
      readonly op: 'multiplyFragments';
      readonly place: RegisterElement;
      readonly left: RegisterElement;
      readonly right: RegisterElement;
    }
  /**
   * As many elements as fill 32 bits of `place`: each the nearest that its type has of one that `rest` begins with, which is
   * then without it.
   */
  | { readonly op: 'takePiece'; readonly place: RegisterElement; readonly rest: RegisterElement }
  | {
      readonly op: 'for';
      readonly index: string;
      readonly from: Expr;
      readonly to: Expr;
      readonly step: Expr;
      /** A hint to the compiler, or the iterations one after the other in the text. */
      readonly unroll: boolean | 'written-out';
      /** Never of a loop that is written out. */
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
  /** Closes the group of asynchronous copies that this thread has begun since the last one. */
  | { readonly op: 'commit' }
  /** Until all but the last `pending` groups of this thread are done. */
  | { readonly op: 'wait'; readonly pending: number };

export interface NamedConstant {
  readonly name: string;
  readonly value: number;
  readonly comment: string;
  /** Another kernel of the file declares it. */
  readonly shared?: true;
}

/** A two-dimensional array in shared memory, or a ring of `stages`; its extents are constants of the kernel. */
export interface SharedArray {
  readonly name: string;
  readonly dtype: DType;
  readonly stages?: Expr;
  /** Elements of a row that every access moves together, 1 when absent. */
  readonly vector?: number;
  readonly outer: Expr;
  readonly inner: Expr;
  /** Rows follow each other in one dimension, as loads of matrices ask. */
  readonly flat?: true;
}

export interface KernelIr {
  readonly entry: string;
  /** Absent for the kernel that multiplies: what is done to C before, or to the partial sums after it. */
  readonly pass?: Pass;
  /** One sentence a line: what the kernel does, for the head of the file. */
  readonly summary: readonly string[];
  /** Element types of the matrices in global memory. */
  readonly dtypes: Readonly<Record<GlobalOperand, DType>>;
  /** Of sums, products, alpha and beta. */
  readonly accumulator: DType;
  readonly constants: readonly NamedConstant[];
  readonly shared: readonly SharedArray[];
  /** Another kernel of the file declares the functions that it calls. */
  readonly helpers?: 'declared';
  /** Of what a warp multiplies: rows, columns and depth of its matrices, as constants of the kernel. */
  readonly matrices?: Readonly<Record<'m' | 'n' | 'k', Expr>>;
  /** The type of its factors, where lanes make them of what A and B are. */
  readonly factor?: DType;
  /** Elements that every access to a matrix in global memory moves together, 1 when absent. */
  readonly vectors?: Readonly<Partial<Record<GlobalOperand, number>>>;
  /** What it reads or writes in global memory, in the order it is passed. */
  readonly operands: readonly GlobalOperand[];
  /** Run-time scalars in the order they are passed. */
  readonly parameters: readonly ArgumentRole[];
  readonly body: readonly Statement[];
}
