/**
 * Main loop of `register-tile`: factors are loaded directly from global memory, by each lane, or
 * for A by one lane per quad and k. Accesses outside a matrix are clamped to its last row or
 * column; their results are not stored.
 */
import { add, constant, div, int, min, mod, mul, sub, threadIdx, variable } from '../../ir/expr';
import type { Expr, GlobalElement, RegisterElement, Statement } from '../../ir/ir';
import { kPerLoad, QUAD as QUAD_LANES } from '../../../plan/simt/registerTile';
import type { LanedPlan } from '../../../plan/plan';
import { multiplied, packedWidth, accumulatorOrder, unrolled } from '../mma/fragments';
import { offsetOf, widthOf } from './lanes';
import { BLANK, comment, declare, forLoop } from '../loops';
import * as name from '../names';
import { siteAt, type At } from '../staging';

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
const SIDES = { a: 'm', b: 'n' } as const;
const EXTENT = { m: name.TM, n: name.TN } as const;
const LABEL = { a: 'A load', b: 'B load' } as const;
/** Registers with the values that a lane loads for its quad, before the broadcast. */
const OWN = 'own';
const QUAD = constant('QUAD');
const isShared = (plan: LanedPlan, { edge }: Pick<At, 'edge'>): boolean =>
  plan.lanes.sharing === 'quad' && edge !== 'end';

const loadsSeveralK = (plan: LanedPlan, operand: Operand): boolean =>
  kPerLoad(plan.lanes[operand]) > 1;

const WHOLE = { edge: 'none' } as const;

export function zeroDirect(plan: LanedPlan): readonly Statement[] {
  const { group, storeWidth } = plan.lanes;
  const named = plan.target === 'wgsl';
  const [outer, inner] = accumulatorOrder(plan);
  const registers = (
    register: string,
    shape: readonly Expr[],
    { zeroed = false, vector }: { readonly zeroed?: boolean; readonly vector: number },
  ): Statement => ({
    op: 'registers',
    name: register,
    dtype: plan.accumulator,
    shape,
    zeroed,
    vector,
    named,
  });
  // In CUDA, converted elements are loaded into registers one by one.
  const moved = (operand: 'a' | 'b' | 'c', width: number): number =>
    plan.dtypes[operand] === plan.accumulator ? width : 1;
  const factors = (operand: Operand): Statement => {
    const side = SIDES[operand];
    const { width } = plan.lanes[operand];
    const depths = loadsSeveralK(plan, operand) ? [int(depthsAtOnce(plan, WHOLE))] : [];
    const packs = side === inner ? packedWidth(plan) : 1;
    return registers(name.FRAGMENT[operand], [EXTENT[side], ...depths], {
      vector: named ? width : Math.max(moved(operand, width), packs),
    });
  };
  const shared = isShared(plan, WHOLE);
  return [
    declare('row', add(name.blockRow, name.threadRow)),
    declare('col', add(name.blockCol, name.threadCol)),
    ...(shared ? [comment(SHARED), declare('quadLane', mod(threadIdx('x'), QUAD))] : []),
    BLANK,
    registers(name.ACCUMULATOR, [EXTENT[outer], EXTENT[inner]], {
      zeroed: true,
      vector: named ? group[inner] : Math.max(moved('c', storeWidth), packedWidth(plan)),
    }),
    ...OPERANDS.map(factors),
    ...(shared
      ? [
          registers(OWN, [name.TM, ...(several(plan) ? [int(loadsPerRow(plan))] : [])], {
            vector: 1,
          }),
        ]
      : []),
    BLANK,
  ];
}

const SHARED =
  'The four lanes of a quad own the same rows: each lane loads every fourth k of A and broadcasts the values.';

const loadsPerRow = (plan: LanedPlan): number => depthsAtOnce(plan, WHOLE) / QUAD_LANES;

const several = (plan: LanedPlan): boolean => loadsPerRow(plan) > 1;

/** Returns the number of k values that are loaded before their FMAs. */
function depthsAtOnce(plan: LanedPlan, at: Pick<At, 'edge'>): number {
  const { a, b } = plan.lanes;
  return Math.max(kPerLoad(a), kPerLoad(b), isShared(plan, at) ? QUAD_LANES : 1);
}

/**
 * Emits the unrolled loop over k of one iteration. The K remainder is not unrolled, and its loads
 * are not shared within quads.
 */
