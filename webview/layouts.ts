/** How a matrix lies in memory, in the words of each community: shape:stride, CuTe's major name, BLAS letters. */
import { t } from '@vscode/l10n';
import { extent, type OperandName, type ResolvedProblem } from '../src/core/spec/resolved';

/** CuTe's shape:stride, e.g. `(1024,512):(512,1)`. */
export function shapeStride(problem: ResolvedProblem, operand: OperandName): string {
  const { rows, columns } = extent(problem, operand);
  const { layout, ld } = problem[operand];
  return `(${rows},${columns}):${layout === 'row' ? `(${ld},1)` : `(1,${ld})`}`;
}

const MAJOR = {
  a: { row: 'K-major', col: 'M-major' },
  b: { row: 'N-major', col: 'K-major' },
  c: { row: 'N-major', col: 'M-major' },
} as const;

/** Which index is contiguous, as CuTe and CUTLASS name it. */
export const majorName = (problem: ResolvedProblem, operand: OperandName): string =>
  MAJOR[operand][problem[operand].layout];

/**
 * The two letters of a column-major BLAS. A row-major C is asked of it as its transpose, the product of B and A
 * transposed, so B then comes first.
 */
export function blasLetters(problem: ResolvedProblem): string {
  const letter = (operand: 'a' | 'b', plain: 'row' | 'col') =>
    problem[operand].layout === plain ? 'N' : 'T';
  return problem.c.layout === 'col'
    ? t('{0}, column-major BLAS', `${letter('a', 'col')}${letter('b', 'col')}`)
    : t('{0}, column-major BLAS asked for Cᵀ = BᵀAᵀ', `${letter('b', 'row')}${letter('a', 'row')}`);
}
