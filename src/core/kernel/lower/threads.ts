/** Rows and columns of C per block and per thread. */
import { add, blockIdx, div, mod, mul, threadIdx } from '../ir/expr';
import type { Expr, Statement } from '../ir/ir';
import type { Plan } from '../../plan/plan';
import { comment } from './loops';
import * as name from './names';

const declare = (variable: string, value: Expr): Statement => ({
  op: 'let',
  name: variable,
  value,
});

export function threadPosition(plan: Plan): readonly Statement[] {
  const [blockY, blockX] =
    plan.gridMap === 'x-rows' ? [blockIdx('x'), blockIdx('y')] : [blockIdx('y'), blockIdx('x')];
  const firstRow = mul(blockY, name.BM);
  const firstColumn = mul(blockX, name.BN);
  if (name.isThreadTiled(plan)) {
    const [threadRow, threadColumn] = threadTile(plan);
    return [
      declare('blockRow', firstRow),
      declare('blockCol', firstColumn),
      comment(
        plan.algorithm === 'thread-tile-1d'
          ? "Row and column of the first of this thread's TM accumulators, which are adjacent in a column."
          : "Row and column of the first element of this thread's TM x TN tile of accumulators.",
      ),
      declare('threadRow', threadRow),
      declare('threadCol', threadColumn),
    ];
  }
  const [threadRow, threadColumn] = threadElement(plan);
  if (plan.shared === undefined) {
    return [
      declare('row', add(firstRow, threadRow)),
      declare('col', add(firstColumn, threadColumn)),
    ];
  }
  return [
    declare('threadRow', threadRow),
    declare('threadCol', threadColumn),
    declare('blockRow', firstRow),
    declare('blockCol', firstColumn),
    declare('row', add(name.blockRow, name.threadRow)),
    declare('col', add(name.blockCol, name.threadCol)),
  ];
}

/**
 * Returns the row and column in the tile of the thread's element, if it computes only one element.
 */
function threadElement(plan: Plan): readonly [Expr, Expr] {
  if (plan.threadMap === 'x-rows') return [threadIdx('x'), threadIdx('y')];
  if (plan.threadMap === 'x-columns') return [threadIdx('y'), threadIdx('x')];
  return [div(threadIdx('x'), name.BN), mod(threadIdx('x'), name.BN)];
}

/** Returns the row and column in the tile of the first element of the thread's TM x TN tile. */
function threadTile(plan: Plan): readonly [Expr, Expr] {
  const tid = threadIdx('x');
  if (plan.algorithm === 'thread-tile-1d') {
    return [mul(div(tid, name.BN), name.TM), mod(tid, name.BN)];
  }
  const across = div(name.BN, name.TN);
  return [mul(div(tid, across), name.TM), mul(mod(tid, across), name.TN)];
}
