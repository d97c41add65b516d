/** Matrices of a comparison, with access by row and column. */
import type { EpilogueName } from '../spec/epilogue';
import type { OperandName, ResolvedOperand, ResolvedProblem } from '../spec/resolved';
import type { MatrixData } from './inputs';

export interface Matrices {
  readonly a: MatrixData;
  readonly b: MatrixData;
  readonly c: MatrixData;
  /** C before the kernel, if beta is not 0. */
  readonly c0: MatrixData | null;
  /** Operands of the epilogue. */
  readonly epilogue?: Readonly<Partial<Record<EpilogueName, MatrixData>>>;
}

export type Reader = (row: number, column: number) => number;

export const reader = (problem: ResolvedProblem, operand: OperandName, data: MatrixData): Reader =>
  readerOf(problem[operand], data);

export function readerOf(
  { layout, ld }: Pick<ResolvedOperand, 'layout' | 'ld'>,
  data: ArrayLike<number>,
): Reader {
  return layout === 'row'
    ? (row, column) => data[row * ld + column] ?? NaN
    : (row, column) => data[column * ld + row] ?? NaN;
}
