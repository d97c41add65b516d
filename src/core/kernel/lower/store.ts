/** Epilogue that stores one element at a time. */
import { add, int, variable } from '../ir/expr';
import type { Expr, Statement, Value } from '../ir/ir';
import type { Plan } from '../../plan/plan';
import { epilogue, isScaled } from './epilogue';
import { comment } from './loops';
import * as name from './names';

export function store(plan: Plan): readonly Statement[] {
  if (!name.isThreadTiled(plan)) {
    const write = update(plan, name.row, name.col, []);
    const condition = plan.shared === undefined ? [] : name.inside(plan, 'c', name.row, name.col);
    return condition.length === 0 ? [write] : [{ op: 'if', condition, body: [write] }];
  }
  return storeTile(plan);
}

function storeTile(plan: Plan): readonly Statement[] {
  const wide = plan.algorithm === 'thread-tile-2d';
  const [m, n] = [variable('m'), variable('n')];
  const condition = name.inside(plan, 'c', name.row, name.col);
  const column = add(add(name.blockCol, name.threadCol), wide ? n : int(0));
  const write = update(plan, name.row, name.col, wide ? [m, n] : [m]);
  const guarded: Statement =
    condition.length === 0 ? write : { op: 'if', condition, body: [write] };
  const declareColumn: Statement = { op: 'let', name: 'col', value: column };
  const row: Statement = {
    op: 'let',
    name: 'row',
    value: add(add(name.blockRow, name.threadRow), m),
  };
  const loop = (index: string, to: Expr, body: readonly Statement[]): Statement => ({
    op: 'for',
    index,
    from: int(0),
    to,
    step: int(1),
    unroll: true,
    body,
  });
  return [
    storeComment(plan, 1),
    loop('m', name.TM, [
      row,
      ...(wide ? [loop('n', name.TN, [declareColumn, guarded])] : [declareColumn, guarded]),
    ]),
  ];
}

export function storeComment(plan: Plan, width: number): Statement {
  const { split } = plan;
  if (split?.reduction === 'atomic') {
    const scaled = isScaled(plan) ? 'alpha times ' : '';
    return comment(
      `Epilogue: add ${scaled}this thread's accumulators to C. atomicAdd is required, because other slices update the same elements.`,
    );
  }
  const where = split?.reduction === 'two-pass' ? 'the workspace' : 'C';
  const several = width === 1 ? '' : `, ${width} elements per vectorized store`;
  return comment(`Epilogue: write this thread's accumulators to ${where}${several}.`);
}

function update(plan: Plan, row: Expr, column: Expr, index: readonly Expr[]): Statement {
  const { place, atomic, old, value, stored } = epilogue(plan, { row, column });
  const result: Value = { op: 'register', name: name.ACCUMULATOR, index };
  return {
    op: 'assign',
    place,
    value: stored(value(result, old)),
    ...(atomic ? { atomic } : {}),
  };
}
