/**
 * Main loop of `gemv`. The threads of a block split K: each thread loads its runs of k directly
 * from global memory to registers, and accumulates all rows of C for its columns. All loads of a
 * k-iteration precede its FMAs, so that many bytes are in flight. Rows and columns outside the
 * matrices are clamped; their results are not stored.
 */
import { add, constant, div, int, min, mod, mul, sub, threadIdx, variable } from '../../ir/expr';
import type { Expr, GlobalElement, RegisterElement, Statement, Value } from '../../ir/ir';
import type { GemvPlan, LanedPlan } from '../../../plan/plan';
import { accumulatorOrder, unrolled } from '../mma/fragments';
import { blockPosition, LANES, offsetOf, widthOf } from './lanes';
import { BLANK, comment, declare, forLoop } from '../loops';
import * as name from '../names';
import { assign, siteAt, type At } from '../staging';

export interface GemvKernel extends LanedPlan {
  readonly lanes: LanedPlan['lanes'] & { readonly gemv: GemvPlan };
}

export const isGemv = (plan: LanedPlan): plan is GemvKernel => plan.lanes.gemv !== undefined;

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
const SIDES = { a: 'm', b: 'n' } as const;
const EXTENT = { m: name.TM, n: name.TN } as const;
const LABEL = { a: 'A load', b: 'B load' } as const;
const TK = constant('TK');
const THREADS_K = constant('THREADS_K');
export const threadK = variable('threadK');
const [i, j] = [variable('i'), variable('j')];

/** Declares the coordinates of the thread along N and K, and its first row, column and k. */
export function gemvPosition(plan: GemvKernel): readonly Statement[] {
  const { gemv, group } = plan.lanes;
  const tid = threadIdx('x');
  const [alongK, alongN] = gemv.isAlongK
    ? [mod(tid, THREADS_K), div(tid, THREADS_K)]
    : [div(tid, LANES.n), mod(tid, LANES.n)];
  const what = gemv.isAlongK ? 'k values' : 'columns of B';
  return [
    ...blockPosition(plan),
    comment(`The threads form a grid along N and K; consecutive threads load consecutive ${what}.`),
    declare('threadK', alongK),
    declare('threadCol', mul(alongN, widthOf(plan, group.n))),
    declare('row', name.blockRow),
    declare('col', add(name.blockCol, name.threadCol)),
    declare('kThread', mul(threadK, widthOf(plan, gemv.run))),
  ];
}

/** Declares the accumulators, and the registers of one k-iteration of A and B. */
export function zeroGemv(plan: GemvKernel): readonly Statement[] {
  const named = plan.target === 'wgsl';
  const [outer, inner] = accumulatorOrder(plan);
  const factors = OPERANDS.map((operand): Statement => {
    const side = EXTENT[SIDES[operand]];
    const { transposed, width } = plan.lanes[operand];
    return {
      op: 'registers',
      name: name.FRAGMENT[operand],
      dtype: plan.dtypes[operand],
      shape: transposed ? [side, TK] : [TK, side],
      zeroed: false,
      vector: width,
      named,
    };
  });
  return [
    {
      op: 'registers',
      name: name.ACCUMULATOR,
      dtype: plan.accumulator,
      shape: [EXTENT[outer], EXTENT[inner]],
      zeroed: true,
      vector: fmaWidth(plan),
      named,
    },
    ...factors,
    BLANK,
  ];
}

/** Returns the columns per FMA. WGSL computes vectors of columns if B is loaded along N. */
const fmaWidth = (plan: GemvKernel): number =>
  plan.target === 'wgsl' && plan.spec.problem.c.layout === 'row' ? plan.lanes.group.n : 1;

/** Emits the loads and the FMAs of one k-iteration. */
export function gemvLoop(plan: GemvKernel, at: At): readonly Statement[] {
  const unroll = unrolled(plan);
  const { run, depth } = plan.lanes.gemv;
  const first = depth === run ? int(0) : i;
  const loads = OPERANDS.flatMap(operand => runOf(plan, operand, at, first));
  const guarded: readonly Statement[] =
    at.edge === 'end'
      ? [
          {
            op: 'if',
            condition: [{ left: kOf(at, first), right: name.kEnd(plan) }],
            body: loads,
            otherwise: OPERANDS.flatMap(operand => zerosOf(plan, operand, first)),
          },
        ]
      : loads;
  const body =
    depth === run ? guarded : [forLoop('i', TK, guarded, { step: widthOf(plan, run), unroll })];
  return [
    ...(at.edge === 'end' ? [] : [comment(LOADS)]),
    ...body,
    forLoop('i', TK, multiplied(plan), { unroll }),
  ];
}

