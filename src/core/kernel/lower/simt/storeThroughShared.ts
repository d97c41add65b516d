/**
 * Epilogue of `pipelined` for rows of C that are not aligned to the groups of accumulators of a
 * thread. Each warp passes its accumulators through shared memory, one line per lane at a time, so
 * that consecutive lanes store consecutive elements of C.
 */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, mod, mul, variable } from '../../ir/expr';
import type { Expr, RegisterElement, SharedElement, Statement, Value } from '../../ir/ir';
import type { LanedPlan, LaneScratch } from '../../../plan/plan';
import { epilogue } from '../epilogue';
import { comment, declare, forLoop, onlyIf } from '../loops';
import { accumulatorOrder } from '../mma/fragments';
import { SCRATCH } from '../mma/matrices';
import * as name from '../names';
import { assign } from '../staging';
import { LANES, resultOffset, widthOf } from './lanes';

const EXTENT = { m: name.TM, n: name.TN } as const;
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;
const FIRST = { m: name.threadRow, n: name.threadCol } as const;
const ORIGIN = { m: variable('warpRow'), n: variable('warpCol') } as const;
const [WARP, LANE] = [variable('warp'), variable('lane')];
const [LINE, FIRST_IN_LINE] = [variable('line'), variable('firstInLine')];

export function storeThroughShared(plan: LanedPlan, scratch: LaneScratch): readonly Statement[] {
  const [outer, inner] = accumulatorOrder(plan);
  const across = div(name.BN, WARP_TILE.n);
  return [
    comment(description(plan, outer)),
    declare('warpRow', add(name.blockRow, mul(div(WARP, across), WARP_TILE.m))),
    declare('warpCol', add(name.blockCol, mul(mod(WARP, across), WARP_TILE.n))),
    declare(
      'line',
      add(
        mul(WARP, LANES[outer]),
        div(mod(FIRST[outer], WARP_TILE[outer]), widthOf(plan, plan.lanes.group[outer])),
      ),
    ),
    declare('firstInLine', mod(FIRST[inner], WARP_TILE[inner])),
    forLoop(
      outer,
      EXTENT[outer],
      [
        forLoop(inner, EXTENT[inner], toShared(plan, scratch), {
          step: widthOf(plan, scratch.width),
          unroll: true,
        }),
        { op: 'barrier' },
        forLoop('i', EXTENT[inner], fromShared(plan), { unroll: true }),
        { op: 'barrier' },
      ],
      { unroll: true },
    ),
  ];
}

function description(plan: LanedPlan, outer: 'm' | 'n'): string {
  const where = plan.split?.reduction === 'two-pass' ? 'the workspace' : 'C';
  const [lines, elements] = outer === 'm' ? ['row', 'columns'] : ['column', 'rows'];
  return `Epilogue: write the accumulators to ${where} through shared memory, one ${lines} per thread at a time, so that consecutive lanes store consecutive ${elements}.`;
}

const inScratch = (site: string, outer: Expr, inner: Expr): SharedElement => ({
  op: 'shared',
  site: { name: site, operand: 'c', once: true },
  array: SCRATCH,
  outer,
  inner,
});

/** Stores a group of scaled accumulators to the staging buffer. */
function toShared(plan: LanedPlan, { width }: LaneScratch): readonly Statement[] {
  const [outer, inner] = accumulatorOrder(plan);
  const { product, plainProduct } = epilogue(plan, { row: int(0), column: int(0) });
  const accumulator = (j: Expr): RegisterElement => ({
    op: 'register',
    name: name.ACCUMULATOR,
    index: [variable(outer), add(variable(inner), j)],
  });
  const place = inScratch(
    'Cs store',
    LINE,
    add(FIRST_IN_LINE, resultOffset(plan, inner, variable(inner), width)),
  );
  if (width === 1 || plainProduct) return [assign(place, product(accumulator(int(0))), width)];
  const j = variable('j');
  const out = (index: Expr): RegisterElement => ({ op: 'register', name: 'out', index: [index] });
  return [
    {
      op: 'registers',
      name: 'out',
      dtype: plan.accumulator,
      shape: [widthOf(plan, width)],
      zeroed: false,
      vector: width,
    },
    forLoop('j', widthOf(plan, width), [assign(out(j), product(accumulator(j)))], { unroll: true }),
    assign(place, out(int(0)), width),
  ];
}

/** Stores one element per lane from the staging buffer to C. */
function fromShared(plan: LanedPlan): readonly Statement[] {
  const [outer, inner] = accumulatorOrder(plan);
  const e = variable('e');
  const [line, inLine] = [div(e, WARP_TILE[inner]), mod(e, WARP_TILE[inner])];
  const group = widthOf(plan, plan.lanes.group[outer]);
  const position = {
    [outer]: add(
      add(ORIGIN[outer], mul(line, group)),
      resultOffset(plan, outer, variable(outer), 1),
    ),
    [inner]: add(ORIGIN[inner], inLine),
  } as Readonly<Record<'m' | 'n', Expr>>;
  const { place, total, old, stored } = epilogue(plan, { row: name.row, column: name.col });
  const held: Value = inScratch('Cs load', add(mul(WARP, LANES[outer]), line), inLine);
  return [
    declare('e', add(mul(variable('i'), int(WARP_LANES)), LANE)),
    declare('row', position.m),
    declare('col', position.n),
    ...onlyIf(name.inside(plan, 'c', name.row, name.col), [
      assign(place, stored(total(held, old))),
    ]),
  ];
}
