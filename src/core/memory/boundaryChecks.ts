/**
 * Recognizes bounds checks against the matrix dimensions. The analysis treats every tile as an
 * interior tile, where these checks always hold. It therefore omits the checks and their failing
 * branches.
 */
import type { Condition, Expr } from '../kernel/ir/ir';

/**
 * Returns the unclamped index if an expression clamps it to a matrix dimension. Returns other
 * expressions unchanged.
 */
export const withoutClamp = (expr: Expr): Expr =>
  expr.op === 'min' && isSize(expr.right.op === '-' ? expr.right.left : expr.right)
    ? expr.left
    : expr;

/**
 * Returns a condition for each test of a conjunction: the test fails, and all earlier tests hold.
 */
export const failures = (condition: Condition): readonly Condition[] =>
  condition.map(({ left, right, orEqual }, i) => [
    ...condition.slice(0, i),
    { left: right, right: left, ...(orEqual === true ? {} : { orEqual: true }) },
  ]);

/**
 * Tests whether an expression is a run-time parameter other than K. In bounds checks, such a
 * parameter is M or N.
 */
export const isSize = (expr: Expr): boolean => expr.op === 'parameter' && expr.role !== 'k';
