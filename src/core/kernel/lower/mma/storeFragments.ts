/**
 * Epilogue of `mma` on CUDA: accumulators are staged in shared memory, so that stores to C are
 * vectorized and coalesced.
 */
import { add, constant, div, int, mod, mul, variable } from '../../ir/expr';
import type { Expr, RegisterElement, SharedElement, Statement, Value } from '../../ir/ir';
import type { MmaPlan } from '../../../plan/plan';
import { productsOf } from '../../../spec/epilogue';
import { DTYPE_BYTES } from '../../../types/dtype';
import { epilogue } from '../epilogue';
import { FIRST, accumulatorAt, lane, warp } from './fragmentTiles';
import { widthOf } from '../simt/lanes';
import { comment, declare, forLoop, onlyIf } from '../loops';
import { MATRICES, SCRATCH, SHAPE } from './matrices';
import * as name from '../names';
import { assign } from '../staging';

const [m, n, i, j] = [variable('m'), variable('n'), variable('i'), variable('j')];
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;

/**
 * Stores the warp tile one row of MMAs at a time, or for a column-major C, one column of MMAs at a
 * time.
 */
export function storeFragments(plan: MmaPlan): readonly Statement[] {
  const row = plan.spec.problem.c.layout === 'row';
  const [slow, fast] = row ? (['m', 'n'] as const) : (['n', 'm'] as const);
  const where = plan.split?.reduction === 'two-pass' ? 'the workspace' : 'C';
  return [
    comment(
      `Epilogue: write this warp's accumulators to ${where}, ${plan.matrix.scratch?.lines ?? 0} ${row ? 'rows' : 'columns'} at a time. A lane holds two adjacent columns of rows lane/4 and lane/4 + 8; staging in shared memory makes the stores vectorized and coalesced.`,
    ),
    forLoop(
      slow,
      MATRICES[slow],
      [
        forLoop(fast, MATRICES[fast], [...gateFragment(plan), ...toShared(plan)], {
          unroll: true,
        }),
        { op: 'barrier' },
        ...fromShared(plan, slow),
        { op: 'barrier' },
      ],
      { unroll: true },
    ),
  ];
}

const scratch = (site: string, first: Expr, line: Expr, along: Expr): SharedElement => ({
  op: 'shared',
  site: { name: site, operand: 'c', once: true },
  array: SCRATCH,
  outer: add(mul(warp, first), line),
  inner: along,
});

const ACCUMULATORS = int(4);
/** Elements of a fragment of the gated result. */
const gatedAt = (index: Expr): RegisterElement => ({
  op: 'register',
  name: 'gated',
  index: [index],
});

/** Applies the gate to a fragment in registers, before it is staged. */
function gateFragment(plan: MmaPlan): readonly Statement[] {
  if (!isGated(plan)) return [];
  const { product } = epilogue(plan, { row: int(0), column: int(0) });
  const gated = assign(gatedAt(i), product(accumulatorAt(m, n, i)));
  return [
    {
      op: 'registers',
      name: 'gated',
      dtype: plan.accumulator,
      shape: [ACCUMULATORS],
      zeroed: false,
      vector: 2,
      inLoop: true,
    },
    forLoop('i', ACCUMULATORS, [gated], { unroll: true }),
  ];
}

const isGated = ({ spec, split }: MmaPlan): boolean =>
  split === undefined && productsOf(spec.problem) > 1;

/**
 * Stores a fragment to the epilogue buffer: a lane holds two adjacent columns of rows lane / 4 and
 * lane / 4 + 8.
 */
