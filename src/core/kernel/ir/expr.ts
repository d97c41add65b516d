/** Builders of integer expressions with simple folding (x + 0, x * 1). */
import type { ArgumentRole } from './arguments';
import type { Axis, BinaryOp, Condition, Expr } from './ir';

export const int = (value: number): Expr => ({ op: 'int', value });
export const constant = (name: string): Expr => ({ op: 'constant', name });
export const parameter = (role: ArgumentRole): Expr => ({ op: 'parameter', role });
export const variable = (name: string): Expr => ({ op: 'variable', name });
export const threadIdx = (axis: Axis): Expr => ({ op: 'threadIdx', axis });
export const blockIdx = (axis: Axis): Expr => ({ op: 'blockIdx', axis });

export const WARP: Expr = { op: 'warpIdx' };
export const LANE: Expr = { op: 'laneIdx' };

const binary = (op: BinaryOp, left: Expr, right: Expr): Expr => ({ op, left, right });
const isInt = (expr: Expr, value: number): boolean => expr.op === 'int' && expr.value === value;

export const add = (left: Expr, right: Expr): Expr =>
  isInt(left, 0) ? right : isInt(right, 0) ? left : binary('+', left, right);
export const sub = (left: Expr, right: Expr): Expr =>
  isInt(right, 0) ? left : binary('-', left, right);
export const mul = (left: Expr, right: Expr): Expr =>
  isInt(left, 0) || isInt(right, 1) ? left : isInt(left, 1) ? right : binary('*', left, right);
export const div = (left: Expr, right: Expr): Expr =>
  isInt(right, 1) ? left : binary('/', left, right);
export const mod = (left: Expr, right: Expr): Expr =>
  isInt(right, 1) ? int(0) : binary('%', left, right);
export const xor = (left: Expr, right: Expr): Expr => binary('^', left, right);
export const min = (left: Expr, right: Expr): Expr => binary('min', left, right);
export const select = (condition: Condition, value: Expr, otherwise: Expr): Expr => ({
  op: 'select',
  condition,
  value,
  otherwise,
});
export const ceilDiv = (left: Expr, right: Expr): Expr =>
  isInt(right, 1) ? left : div(sub(add(left, right), int(1)), right);
