/**
 * Two views of the matrices: the user's view of BLAS (stored shape, transposed or not), and the
 * implementation's view of CuTe (modes and strides).
 */
import { layoutOf, type Layout } from '../layout/layout';
import type { DType } from '../types/dtype';
import { extent, OPERANDS, type OperandName, type ResolvedProblem } from './resolved';

export type ModeName = 'M' | 'N' | 'K';

/** CuTe's modes of each matrix: the K mode of B comes last, as in A. */
export const CUTE_MODES = {
  a: ['M', 'K'],
  b: ['N', 'K'],
  c: ['M', 'N'],
} as const satisfies Record<OperandName, readonly [ModeName, ModeName]>;

export interface OperandView {
  readonly operand: OperandName;
  /** Whether BLAS transposes the stored matrix; false for C. */
  readonly isTransposed: boolean;
  /** The stored matrix in the storage order of C. */
  readonly stored: {
    readonly rows: number;
    readonly columns: number;
    readonly strides: readonly [number, number];
  };
  readonly modes: readonly [ModeName, ModeName];
  /** Mode with stride 1. */
  readonly major: ModeName;
  readonly layout: Layout;
}

export interface BlasView {
  /** BLAS name of the routine, such as `SGEMM`; null for element types that BLAS does not have. */
  readonly routine: string | null;
  /** Storage order of all matrices: BLAS has one order per call, that of C. */
  readonly order: 'column-major' | 'row-major';
  /** Letters of A and B: N (not transposed) or T (transposed). */
  readonly letters: string;
  /** `K-major`: both operands have stride 1 in K. `MN-major`: both in M or N. */
  readonly arrangement: 'MN-major' | 'K-major' | 'mixed';
  readonly operands: readonly OperandView[];
}

/** Returns the layout of a matrix with CuTe's modes: (M,K), (N,K) or (M,N). */
export function matrixLayout(problem: ResolvedProblem, operand: OperandName): Layout {
  const { layout, ld } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const stride = layout === 'col' ? [1, ld] : [ld, 1];
  return operand === 'b'
    ? layoutOf([columns, rows], stride.toReversed())
    : layoutOf([rows, columns], stride);
}

/** Returns the mode with stride 1. */
export function majorMode(problem: ResolvedProblem, operand: OperandName): ModeName {
  const [first, second] = CUTE_MODES[operand];
  const isFirst = (problem[operand].layout === 'col') !== (operand === 'b');
  return isFirst ? first : second;
}

const PREFIX: Partial<Record<DType, string>> = { f32: 'S', f64: 'D' };

export function blasView(problem: ResolvedProblem): BlasView {
  const operands = OPERANDS.map(operand => viewOf(problem, operand));
  const letters = operands.slice(0, 2).map(({ isTransposed }) => (isTransposed ? 'T' : 'N'));
  const deep = [majorMode(problem, 'a'), majorMode(problem, 'b')].filter(mode => mode === 'K');
  const types = OPERANDS.map(operand => problem[operand].dtype);
  const prefix = types.every(dtype => dtype === types[0]) ? PREFIX[problem.c.dtype] : undefined;
  return {
    routine: prefix === undefined ? null : `${prefix}GEMM`,
    order: problem.c.layout === 'col' ? 'column-major' : 'row-major',
    letters: letters.join(''),
    arrangement: deep.length === 0 ? 'MN-major' : deep.length === 2 ? 'K-major' : 'mixed',
    operands,
  };
}

function viewOf(problem: ResolvedProblem, operand: OperandName): OperandView {
  const { layout, ld } = problem[operand];
  const { rows, columns } = extent(problem, operand);
  const isTransposed = layout !== problem.c.layout;
  return {
    operand,
    isTransposed,
    stored: {
      rows: isTransposed ? columns : rows,
      columns: isTransposed ? rows : columns,
      strides: problem.c.layout === 'col' ? [1, ld] : [ld, 1],
    },
    modes: CUTE_MODES[operand],
    major: majorMode(problem, operand),
    layout: matrixLayout(problem, operand),
  };
}
