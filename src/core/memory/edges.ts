/** Tests against the sizes of the matrix, which hold away from its edges, and what happens where a test fails. */
import type { Condition, Expr } from '../kernel/ir/ir';

/** An index that is held below the end of the matrix, or at it, is below it. */
export const awayFromEdges = (expr: Expr): Expr =>
  expr.op === 'min' && isSize(expr.right.op === '-' ? expr.right.left : expr.right)
    ? expr.left
    : expr;

/** The ways in which a conjunction does not hold, one without another. */
export const failures = (condition: Condition): readonly Condition[] =>
  condition.map(({ left, right, orEqual }, i) => [
    ...condition.slice(0, i),
    { left: right, right: left, ...(orEqual === true ? {} : { orEqual: true }) },
  ]);

/** Along K a kernel goes no further than the matrix. */
export const isSize = (expr: Expr): boolean => expr.op === 'parameter' && expr.role !== 'k';
