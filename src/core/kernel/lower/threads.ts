/** Who computes what: the rows and columns of C that a block and a thread own. */
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

/** Declarations at the top of the kernel: blockRow, blockCol, threadRow, threadCol or row, col. */
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
          ? "The first of this thread's TM results, which are neighbours in a column."
          : "The first of this thread's TM x TN results, which are neighbours.",
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

/** The thread's element of the tile when it has one. */
function threadElement(plan: Plan): readonly [Expr, Expr] {
  if (plan.threadMap === 'x-rows') return [threadIdx('x'), threadIdx('y')];
  if (plan.threadMap === 'x-columns') return [threadIdx('y'), threadIdx('x')];
  return [div(threadIdx('x'), name.BN), mod(threadIdx('x'), name.BN)];
}

/** The first of the thread's results: TM x TN of them, neighbours in C. */
function threadTile(plan: Plan): readonly [Expr, Expr] {
  const tid = threadIdx('x');
  if (plan.algorithm === 'thread-tile-1d') {
    return [mul(div(tid, name.BN), name.TM), mod(tid, name.BN)];
  }
  const across = div(name.BN, name.TN);
  return [mul(div(tid, across), name.TM), mul(mod(tid, across), name.TN)];
}
