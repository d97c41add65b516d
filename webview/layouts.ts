/** Matrix layouts in the notations of CuTe (shape:stride, K-major) and BLAS. */
import { t } from '@vscode/l10n';
import { blasView, majorMode } from '../src/core/spec/operandViews';
import { extent, type OperandName, type ResolvedProblem } from '../src/core/spec/resolved';

/** Returns the shape:stride notation of CuTe, such as `(1024,512):(512,1)`. */
export function shapeStride(problem: ResolvedProblem, operand: OperandName): string {
  const { rows, columns } = extent(problem, operand);
  const { layout, ld } = problem[operand];
  return `(${rows},${columns}):${layout === 'row' ? `(${ld},1)` : `(1,${ld})`}`;
}

export const majorName = (problem: ResolvedProblem, operand: OperandName): string =>
  `${majorMode(problem, operand)}-major`;

/**
 * Returns the transpose letters for column-major BLAS. A row-major C is computed as Cᵀ = BᵀAᵀ, so
 * the letter of B comes first.
 */
export function blasLetters(problem: ResolvedProblem): string {
  const { letters, order } = blasView(problem);
  return order === 'column-major'
    ? t('{0}, column-major BLAS', letters)
    : t('{0}, column-major BLAS computing Cᵀ = BᵀAᵀ', letters.replace(/(.)(.)/, '$2$1'));
}
