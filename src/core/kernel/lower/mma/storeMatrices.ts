/**
 * Epilogue of `mma` with subgroup matrices: stores whole matrices if possible, otherwise through
 * shared memory.
 */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, LANE, mod, mul, variable, WARP } from '../../ir/expr';
import type { Expr, SharedElement, Statement } from '../../ir/ir';
import type { WarpMatrixPlan } from '../../../plan/plan';
import { epilogue } from '../epilogue';
import { widthOf } from '../simt/lanes';
import { comment, declare, forLoop, onlyIf } from '../loops';
import { FIRST, MATRICES, SCRATCH, SHAPE, accumulatorAt } from './matrices';
import * as name from '../names';

const [m, n, i] = [variable('m'), variable('n'), variable('i')];
const LANES = int(WARP_LANES);

export function storeMatrices(plan: WarpMatrixPlan): readonly Statement[] {
  const { direct } = plan.matrix;
  const where = plan.split === undefined ? 'C' : 'the workspace';
  const unroll = 'written-out' as const;
  const each = direct ? storeDirectly(plan) : throughShared(plan);
  return [
    comment(
      direct
        ? `Epilogue: write this subgroup's accumulators to ${where}.`
        : `Epilogue: write this subgroup's accumulators to ${where}, one matrix at a time through shared memory.`,
    ),
    forLoop('m', MATRICES.m, [forLoop('n', MATRICES.n, each, { unroll })], { unroll }),
  ];
}

const originOf = (): readonly [Expr, Expr] => [
  add(add(name.blockRow, FIRST.m), mul(m, SHAPE.m)),
  add(add(name.blockCol, FIRST.n), mul(n, SHAPE.n)),
];

function storeDirectly(plan: WarpMatrixPlan): readonly Statement[] {
  const [row, column] = originOf();
  const { place } = epilogue(plan, { row, column });
  return [
    { op: 'storeMatrix', place, value: accumulatorAt(m, n), order: plan.spec.problem.c.layout },
  ];
}

/** Stores through a buffer of one matrix per warp. The barriers synchronize the thread block. */
function throughShared(plan: WarpMatrixPlan): readonly Statement[] {
  const { storeWidth } = plan.matrix;
  const width = widthOf(plan, storeWidth);
  const [lines, along] = name.ordered(plan, 'c', SHAPE.m, SHAPE.n);
  const scratch = (line: Expr, inLine: Expr): SharedElement => ({
    op: 'shared',
    site: { name: 'Cs load', operand: 'c' },
    array: SCRATCH,
    outer: add(mul(WARP, lines), line),
    inner: inLine,
  });
  const [line, inLine] = [div(i, along), mod(i, along)];
  const [originRow, originColumn] = originOf();
  const [inRow, inColumn] = name.ordered(plan, 'c', line, inLine);
  const [row, column] = [variable('row'), variable('col')];
  const { place, old, value, stored } = epilogue(plan, { row, column });
  const write: Statement = {
    op: 'assign',
    place,
    value: stored(value(scratch(line, inLine), old, { width: storeWidth })),
    ...(storeWidth === 1 ? {} : { width: storeWidth }),
  };
  const first = scratch(int(0), int(0));
  return [
    {
      op: 'storeMatrix',
      value: accumulatorAt(m, n),
      order: plan.spec.problem.c.layout,
      place: { ...first, site: { ...first.site, name: 'Cs store' } },
    },
    { op: 'barrier' },
    forLoop(
      'i',
      mul(constant('MMA_M'), constant('MMA_N')),
      [
        declare('row', add(originRow, inRow)),
        declare('col', add(originColumn, inColumn)),
        ...onlyIf(name.inside(plan, 'c', row, column), [write]),
      ],
      { from: mul(LANE, width), step: mul(LANES, width) },
    ),
    { op: 'barrier' },
  ];
}