export function directKLoop(plan: LanedPlan, at: At): readonly Statement[] {
  const many = depthsAtOnce(plan, at);
  const whole = at.edge !== 'end';
  const shared = isShared(plan, at);
  const { m } = plan.thread;
  const n = name.computedColumns(plan, plan.thread.n);
  const ahead = [
    ...OPERANDS.filter(operand => loadsSeveralK(plan, operand)).map(operand =>
      loadDepths(plan, operand, at, many),
    ),
    ...(shared ? [loadOwn(plan, at)] : []),
  ];
  const each = OPERANDS.filter(
    operand => !loadsSeveralK(plan, operand) && !(shared && operand === 'a'),
  );
  const depth = many === 1 ? int(0) : variable('j');
  const one = [
    ...(shared ? [broadcast(plan, depth)] : []),
    ...each.map(operand => loadDepth(plan, operand, at, depth)),
    ...multiplied(plan, (operand, index) =>
      factor(operand, index, loadsSeveralK(plan, operand) ? depth : undefined),
    ),
  ];
  const unroll = unrolled(plan);
  const body = [...ahead, ...(many === 1 ? one : [forLoop('j', int(many), one, { unroll })])];
  return [
    ...(whole ? [comment(`Per k: ${m} + ${n} loads feed ${m * n} FMAs.`)] : []),
    forLoop('k', at.depth, body, { step: int(many), unroll: whole ? unroll : false }),
  ];
}

const factor = (operand: Operand, index: Expr, depth?: Expr): RegisterElement => ({
  op: 'register',
  name: name.FRAGMENT[operand],
  index: [index, ...(depth === undefined ? [] : [depth])],
});

/** Loads rows of A or columns of B at one k, vectorized along the contiguous dimension. */
function loadDepth(plan: LanedPlan, operand: Operand, at: At, depth: Expr): Statement {
  const { width } = plan.lanes[operand];
  const index = variable(SIDES[operand]);
  const value = element(plan, { operand, at, index, depth: add(variable('k'), depth), width });
  return eachOf(plan, operand, width, [load(plan, operand, factor(operand, index), value)]);
}

/** Loads elements with adjacent k of each row of A or column of B. */
function loadDepths(plan: LanedPlan, operand: Operand, at: At, many: number): Statement {
  const { width } = plan.lanes[operand];
  const index = variable(SIDES[operand]);
  const loadAt = (first: Expr): Statement => {
    const value = element(plan, { operand, at, index, depth: add(variable('k'), first) });
    return load(plan, operand, factor(operand, index, first), value);
  };
  const loads =
    many === width
      ? loadAt(int(0))
      : forLoop('j', int(many), [loadAt(variable('j'))], {
          step: widthOf(plan, width),
          unroll: unrolled(plan),
        });
  return eachOf(plan, operand, 1, [loads]);
}

function loadOwn(plan: LanedPlan, at: At): Statement {
  const own = (place: RegisterElement, first: Expr): Statement => {
    const depth = add(add(variable('k'), first), variable('quadLane'));
    const value = element(plan, { operand: 'a', at, index: variable('m'), depth });
    return { op: 'assign', place, value: name.toAccumulator(plan, 'a', value) };
  };
  const i = variable('i');
  const unroll = unrolled(plan);
  return eachOf(plan, 'a', 1, [
    several(plan)
      ? forLoop('i', int(loadsPerRow(plan)), [own(ownOf(i), mul(i, QUAD))], { unroll })
      : own(ownOf(), int(0)),
  ]);
}

function broadcast(plan: LanedPlan, depth: Expr): Statement {
  const [value, lane] = several(plan)
    ? [ownOf(div(depth, QUAD)), mod(depth, QUAD)]
    : [ownOf(), depth];
  return eachOf(plan, 'a', 1, [
    {
      op: 'assign',
      place: factor('a', variable('m')),
      value: { op: 'quadBroadcast', value, lane },
    },
  ]);
}

const ownOf = (quarter?: Expr): RegisterElement => ({
  op: 'register',
  name: OWN,
  index: [variable('m'), ...(quarter === undefined ? [] : [quarter])],
});

const eachOf = (
  plan: LanedPlan,
  operand: Operand,
  width: number,
  body: readonly Statement[],
): Statement =>
  forLoop(SIDES[operand], EXTENT[SIDES[operand]], body, {
    step: widthOf(plan, width),
    unroll: unrolled(plan),
  });

function load(
  plan: LanedPlan,
  operand: Operand,
  place: RegisterElement,
  value: GlobalElement,
): Statement {
  const { width } = plan.lanes[operand];
  return {
    op: 'assign',
    place,
    value: name.toAccumulator(plan, operand, value),
    ...(width === 1 ? {} : { width }),
  };
}

/**
 * Returns `width` elements that start at a thread's row or column `index`, clamped to the matrix.
 */
function element(
  plan: LanedPlan,
  given: {
    readonly operand: Operand;
    readonly at: At;
    readonly index: Expr;
    readonly depth: Expr;
    readonly width?: number;
  },
): GlobalElement {
  const { operand, at, index, depth, width = 1 } = given;
  const side = SIDES[operand];
  const [first, size] = operand === 'a' ? [name.row, name.M] : [name.col, name.N];
  const inMatrix = add(first, offsetOf(plan, side, index, width));
  const last = sub(size, widthOf(plan, width));
  const across = plan.guards[side] ? min(inMatrix, last) : inMatrix;
  const along = add(at.k0, depth);
  const [row, column] = operand === 'a' ? [across, along] : [along, across];
  const found = name.globalElement(plan, { operand, row, column, site: LABEL[operand] });
  return { ...found, site: siteAt(LABEL[operand], operand, at) };
}
