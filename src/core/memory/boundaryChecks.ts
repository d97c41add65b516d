/**
 * Recognizes boundary checks against the matrix dimensions. They always hold for interior tiles, so
 * the analysis omits the checks and their failing branches.
 */
import type { Condition, Expr } from '../kernel/ir/ir';

/** Replaces an index that is clamped to a matrix dimension by the unclamped index. */
export const withoutClamp = (expr: Expr): Expr =>
  expr.op === 'min' && isSize(expr.right.op === '-' ? expr.right.left : expr.right)
    ? expr.left
    : expr;

/**
 * Returns the conditions for the failing branches of a conjunction: each condition negates one of
 * its tests and keeps the earlier tests.
 */
export const failures = (condition: Condition): readonly Condition[] =>
  condition.map(({ left, right, orEqual }, i) => [
    ...condition.slice(0, i),
    { left: right, right: left, ...(orEqual === true ? {} : { orEqual: true }) },
  ]);

/**
 * Tests whether an expression is a matrix dimension. K is excluded, because loops never exceed it.
 */
export const isSize = (expr: Expr): boolean => expr.op === 'parameter' && expr.role !== 'k';
