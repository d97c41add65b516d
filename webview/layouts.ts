/** Matrix layouts in the notations of CuTe (shape:stride, K-major) and BLAS. */
import { t } from '@vscode/l10n';
import { extent, type OperandName, type ResolvedProblem } from '../src/core/spec/resolved';

/** Returns the shape:stride notation of CuTe, such as `(1024,512):(512,1)`. */
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

export const majorName = (problem: ResolvedProblem, operand: OperandName): string =>
  MAJOR[operand][problem[operand].layout];

/**
 * Returns the transpose letters for column-major BLAS. A row-major C is computed as Cᵀ = BᵀAᵀ, so
 * the letter of B comes first.
 */
export function blasLetters(problem: ResolvedProblem): string {
  const letter = (operand: 'a' | 'b', plain: 'row' | 'col') =>
    problem[operand].layout === plain ? 'N' : 'T';
  return problem.c.layout === 'col'
    ? t('{0}, column-major BLAS', `${letter('a', 'col')}${letter('b', 'col')}`)
    : t('{0}, column-major BLAS computing Cᵀ = BᵀAᵀ', `${letter('b', 'row')}${letter('a', 'row')}`);
}
