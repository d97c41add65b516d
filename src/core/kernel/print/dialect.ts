/**
 * Interface of a target language. print.ts prints all code that is common to the target languages.
 */
import type { Activation } from '../../types/activations';
import type { DType } from '../../types/dtype';
import type { ArgumentRole } from '../ir/arguments';
import type {
  Axis,
  GlobalElement,
  KernelIr,
  MatrixRegister,
  Place,
  MatrixUse,
  SharedArray,
  Statement,
} from '../ir/ir';
import type { Layout } from '../../spec/schema';
import type { GlobalOperand } from '../../spec/resolved';

export type ForStatement = Extract<Statement, { op: 'for' }>;
export type RegistersStatement = Extract<Statement, { op: 'registers' }>;
export type MatricesStatement = Extract<Statement, { op: 'matrices' }>;
export type LoadRows = Extract<Statement, { op: 'loadRows' }>;
export type RegisterPlace = Extract<Place, { op: 'register' }>;

/** Vectorized access to adjacent elements, with conversion if the two types differ. */
export interface MoveType {
  readonly width: number;
  readonly from: DType;
  readonly to: DType;
  readonly stores: boolean;
}

/** One asynchronous or vectorized move between two printed addresses. */
export interface Move {
  readonly to: string;
  readonly from: string;
  readonly type: MoveType;
}

/** One FMA on `width` adjacent accumulators; a broadcast factor is a scalar. */
export interface MultiplyAdd {
  readonly dtype: DType;
  readonly width: number;
  readonly place: string;
  readonly left: string;
  readonly right: string;
  readonly broadcast?: 'left' | 'right';
}

/** One load or store of a matrix: array, start index and row stride, in elements of the array. */
export interface MatrixMove {
  readonly matrix: string;
  readonly array: string;
  readonly at: string;
  readonly stride: string;
  readonly order: Layout;
}

/** Properties of the launch that the printed code depends on. */
export interface PrintOptions {
  /** Matrices whose element offsets may exceed 32 bits. */
  readonly wideOffsets: readonly GlobalOperand[];
  /** Whether shared memory is allocated by the launch, not by static arrays. */
  readonly dynamicShared: boolean;
  /** Whether the launch bounds state a minimum number of resident blocks per SM. */
  readonly boundsBlocks: boolean;
  /** Arguments of `@workgroup_size` for the main kernel and its pre-pass or post-pass. */
  readonly workgroupSize: { readonly main: string; readonly pass: string };
  /** Whether the WGSL kernel uses subgroup functions without subgroup matrices. */
  readonly subgroups: boolean;
}

export interface Printer {
  readonly options: PrintOptions;
  /**
   * Prints an expression; `rightOf` is the operator to its left if a dialect composes a product or
   * a sum.
   */
  expr(expr: GlobalElement['outer'], rightOf?: '*' | '+'): string;
  value(expr: GlobalElement['outer']): number;
  lines(statements: readonly Statement[]): readonly string[];
  /** Returns the vectorized moves of the lines printed so far, without asynchronous copies. */
  moves(): readonly MoveType[];
}

export interface Dialect {
  readonly type: (dtype: DType) => string;
  readonly zero: (dtype: DType) => string;
  readonly parameter: (role: ArgumentRole) => string;
  readonly scalar: (role: 'alpha' | 'beta', accumulator: DType) => string;
  readonly global: (operand: GlobalOperand) => string;
  readonly index: (space: 'thread' | 'block', axis: Axis) => string;
  readonly warp: string;
  readonly lane: string;
  readonly letInt: (name: string, value: string) => string;
  readonly varInt: (name: string, value: string) => string;
  readonly letWide: (name: string, value: string) => string;
  readonly registers: (statement: RegistersStatement, printer: Printer) => readonly string[];
  /** Prints `width` elements of a register array that start at the given element. */
  readonly register: (
    place: RegisterPlace,
    declared: RegistersStatement,
    access: { readonly width: number; readonly printer: Printer },
  ) => string;
  readonly forHead: (loop: ForStatement, printer: Printer) => readonly string[];
  /** Prints an index into an array of vectors of `vector` elements. */
  readonly globalIndex: (element: GlobalElement, vector: number, printer: Printer) => string;
  /**
   * Returns the number of elements per array element; 1 if arrays hold scalars and vectorized
   * accesses cast the pointer.
   */
  readonly arrayVector: (vector: number | undefined) => number;
  readonly move: (move: Move) => string;
  readonly moveAsynchronously: (move: Move) => readonly string[];
  readonly addAtomically: (to: string, value: string) => string;
  /** Declares a constant for a loaded value, or returns null if registers are declared first. */
  readonly letValue: (name: string, value: string) => string | null;
  readonly commit: string;
  readonly wait: (pending: number) => string;
  readonly gridDependency: (action: 'wait' | 'launch') => string;
  readonly broadcast: (value: string, width: number, dtype: DType) => string;
  readonly lanes: (values: readonly string[], dtype: DType) => string;
  /** Prints a broadcast of the value in one of the four lanes of a quad. */
  readonly quadBroadcast: (value: string, lane: string) => string;
  /** Prints the value of the lane whose index differs in the bits of the mask. */
  readonly shuffleXor: (value: string, mask: string) => string;
  readonly fma: (of: MultiplyAdd) => string;
  readonly matrices: (statement: MatricesStatement, printer: Printer) => readonly string[];
  readonly matrix: (of: MatrixRegister, declared: MatricesStatement, printer: Printer) => string;
  readonly loadMatrix: (move: MatrixMove, use: MatrixUse) => string;
  readonly storeMatrix: (move: MatrixMove) => string;
  readonly multiplyMatrices: (place: string, left: string, right: string) => string;
  readonly loadRows: (
    to: string,
    from: string,
    load: Pick<LoadRows, 'matrices' | 'transposed'>,
  ) => string;
  readonly multiplyFragments: (place: string, left: string, right: string) => string;
  /** Prints the rounding of elements to one word of terms (FP32 emulation). */
  readonly takePiece: (place: string, rest: string) => string;
  readonly convert: (value: string, type: Omit<MoveType, 'stores'>) => string;
  /** Prints an activation of `width` values of the accumulator type. */
  readonly activation: (
    of: Activation,
    value: string,
    type: { readonly width: number; readonly dtype: DType },
  ) => string;
  /**
   * Prints a conditional value as an expression, or returns null if the language cannot skip the
   * load.
   */
  readonly conditional: (condition: string, value: string, zero: string) => string | null;
  /** Prints a selection between two integers. */
  readonly select: (condition: string, value: string, otherwise: string) => string;
  readonly barrier: string;
  readonly file: (ir: KernelIr, body: readonly string[], printer: Printer) => readonly string[];
}

/** Returns the extents of a shared array as source code, the stage count first. */
export const sharedExtents = (array: SharedArray, printer: Printer): readonly string[] =>
  [...(array.stages === undefined ? [] : [array.stages]), array.outer, array.inner].map(extent =>
    printer.expr(extent),
  );

/** Declares the constants that the printed code uses, with aligned comments. */
export function constantLines(
  ir: KernelIr,
  rest: readonly string[],
  declare: (name: string, value: number) => string,
): readonly string[] {
  const text = rest.join('\n');
  const used = ir.constants.filter(
    ({ name, shared }) => shared !== true && new RegExp(`\\b${name}\\b`).test(text),
  );
  const declarations = used.map(({ name, value }) => declare(name, value));
  const width = Math.max(0, ...declarations.map(line => line.length));
  return used.map(({ comment }, i) => `${(declarations[i] ?? '').padEnd(width)}  // ${comment}`);
}
