/** Indices into arrays of vectors. */
import { add, div, int, mul } from '../ir/expr';
import type { Expr } from '../ir/ir';

/**
 * Divides an index that is a multiple of `width` by `width`. Addends that are known multiples are
 * divided separately, so that adjacent accesses differ by a constant, which compilers fold into the
 * instruction.
 */
export function inVectors(index: Expr, width: number, valueOf: (expr: Expr) => number): Expr {
  if (width === 1) return index;
  const isKnown = (addend: Expr): boolean =>
    valueOf(addend) % width === 0 || (addend.op === '*' && valueOf(addend.right) === width);
  const addends = addendsOf(index);
  const rest = addends.filter(addend => !isKnown(addend));
  return [
    ...(rest.length === 0 ? [] : [div(sum(rest), int(width))]),
    ...addends.filter(isKnown).map(addend => divided(addend, width, valueOf)),
  ].reduce(add, int(0));
}

const addendsOf = (expr: Expr): readonly Expr[] =>
  expr.op === '+' ? [...addendsOf(expr.left), ...addendsOf(expr.right)] : [expr];

const sum = (addends: readonly Expr[]): Expr => addends.reduce(add, int(0));

/**
 * Divides a product: removes the factor that equals the width, or else divides a factor that is a
 * multiple of it.
 */
function divided(expr: Expr, width: number, valueOf: (expr: Expr) => number): Expr {
  const value = valueOf(expr);
  if (expr.op === 'int' || value === width) return int(value / width);
  if (expr.op !== '*') return div(expr, int(width));
  const { left, right } = expr;
  const isBetter = valueOf(right) === width || valueOf(left) % width !== 0;
  if (!isBetter) return mul(divided(left, width, valueOf), right);
  return valueOf(right) % width === 0
    ? mul(left, divided(right, width, valueOf))
    : div(expr, int(width));
}
