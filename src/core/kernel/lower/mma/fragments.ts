/**
 * Emits the outer products of `vectorized` and later SIMT algorithms: loads of fragments from the
 * shared tiles into registers, and FMAs.
 */
import { add, constant, div, int, mod, mul, sub, variable } from '../../ir/expr';
import type { Expr, RegisterElement, Statement, Value } from '../../ir/ir';
import type { LanedPlan } from '../../../plan/plan';
import type { Traversal } from '../../../spec/schema';
import { offsetOf, widthOf } from '../simt/lanes';
import { BLANK, declare, forLoop } from '../loops';
import * as name from '../names';
import { siteAt, stagedElement, type At } from '../staging';
import type { Staged } from '../tileTraversal';

const SIDES = { a: 'm', b: 'n' } as const;
const EXTENT = { m: name.TM, n: name.TN } as const;

/**
 * Orders the accumulators with C's contiguous dimension last, so that they are stored as vectors.
 */
export const accumulatorOrder = (plan: LanedPlan): readonly ['m' | 'n', 'm' | 'n'] =>
  plan.spec.problem.c.layout === 'row' ? ['m', 'n'] : ['n', 'm'];

/**
 * Returns whether FMAs operate on vector variables, as in WGSL; in CUDA they operate on scalars in
 * register arrays.
 */
const usesVectors = (plan: LanedPlan): boolean => plan.target === 'wgsl';
export const unrolled = (plan: LanedPlan): true | 'written-out' =>
  usesVectors(plan) ? 'written-out' : true;

/**
 * Returns the number of adjacent accumulators per FMA: two for f16 in CUDA (HFMA2) if the extent of
 * the lane's accumulator group is even, otherwise one.
 */
export function packedWidth(plan: LanedPlan): 1 | 2 {
  const [, inner] = accumulatorOrder(plan);
  const pairs = plan.accumulator === 'f16' && plan.lanes.group[inner] % 2 === 0;
  return plan.target === 'cuda' && pairs ? 2 : 1;
}

export function zeroLanes(plan: LanedPlan): readonly Statement[] {
  const { group, a, b, storeWidth, copies, fragments } = plan.lanes;
  const buffers = fragments === 2 ? [int(2)] : [];
  const named = usesVectors(plan);
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
  const fragment = (operand: Staged) => (operand === 'a' ? a : b).fragment;
  // Converted elements are loaded into registers one by one.
  const moved = (operand: 'a' | 'b' | 'c', width: number): number =>
    plan.dtypes[operand] === plan.accumulator ? width : 1;
  const held = (operand: Staged): number =>
    named
      ? group[SIDES[operand]]
      : Math.max(
          moved(operand, fragment(operand)),
          SIDES[operand] === inner ? packedWidth(plan) : 1,
        );
  return [
    registers(name.ACCUMULATOR, [EXTENT[outer], EXTENT[inner]], {
      zeroed: true,
      vector: named ? group[inner] : Math.max(moved('c', storeWidth), packedWidth(plan)),
    }),
    registers(name.FRAGMENT.a, [...buffers, name.TM], { vector: held('a') }),
    registers(name.FRAGMENT.b, [...buffers, name.TN], { vector: held('b') }),
    ...(copies === 'registers'
      ? (['a', 'b'] as const).map((operand): Statement => {
          const { width, loadsPerStore } = plan.lanes[operand];
          const label = operand === 'a' ? 'A' : 'B';
          return {
            op: 'registers',
            name: `next${label}`,
            dtype: plan.dtypes[operand],
            shape: [
              constant(`LOADS_${label}`),
              ...(loadsPerStore === 1 ? [] : [widthOf(plan, loadsPerStore)]),
              widthOf(plan, width),
            ],
            zeroed: false,
            vector: width,
            named,
          };
        })
      : []),
    BLANK,
  ];
}

/** A k of a staged tile, and the index of its fragment buffer if fragments are double-buffered. */
export interface FragmentAt {
  readonly depth: Expr;
  readonly buffer?: Expr;
}

const AT_K: FragmentAt = { depth: variable('k') };

export function loadLaneFragment(
  plan: LanedPlan,
  operand: Staged,
  at: At,
  { depth, buffer }: FragmentAt = AT_K,
): readonly Statement[] {
  const side = SIDES[operand];
  const { fragment } = plan.lanes[operand];
  const index = variable(side);
  const first = operand === 'a' ? name.threadRow : name.threadCol;
  const element = stagedElement(plan, {
    operand,
    side: add(first, offsetOf(plan, side, index, fragment)),
    depth,
    ...(at.stage === undefined ? {} : { stage: at.stage }),
    site: siteAt(`${operand === 'a' ? 'As' : 'Bs'} fragment load`, operand, at),
  });
  const place = fragmentOf(operand, index, buffer);
  const load: Statement = {
    op: 'assign',
    place,
    value: name.toAccumulator(plan, operand, element),
    ...(fragment === 1 ? {} : { width: fragment }),
  };
  return [
    forLoop(side, EXTENT[side], [load], { step: widthOf(plan, fragment), unroll: unrolled(plan) }),
  ];
}