const LOADS = 'Issue all loads before the first FMA, so that they are in flight together.';

/** Returns the first k of a run. */
const kOf = ({ k0 }: At, first: Expr): Expr =>
  add(add(k0, variable('kThread')), mul(first, THREADS_K));

/** Loads the run of k that starts at register `first`, for all rows or columns of the thread. */
function runOf(plan: GemvKernel, operand: Operand, at: At, first: Expr): readonly Statement[] {
  const { transposed, width } = plan.lanes[operand];
  return eachRegister(plan, operand, width, (side, depth) => {
    const value = element(plan, { operand, at, side, k: add(kOf(at, first), depth), width });
    const k = add(first, depth);
    return assign(registerOf(operand, transposed ? [side, k] : [k, side]), value, width);
  });
}

/** Zeroes the registers of a run behind the end of K. */
function zerosOf(plan: GemvKernel, operand: Operand, first: Expr): readonly Statement[] {
  const { transposed, width: loaded } = plan.lanes[operand];
  const width = plan.target === 'wgsl' ? loaded : 1;
  return eachRegister(plan, operand, width, (side, depth) => {
    const k = add(first, depth);
    const place = registerOf(operand, transposed ? [side, k] : [k, side]);
    return assign(place, { op: 'zero' }, width);
  });
}

/** Loops over the rows or columns of the thread and over a run of k, `width` elements at a time. */
function eachRegister(
  plan: GemvKernel,
  operand: Operand,
  width: number,
  body: (side: Expr, depth: Expr) => Statement,
): readonly Statement[] {
  const side = SIDES[operand];
  const unroll = unrolled(plan);
  const { run } = plan.lanes.gemv;
  const { transposed } = plan.lanes[operand];
  const [alongSide, alongK] = transposed ? [1, width] : [width, 1];
  const one = body(variable(side), run === alongK ? int(0) : j);
  const inRun = (of: Statement): Statement =>
    run === alongK
      ? of
      : forLoop('j', widthOf(plan, run), [of], { step: widthOf(plan, alongK), unroll });
  const sides = (of: Statement): Statement =>
    forLoop(side, EXTENT[side], [of], { step: widthOf(plan, alongSide), unroll });
  return [transposed ? sides(inRun(one)) : inRun(sides(one))];
}

const registerOf = (operand: Operand, index: readonly Expr[]): RegisterElement => ({
  op: 'register',
  name: name.FRAGMENT[operand],
  index,
});

function multiplied(plan: GemvKernel): readonly Statement[] {
  const [outer, inner] = accumulatorOrder(plan);
  const width = fmaWidth(plan);
  const unroll = unrolled(plan);
  const factor = (operand: Operand): Value => {
    const side = variable(SIDES[operand]);
    const { transposed } = plan.lanes[operand];
    const register = registerOf(operand, transposed ? [side, i] : [i, side]);
    return name.toAccumulator(plan, operand, register);
  };
  const a = factor('a');
  const fma: Statement = {
    op: 'fma',
    place: {
      op: 'register',
      name: name.ACCUMULATOR,
      index: [variable(outer), variable(inner)],
    },
    left: width === 1 ? a : { op: 'broadcast', value: a },
    right: factor('b'),
    ...(width === 1 ? {} : { width }),
  };
  const across = forLoop(inner, EXTENT[inner], [fma], { step: widthOf(plan, width), unroll });
  return [forLoop(outer, EXTENT[outer], [across], { unroll })];
}

/** Returns `width` elements of a row of A or a column of B at k, clamped to the matrix. */
function element(
  plan: GemvKernel,
  given: {
    readonly operand: Operand;
    readonly at: At;
    readonly side: Expr;
    readonly k: Expr;
    readonly width: number;
  },
): GlobalElement {
  const { operand, at, side: index, k, width } = given;
  const side = SIDES[operand];
  const step = plan.lanes[operand].transposed ? 1 : width;
  const [first, size] = operand === 'a' ? [name.row, name.M] : [name.col, name.N];
  const inMatrix = add(first, offsetOf(plan, side, index, step));
  const last = sub(size, widthOf(plan, step));
  const across = plan.guards[side] ? min(inMatrix, last) : inMatrix;
  const [row, column] = operand === 'a' ? [across, k] : [k, across];
  const found = name.globalElement(plan, { operand, row, column, site: LABEL[operand] });
  return { ...found, site: siteAt(LABEL[operand], operand, at) };
}
