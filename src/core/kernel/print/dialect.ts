/** What a target language says differently. Everything else is printed once, in print.ts. */
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
import type { Plan } from '../../plan/plan';
import type { Layout } from '../../spec/schema';
import type { GlobalOperand } from '../../spec/resolved';

export type ForStatement = Extract<Statement, { op: 'for' }>;
export type RegistersStatement = Extract<Statement, { op: 'registers' }>;
export type MatricesStatement = Extract<Statement, { op: 'matrices' }>;
export type LoadRows = Extract<Statement, { op: 'loadRows' }>;
export type RegisterPlace = Extract<Place, { op: 'register' }>;

/** Neighbouring elements that are moved at once, and converted where the two types differ. */
export interface MoveType {
  readonly width: number;
  readonly from: DType;
  readonly to: DType;
  /** Whether they go to memory, or come to registers. */
  readonly stores: boolean;
}

/** One asynchronous or vector move, its two places as text. */
export interface Move {
  readonly to: string;
  readonly from: string;
  readonly type: MoveType;
}

/** One multiply-add of `width` neighbouring results; a broadcast factor is a scalar. */
export interface MultiplyAdd {
  readonly dtype: DType;
  readonly width: number;
  readonly place: string;
  readonly left: string;
  readonly right: string;
  readonly broadcast?: 'left' | 'right';
}

/** One load or store of a matrix: its array, where it begins and how far its rows are apart, in elements of the array. */
export interface MatrixMove {
  readonly matrix: string;
  readonly array: string;
  readonly at: string;
  readonly stride: string;
  readonly order: Layout;
}

/** Prints parts of statements that a dialect composes. */
export interface Printer {
  readonly plan: Plan;
  /** `rightOf`: the operator that stands before it, when a dialect composes a product or a sum. */
  expr(expr: GlobalElement['outer'], rightOf?: '*' | '+'): string;
  /** The value of an expression of literals and constants. */
  value(expr: GlobalElement['outer']): number;
  lines(statements: readonly Statement[]): readonly string[];
  /** What the lines printed so far move at once, asynchronous copies left out. */
  moves(): readonly MoveType[];
}

export interface Dialect {
  readonly type: (dtype: DType) => string;
  readonly zero: (dtype: DType) => string;
  readonly parameter: (role: ArgumentRole) => string;
  /** alpha or beta in the type of the sum. */
  readonly scalar: (role: 'alpha' | 'beta', accumulator: DType) => string;
  /** What an operand in global memory is called. */
  readonly global: (operand: GlobalOperand) => string;
  readonly index: (space: 'thread' | 'block', axis: Axis) => string;
  /** The warp of a block, and the lane of a warp. */
  readonly warp: string;
  readonly lane: string;
  readonly letInt: (name: string, value: string) => string;
  /** One that changes. */
  readonly varInt: (name: string, value: string) => string;
  readonly letWide: (name: string, value: string) => string;
  readonly registers: (statement: RegistersStatement, printer: Printer) => readonly string[];
  /** `width` elements of a register array, of which the first is named. */
  readonly register: (
    place: RegisterPlace,
    declared: RegistersStatement,
    access: { readonly width: number; readonly printer: Printer },
  ) => string;
  readonly forHead: (loop: ForStatement, printer: Printer) => readonly string[];
  /** Index into an array of vectors of `vector` elements. */
  readonly globalIndex: (element: GlobalElement, vector: number, printer: Printer) => string;
  /** Elements of a vector type; 1 where arrays hold scalars and wide accesses cast their pointer. */
  readonly arrayVector: (vector: number | undefined) => number;
  /** Moves neighbouring elements at once. */
  readonly move: (move: Move) => string;
  /** The same between global and shared memory, without waiting for it. */
  readonly moveAsynchronously: (move: Move) => readonly string[];
  /** Adds to a place in global memory that others add to. */
  readonly addAtomically: (to: string, value: string) => string;
  /** Names a value that registers would only hold, or null where they are declared first. */
  readonly letValue: (name: string, value: string) => string | null;
  readonly commit: string;
  readonly wait: (pending: number) => string;
  readonly broadcast: (value: string, width: number, dtype: DType) => string;
  /** A vector of these elements. */
  readonly lanes: (values: readonly string[], dtype: DType) => string;
  /** What one of the four threads of a quad holds. */
  readonly quadBroadcast: (value: string, lane: string) => string;
  readonly fma: (of: MultiplyAdd) => string;
  readonly matrices: (statement: MatricesStatement, printer: Printer) => readonly string[];
  readonly matrix: (of: MatrixRegister, declared: MatricesStatement, printer: Printer) => string;
  readonly loadMatrix: (move: MatrixMove, use: MatrixUse) => string;
  readonly storeMatrix: (move: MatrixMove) => string;
  readonly multiplyMatrices: (place: string, left: string, right: string) => string;
  /** Rows of shared memory to the parts of matrices that each lane holds. */
  readonly loadRows: (
    to: string,
    from: string,
    load: Pick<LoadRows, 'matrices' | 'turned'>,
  ) => string;
  readonly multiplyFragments: (place: string, left: string, right: string) => string;
  /** A word of pieces, which what is left of their elements is then without. */
  readonly takePiece: (place: string, rest: string) => string;
  readonly convert: (value: string, type: Omit<MoveType, 'stores'>) => string;
  /** A conditional value as one expression, or null where the language has none that skips the load. */
  readonly conditional: (condition: string, value: string, zero: string) => string | null;
  readonly barrier: string;
  /** Everything around the body. */
  readonly file: (ir: KernelIr, body: readonly string[], printer: Printer) => readonly string[];
}

/** Extents of a shared array as text, its stages first when it has several. */
export const sharedExtents = (array: SharedArray, printer: Printer): readonly string[] =>
  [...(array.stages === undefined ? [] : [array.stages]), array.outer, array.inner].map(extent =>
    printer.expr(extent),
  );

/** Declarations of constants, comments aligned; those that the rest of the text has no use for are left out. */
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