const fragmentOf = (operand: Staged, index: Expr, buffer?: Expr): RegisterElement => ({
  op: 'register',
  name: name.FRAGMENT[operand],
  index: [...(buffer === undefined ? [] : [buffer]), index],
});

export const multiplyLanes = (
  plan: LanedPlan,
  { buffer }: FragmentAt = AT_K,
): readonly Statement[] => multiplied(plan, (operand, index) => fragmentOf(operand, index, buffer));

export function multiplied(
  plan: LanedPlan,
  factorOf: (operand: Staged, index: Expr) => RegisterElement,
): readonly Statement[] {
  const [outer, inner] = accumulatorOrder(plan);
  const width = usesVectors(plan) ? plan.lanes.group[inner] : packedWidth(plan);
  const fmaAt = (index: Readonly<Record<'m' | 'n', Expr>>): Statement => {
    const fragment = (operand: Staged): Value => {
      const register = factorOf(operand, index[SIDES[operand]]);
      return SIDES[operand] === inner || width === 1
        ? register
        : { op: 'broadcast', value: register };
    };
    const place = [index[outer], index[inner]];
    return {
      op: 'fma',
      place: { op: 'register', name: name.ACCUMULATOR, index: place },
      left: fragment('a'),
      right: fragment('b'),
      ...(width === 1 ? {} : { width }),
    };
  };
  const fma = fmaAt({ m: variable('m'), n: variable('n') });
  const { traversal } = plan.lanes;
  if (traversal !== undefined) {
    return usesVectors(plan)
      ? serpentineVectors(plan, { traversal, width }, fmaAt)
      : serpentineOrder(traversal, fma);
  }
  const unroll = unrolled(plan);
  return [
    forLoop(
      outer,
      EXTENT[outer],
      [forLoop(inner, EXTENT[inner], [fma], { step: widthOf(plan, width), unroll })],
      { unroll },
    ),
  ];
}

/** Emits FMAs in serpentine order over vectors, fully unrolled, since WGSL names each vector. */
function serpentineVectors(
  plan: LanedPlan,
  { traversal, width }: { readonly traversal: Traversal; readonly width: number },
  fmaAt: (index: Readonly<Record<'m' | 'n', Expr>>) => Statement,
): readonly Statement[] {
  const [, inner] = accumulatorOrder(plan);
  const each = { m: inner === 'm' ? width : 1, n: inner === 'n' ? width : 1 };
  const [slow, fast] = traversal === 'row' ? (['m', 'n'] as const) : (['n', 'm'] as const);
  const steps = { m: plan.thread.m / each.m, n: plan.thread.n / each.n };
  return Array.from({ length: steps[slow] * steps[fast] }, (_, i) => {
    const turn = Math.floor(i / steps[fast]);
    const along = i % steps[fast];
    const back = steps[fast] - 1 - along;
    const at = { [slow]: turn, [fast]: turn % 2 === 0 ? along : back };
    return fmaAt({ m: int((at['m'] ?? 0) * each.m), n: int((at['n'] ?? 0) * each.n) });
  });
}

/**
 * Returns the FMAs in serpentine order: consecutive FMAs share an operand, also at the end of a row
 * or column. The operand reuse cache supplies the shared operand, which avoids a register-bank
 * access.
 */
function serpentineOrder(traversal: Traversal, fma: Statement): readonly Statement[] {
  const [i, m, n] = [variable('i'), variable('m'), variable('n')];
  const serpentine = (step: Expr, extent: Expr, turn: Expr): Expr =>
    add(step, mul(mod(turn, int(2)), sub(sub(extent, int(1)), mul(int(2), step))));
  const unroll = true;
  switch (traversal) {
    case 'row':
      return [
        forLoop(
          'm',
          name.TM,
          [forLoop('i', name.TN, [declare('n', serpentine(i, name.TN, m)), fma], { unroll })],
          { unroll },
        ),
      ];
    case 'col':
      return [
        forLoop(
          'n',
          name.TN,
          [forLoop('i', name.TM, [declare('m', serpentine(i, name.TM, n)), fma], { unroll })],
          { unroll },
        ),
      ];
    case 'col-pairs': {
      const [pair, step] = [variable('pair'), variable('step')];
      const two = int(2);
      const body = [
        declare('step', div(i, two)),
        declare('m', serpentine(step, name.TM, div(pair, two))),
        declare('n', add(pair, mod(add(i, step), two))),
        fma,
      ];
      return [
        forLoop('pair', name.TN, [forLoop('i', mul(two, name.TM), body, { unroll })], {
          step: two,
          unroll,
        }),
      ];
    }
  }
}
