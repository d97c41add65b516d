/** Epilogue of `vectorized` and later algorithms, with vectorized stores. */
import { add, int, variable } from '../../ir/expr';
import type { Condition, Expr, Statement, Value } from '../../ir/ir';
import type { LanedPlan } from '../../../plan/plan';
import { epilogue } from '../epilogue';
import { accumulatorOrder, unrolled } from '../mma/fragments';
import { firstInMatrix, resultOffset, widthOf } from './lanes';
import { comment, declare, forLoop, onlyIf } from '../loops';
import * as name from '../names';
import { storeComment } from '../store';
import { storeThroughShared } from './storeThroughShared';

const EXTENT = { m: name.TM, n: name.TN } as const;
const SIZE = { m: name.M, n: name.N } as const;
const FIRST = { m: name.row, n: name.col } as const;
const POSITION = { m: 'r', n: 'c' } as const;

export function storeLanes(plan: LanedPlan): readonly Statement[] {
  if (plan.lanes.scratch !== undefined) return storeThroughShared(plan, plan.lanes.scratch);
  const width = plan.lanes.storeWidth;
  const [outer, inner] = accumulatorOrder(plan);
  const unroll = unrolled(plan);
  const at = (side: 'm' | 'n', step: number): Expr =>
    add(FIRST[side], resultOffset(plan, side, variable(side), step));
  const line = variable(POSITION[outer]);
  const along = at(inner, width);
  // WGSL loops are fully unrolled, so constant offsets are printed as expressions instead of names.
  const named = plan.target === 'cuda';
  const place = named ? variable(POSITION[inner]) : along;
  const [row, column] = outer === 'm' ? [line, place] : [place, line];
  const tests = (side: 'm' | 'n', position: Expr): Condition =>
    plan.guards[side] ? [{ left: position, right: SIZE[side] }] : [];
  const stores = forLoop(
    inner,
    EXTENT[inner],
    [
      ...(named ? [declare(POSITION[inner], along)] : []),
      ...onlyIf(tests(inner, place), update(plan, { row, column, order: [outer, inner] }, width)),
    ],
    { step: widthOf(plan, width), unroll },
  );
  return [
    storeComment(plan, width),
    ...(plan.shared === undefined
      ? []
      : [
          declare('row', add(name.blockRow, firstInMatrix(plan, 'm', name.threadRow))),
          declare('col', add(name.blockCol, firstInMatrix(plan, 'n', name.threadCol))),
        ]),
    ...(named ? groupComment(plan, outer) : []),
    forLoop(
      outer,
      EXTENT[outer],
      [declare(POSITION[outer], at(outer, 1)), ...onlyIf(tests(outer, line), [stores])],
      { unroll },
    ),
  ];
}

function groupComment(plan: LanedPlan, side: 'm' | 'n'): readonly Statement[] {
  const group = plan.lanes.group[side];
  if (group === 1 || group === plan.thread[side]) return [];
  const [one, all] = side === 'm' ? ['Row m', 'rows'] : ['Column n', 'columns'];
  return [
    comment(
      `${one} of the thread belongs to group ${side} / ${group} of ${group} adjacent ${all}.`,
    ),
  ];
}

function update(
  plan: LanedPlan,
  {
    row,
    column,
    order: [outer, inner],
  }: { readonly row: Expr; readonly column: Expr; readonly order: readonly ['m' | 'n', 'm' | 'n'] },
  width: number,
): readonly Statement[] {
  const { place, atomic, plain, readsC, old, value, stored } = epilogue(plan, { row, column });
  const result = (j: Expr): Value => ({
    op: 'register',
    name: name.ACCUMULATOR,
    index: [variable(outer), add(variable(inner), j)],
  });
  const wide = width === 1 ? {} : { width };
  if (width === 1 || plan.target === 'wgsl' || plain) {
    const whole = stored(value(result(int(0)), old, { width }));
    return [{ op: 'assign', place, value: whole, ...wide, ...(atomic ? { atomic } : {}) }];
  }
  // Vector accesses only move data; arithmetic is per element in registers.
  const j = variable('j');
  const held = (index: Expr) => ({ op: 'register', name: 'out', index: [index] }) as const;
  const sum: Statement = {
    op: 'assign',
    place: held(j),
    value: value(result(j), held(j), { offset: j }),
  };
  return [
    {
      op: 'registers',
      name: 'out',
      dtype: plan.accumulator,
      shape: [widthOf(plan, width)],
      zeroed: false,
      vector: width,
    },
    ...(readsC
      ? [{ op: 'assign', place: held(int(0)), value: old, width } satisfies Statement]
      : []),
    forLoop('j', widthOf(plan, width), [sum], { unroll: true }),
    { op: 'assign', place, value: stored(held(int(0))), width },
  ];
}
