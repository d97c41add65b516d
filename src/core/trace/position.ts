/** Rows and columns of elements of A, B and C. */
import { operandOf, type BufferName, type ResolvedProblem } from '../spec/resolved';

export interface Position {
  readonly row: number;
  readonly column: number;
}

/** Returns the position in a matrix of batch entry 0, from the element index in memory. */
export function positionOf(problem: ResolvedProblem, operand: BufferName, index: number): Position {
  const { layout, ld } = operandOf(problem, operand);
  const [outer, inner] = [Math.floor(index / ld), index % ld];
  return layout === 'row' ? { row: outer, column: inner } : { row: inner, column: outer };
}

/** Returns the element index in memory of a position in a matrix of batch entry 0. */
export function indexOf(
  problem: ResolvedProblem,
  operand: BufferName,
  { row, column }: Position,
): number {
  const { layout, ld } = operandOf(problem, operand);
  return layout === 'row' ? row * ld + column : column * ld + row;
}
