/** The resolved spec, with all defaults applied. Keys and emitted text depend only on it. */
import type { DType } from '../types/dtype';
import type { Algorithm, Layout, Schedule, Target } from './schema';

export interface ResolvedOperand {
  readonly dtype: DType;
  readonly layout: Layout;
  /** Leading dimension: stride of the non-contiguous index, in elements. */
  readonly ld: number;
  /** Elements between consecutive matrices of a batch. */
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
}

export interface WebgpuLimits {
  readonly invocations: number;
  readonly workgroupStorageBytes: number;
}

/** A schedule with its algorithm, tiles and variant filled in. */
export type ResolvedSchedule = Schedule & { readonly algorithm: Algorithm };

export interface ResolvedSpec {
  readonly version: 1;
  readonly problem: ResolvedProblem;
  readonly schedule: ResolvedSchedule;
  readonly device: string;
  /** Requested targets, or every legal target if none was requested. */
  readonly targets: readonly Target[];
  readonly webgpuLimits?: WebgpuLimits;
}

export type OperandName = 'a' | 'b' | 'c';
export const OPERANDS = ['a', 'b', 'c'] as const satisfies readonly OperandName[];

/** Returns the rows and columns of an operand: A is m x k, B is k x n, C is m x n. */
export function extent(
  problem: ResolvedProblem,
  operand: OperandName,
): { rows: number; columns: number } {
  const { m, n, k } = problem;
  if (operand === 'a') return { rows: m, columns: k };
  if (operand === 'b') return { rows: k, columns: n };
  return { rows: m, columns: n };
}

/** Returns the elements between the first and last element of one matrix in memory, inclusive. */
export function matrixElements(problem: ResolvedProblem, operand: OperandName): number {
  const { rows, columns } = extent(problem, operand);
  const { layout, ld } = problem[operand];
  return layout === 'row' ? (rows - 1) * ld + columns : (columns - 1) * ld + rows;
}

/** Returns the elements spanned by all matrices of a batch. */
export const spanElements = (problem: ResolvedProblem, operand: OperandName): number =>
  (problem.batch - 1) * problem[operand].batchStride + matrixElements(problem, operand);

/** Buffers in global memory: the matrices, and partial results. */
export type GlobalOperand = 'a' | 'b' | 'c' | 'workspace';

/** Returns the floating-point (or integer) operations of a GEMM: 2 m n k per batch entry. */
export const flops = ({ m, n, k, batch }: ResolvedProblem): number => 2 * m * n * k * batch;
