/** The resolved spec: every default filled in. Keys and emitted text are functions of it alone. */
import type { DType } from '../types/dtype';
import type { Algorithm, Layout, Schedule, Target } from './schema';

export interface ResolvedOperand {
  readonly dtype: DType;
  readonly layout: Layout;
  /** Stride, in elements, of the index that is not contiguous. */
  readonly ld: number;
  /** Elements between two matrices of a batch. */
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
  /** Targets asked for, or every legal one when none was. */
  readonly targets: readonly Target[];
  readonly webgpuLimits?: WebgpuLimits;
}

export type OperandName = 'a' | 'b' | 'c';
export const OPERANDS = ['a', 'b', 'c'] as const satisfies readonly OperandName[];

/** Rows and columns of an operand: A is m x k, B is k x n, C is m x n. */
export function extent(
  problem: ResolvedProblem,
  operand: OperandName,
): { rows: number; columns: number } {
  const { m, n, k } = problem;
  if (operand === 'a') return { rows: m, columns: k };
  if (operand === 'b') return { rows: k, columns: n };
  return { rows: m, columns: n };
}

/** Elements that one of an operand's matrices spans in memory, from its first to its last element. */
export function matrixElements(problem: ResolvedProblem, operand: OperandName): number {
  const { rows, columns } = extent(problem, operand);
  const { layout, ld } = problem[operand];
  return layout === 'row' ? (rows - 1) * ld + columns : (columns - 1) * ld + rows;
}

/** Elements that all matrices of a batch span. */
export const spanElements = (problem: ResolvedProblem, operand: OperandName): number =>
  (problem.batch - 1) * problem[operand].batchStride + matrixElements(problem, operand);

/** What lies in global memory: the matrices, and partial sums. */
export type GlobalOperand = 'a' | 'b' | 'c' | 'workspace';

/** Floating-point (or integer) operations of a product: 2 m n k a batch entry. */
export const flops = ({ m, n, k, batch }: ResolvedProblem): number => 2 * m * n * k * batch;