function toShared(plan: MmaPlan): readonly Statement[] {
  const row = plan.spec.problem.c.layout === 'row';
  const inRow = (half: number): Expr => add(div(lane, int(4)), int(8 * half));
  const inColumn = mul(mod(lane, int(4)), int(2));
  const place = (half: number, one: number): SharedElement => {
    const column = add(inColumn, int(one));
    return row
      ? scratch('Cs store', SHAPE.m, inRow(half), add(mul(n, SHAPE.n), column))
      : scratch('Cs store', SHAPE.n, column, add(mul(m, SHAPE.m), inRow(half)));
  };
  const sum = (index: Expr): RegisterElement =>
    isGated(plan) ? gatedAt(index) : accumulatorAt(m, n, index);
  return [0, 1].flatMap(half =>
    row
      ? [assign(place(half, 0), sum(int(2 * half)), 2)]
      : [0, 1].map(one => assign(place(half, one), sum(int(2 * half + one)))),
  );
}

function fromShared(plan: MmaPlan, slow: 'm' | 'n'): readonly Statement[] {
  const { storeWidth, scratch: extents = { lines: 0, inner: 0 } } = plan.matrix;
  const width = widthOf(plan, storeWidth);
  const [line, along] =
    slow === 'm' ? ([SHAPE.m, WARP_TILE.n] as const) : ([SHAPE.n, WARP_TILE.m] as const);
  const count = mul(line, along);
  const e = variable('e');
  const first = { outer: div(e, along), inner: mod(e, along) };
  const origin = { m: add(name.blockRow, FIRST.a), n: add(name.blockCol, FIRST.b) };
  const step = mul(slow === 'm' ? m : n, line);
  const across = add(add(origin[slow], step), first.outer);
  const beside = add(origin[slow === 'm' ? 'n' : 'm'], first.inner);
  const [row, col] = slow === 'm' ? [across, beside] : [beside, across];
  const element = (offset: Expr): SharedElement =>
    scratch('Cs load', line, first.outer, add(first.inner, offset));
  const whole = (extents.lines * extents.inner) % (32 * storeWidth) === 0;
  const body: readonly Statement[] = [
    declare('row', row),
    declare('col', col),
    ...onlyIf(name.inside(plan, 'c', name.row, name.col), update(plan, element)),
  ];
  return [
    forLoop(
      'i',
      count,
      [
        declare('e', add(i, mul(lane, width))),
        ...onlyIf(whole ? [] : [{ left: e, right: count }], body),
      ],
      { step: mul(int(32), width), unroll: true },
    ),
  ];
}

function update(plan: MmaPlan, element: (offset: Expr) => SharedElement): readonly Statement[] {
  const { storeWidth } = plan.matrix;
  const width = widthOf(plan, storeWidth);
  const given = epilogue(plan, { row: name.row, column: name.col });
  const { place, atomic, plain, readsC, old, stored } = given;
  const value = isGated(plan) ? given.total : given.value;
  if (storeWidth === 1) {
    const result: Value = stored(value(element(int(0)), old));
    return [{ ...assign(place, result), ...(atomic ? { atomic } : {}) }];
  }
  const held = (register: string, index: Expr): RegisterElement => ({
    op: 'register',
    name: register,
    index: [index],
  });
  const registers = (register: string): Statement => ({
    op: 'registers',
    name: register,
    dtype: plan.accumulator,
    shape: [width],
    zeroed: false,
    vector: storeWidth,
  });
  const chunk = Math.min(storeWidth, 16 / DTYPE_BYTES[plan.accumulator]);
  const load = (at: Expr): Statement => assign(held('out', at), element(at), chunk);
  return [
    registers('out'),
    ...(chunk === storeWidth
      ? [load(int(0))]
      : [forLoop('j', width, [load(j)], { step: int(chunk), unroll: true })]),
    ...(readsC ? [registers('old'), assign(held('old', int(0)), old, storeWidth)] : []),
    ...(plain
      ? []
      : [
          forLoop(
            'j',
            width,
            [assign(held('out', j), value(held('out', j), held('old', j), { offset: j }))],
            {
              unroll: true,
            },
          ),
        ]),
    assign(place, stored(held('out', int(0))), storeWidth),
  ];
}
