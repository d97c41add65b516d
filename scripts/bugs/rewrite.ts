/**
 * Rewrites a loop IR at one position. Every position where a rewrite applies is a separate seed.
 */
import type { Expr, Statement, Value } from '../../src/core/kernel/ir/ir';

/** Rewrite of a statement: returns its replacement, or undefined if the rewrite does not apply. */
export type Change = (statement: Statement) => readonly Statement[] | undefined;

/**
 * Returns one rewritten body per position where the rewrite applies, with the statement that
 * changed.
 */
export function everywhere(
  body: readonly Statement[],
  change: Change,
): readonly { readonly changed: Statement; readonly body: readonly Statement[] }[] {
  return all(body).flatMap(changed => {
    const by = change(changed);
    return by === undefined ? [] : [{ changed, body: replaced(body, changed, by) }];
  });
}

const all = (body: readonly Statement[]): readonly Statement[] =>
  body.flatMap(statement => [statement, ...bodies(statement).flatMap(all)]);

const bodies = (statement: Statement): readonly (readonly Statement[])[] =>
  statement.op === 'for'
    ? [statement.body]
    : statement.op === 'if'
      ? [statement.body, statement.otherwise ?? []]
      : [];

function replaced(
  body: readonly Statement[],
  target: Statement,
  by: readonly Statement[],
): readonly Statement[] {
  return body.flatMap(statement => {
    if (statement === target) return by;
    if (statement.op === 'for') {
      return [{ ...statement, body: replaced(statement.body, target, by) }];
    }
    if (statement.op !== 'if') return [statement];
    const { otherwise } = statement;
    return [
      {
        ...statement,
        body: replaced(statement.body, target, by),
        ...(otherwise === undefined ? {} : { otherwise: replaced(otherwise, target, by) }),
      },
    ];
  });
}

/**
 * Returns a rewrite of the operands and the destination of an assignment or FMA. It applies only if
 * `change` replaces a value.
 */
export const inValues =
  (change: (value: Value) => Value | undefined): Change =>
  statement => {
    if (statement.op !== 'assign' && statement.op !== 'fma') return undefined;
    const seen = new Set<Value>();
    const visit = (value: Value): Value => {
      const by = change(value);
      if (by !== undefined) {
        seen.add(value);
        return by;
      }
      switch (value.op) {
        case 'mul':
        case 'add':
          return { ...value, left: visit(value.left), right: visit(value.right) };
        case 'broadcast':
        case 'convert':
        case 'guarded':
          return { ...value, value: visit(value.value) };
        default:
          return value;
      }
    };
    const place = visit(statement.place);
    if (place.op !== 'register' && place.op !== 'global' && place.op !== 'shared') return undefined;
    const next: Statement =
      statement.op === 'assign'
        ? { ...statement, place, value: visit(statement.value) }
        : { ...statement, place, left: visit(statement.left), right: visit(statement.right) };
    return seen.size > 0 ? [next] : undefined;
  };

/**
 * Replaces each outermost operation `op` with its left operand; returns undefined if there is none.
 */
export function withoutRight(expr: Expr, op: '^' | 'min'): Expr | undefined {
  if (!('left' in expr)) return undefined;
  if (expr.op === op) return expr.left;
  const [left, right] = [withoutRight(expr.left, op), withoutRight(expr.right, op)];
  if (left === undefined && right === undefined) return undefined;
  return { ...expr, left: left ?? expr.left, right: right ?? expr.right };
}
