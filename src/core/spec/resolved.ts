/** Resolved spec, with all defaults applied. Spec keys and emitted kernels depend only on it. */
import type { DType } from '../types/dtype';
import { epilogueOperands, productsOf, type EpilogueName, type EpilogueOp } from './epilogue';
import type { Algorithm, Layout, Schedule, Target } from './schema';

export interface ResolvedOperand {
  readonly dtype: DType;
  readonly layout: Layout;
  /** Leading dimension in elements: stride of the non-contiguous dimension. */
  readonly ld: number;
  /** Number of elements from the start of one matrix of a batch to the next. */
  readonly batchStride: number;
}

export interface ResolvedProblem {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly batch: number;
  readonly a: ResolvedOperand;
  readonly b: ResolvedOperand;
  readonly c: ResolvedOperand;
  readonly accumulator: DType;
  readonly alpha: number;
  readonly beta: number;
  /** Operations on the result; absent if there are none. */
  readonly epilogue?: readonly EpilogueOp[];
}

export interface WebgpuLimits {
  readonly invocations: number;
  readonly workgroupStorageBytes: number;
}

export type ResolvedSchedule = Schedule & { readonly algorithm: Algorithm };

export interface ResolvedSpec {
  readonly version: 1;
  readonly problem: ResolvedProblem;
  readonly schedule: ResolvedSchedule;
  readonly device: string;
  /** Targets of the spec; every legal target if the spec lists none. */
  readonly targets: readonly Target[];
  readonly webgpuLimits?: WebgpuLimits;
  /** Limit of the workspace in bytes; absent for the default of plan/workspace.ts. */
  readonly workspaceLimitBytes?: number;
}

export type OperandName = 'a' | 'b' | 'c';
export const OPERANDS = ['a', 'b', 'c'] as const satisfies readonly OperandName[];

/** Matrices and vectors that a caller passes to the kernel. */
export type BufferName = OperandName | EpilogueName;

export interface SizedOperand extends ResolvedOperand {
  readonly rows: number;
  readonly columns: number;
}

/** Returns an operand with its extents: A is m x k, B is k x n, C is m x n. */
export function operandOf(problem: ResolvedProblem, name: BufferName): SizedOperand {
  if (name === 'a' || name === 'b' || name === 'c')
    return { ...problem[name], ...extent(problem, name) };
  const found = epilogueOperands(problem).find(operand => operand.name === name);
  if (found === undefined) throw new Error(`The epilogue has no operand ${name}`);
  return found;
}

/** Returns the names of all matrices and vectors, in argument order. */
export const buffersOf = (problem: ResolvedProblem): readonly BufferName[] => [
  ...OPERANDS,
  ...epilogueOperands(problem).map(({ name }) => name),
];

/** Returns the number of rows and columns of an operand: A is m x k, B is k x n, C is m x n. */
export function extent(
  problem: ResolvedProblem,
  operand: OperandName,
): { rows: number; columns: number } {
  const { m, n, k } = problem;
  if (operand === 'a') return { rows: m, columns: k };
  if (operand === 'b') return { rows: k, columns: n };
  return { rows: m, columns: n };
}

/**
 * Returns the number of elements from the first to the last element of one matrix in memory,
 * including gaps.
 */
export function matrixElements(problem: ResolvedProblem, operand: BufferName): number {
  const { rows, columns, layout, ld } = operandOf(problem, operand);
  return layout === 'row' ? (rows - 1) * ld + columns : (columns - 1) * ld + rows;
}

/** Returns the number of elements that the matrices of a batch span in memory. */
export const spanElements = (problem: ResolvedProblem, operand: BufferName): number =>
  (problem.batch - 1) * operandOf(problem, operand).batchStride + matrixElements(problem, operand);

/** Buffers in global memory: matrices, vectors, and the workspace for partial results. */
export type GlobalOperand = BufferName | 'workspace';

/** Element types of the buffers of a kernel. */
export type BufferTypes = Readonly<Record<OperandName | 'workspace', DType>> &
  Readonly<Partial<Record<EpilogueName, DType>>>;

/** Returns the element type of a buffer of a kernel. */
export function bufferType(dtypes: BufferTypes, buffer: GlobalOperand): DType {
  const dtype = dtypes[buffer];
  if (dtype === undefined) throw new Error(`The kernel has no operand ${buffer}`);
  return dtype;
}

/**
 * Returns the number of floating-point or integer operations of a GEMM: 2 m n k per batch entry and
 * product. A gate has two products.
 */
export const flops = (problem: ResolvedProblem): number =>
  2 * problem.m * problem.n * problem.k * problem.batch * productsOf(problem);
