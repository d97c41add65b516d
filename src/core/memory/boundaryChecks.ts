/**
 * Boundary checks against the matrix size, which hold for interior tiles, and their failing
 * branches.
 */
import type { Condition, Expr } from '../kernel/ir/ir';

/** Replaces an index clamped to the matrix size by the unclamped index. */
export const withoutClamp = (expr: Expr): Expr =>
  expr.op === 'min' && isSize(expr.right.op === '-' ? expr.right.left : expr.right)
    ? expr.left
    : expr;

/** Returns the conditions under which exactly one test of a conjunction fails. */
export const failures = (condition: Condition): readonly Condition[] =>
  condition.map(({ left, right, orEqual }, i) => [
    ...condition.slice(0, i),
    { left: right, right: left, ...(orEqual === true ? {} : { orEqual: true }) },
  ]);

/** Returns whether an expression is a matrix size; K is excluded, because loops never exceed it. */
export const isSize = (expr: Expr): boolean => expr.op === 'parameter' && expr.role !== 'k';
