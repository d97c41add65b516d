/** Prints integer expressions and conditions. */
import type { Condition, Expr } from '../ir/ir';
import type { Dialect } from './dialect';

const PRECEDENCE = { '*': 3, '/': 3, '%': 3, '+': 2, '-': 2, '<<': 1, '^': 0, min: 4 } as const;

/** Returns the minimum precedence at which a right operand of `op` needs no parentheses. */
export const within = (op: '*' | '+'): number => PRECEDENCE[op] + (op === '*' ? 0.5 : 0);

export function printExpr(expr: Expr, dialect: Dialect, outer = -1): string {
  switch (expr.op) {
    case 'int':
      return String(expr.value);
    case 'constant':
    case 'variable':
      return expr.name;
    case 'parameter':
      return dialect.parameter(expr.role);
    case 'threadIdx':
      return dialect.index('thread', expr.axis);
    case 'blockIdx':
      return dialect.index('block', expr.axis);
    case 'warpIdx':
      return dialect.warp;
    case 'laneIdx':
      return dialect.lane;
    case 'min':
      return `min(${printExpr(expr.left, dialect)}, ${printExpr(expr.right, dialect)})`;
    case 'select': {
      const text = dialect.select(
        printCondition(expr.condition, dialect),
        printExpr(expr.value, dialect),
        printExpr(expr.otherwise, dialect),
      );
      return outer < 0 || !text.includes('?') ? text : `(${text})`;
    }
    default: {
      const level = PRECEDENCE[expr.op];
      // WGSL requires parentheses between bitwise and arithmetic operators; C++ compilers warn
      // without them.
      const bits = expr.op === '^' || expr.op === '<<';
      // Operators are left-associative: a right operand of the same precedence keeps its
      // parentheses unless the operator is +.
      const right = bits ? 4 : expr.op === '+' ? level : level + 0.5;
      const text = `${printExpr(expr.left, dialect, bits ? 4 : level)} ${expr.op} ${printExpr(expr.right, dialect, right)}`;
      return level < outer ? `(${text})` : text;
    }
  }
}

export const printCondition = (condition: Condition, dialect: Dialect): string =>
  condition
    .map(
      ({ left, right, orEqual }) =>
        `${printExpr(left, dialect)} ${orEqual ? '<=' : '<'} ${printExpr(right, dialect)}`,
    )
    .join(' && ');
