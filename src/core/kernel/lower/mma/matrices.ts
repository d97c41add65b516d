/** `mma`: where a warp's tile lies, the matrices it holds, and their products. */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, mod, mul, variable, WARP } from '../../ir/expr';
import type { Expr, KernelIr, MatrixRegister, SharedArray, Statement } from '../../ir/ir';
import type { WarpMatrixPlan } from '../../../plan/plan';
import { blockPosition } from '../simt/lanes';
import { BLANK, comment, declare, forLoop } from '../loops';
import { copyStarts } from './matrixStaging';
import * as name from '../names';

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
export const SIDES = { a: 'm', b: 'n' } as const;

/** Rows, columns and depth of a matrix, as the kernel names them. */
export const SHAPE = { m: constant('MMA_M'), n: constant('MMA_N'), k: constant('MMA_K') } as const;
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;
/** Matrices along a side of a warp's tile. */
export const MATRICES = {
  m: div(WARP_TILE.m, SHAPE.m),
  n: div(WARP_TILE.n, SHAPE.n),
} as const;
/** Where a warp's tile begins in its block's. */
export const FIRST = { m: variable('warpRow'), n: variable('warpCol') } as const;
/** Sums on their way to C. */
export const SCRATCH = 'Cs';

/** Declarations at the top of the kernel. */
export function matrixPosition(plan: WarpMatrixPlan): readonly Statement[] {
  const across = div(name.BN, WARP_TILE.n);
  return [
    ...blockPosition(plan),
    declare('warpRow', mul(div(WARP, across), WARP_TILE.m)),
    declare('warpCol', mul(mod(WARP, across), WARP_TILE.n)),
    ...copyStarts(plan),
  ];
}

/** The tiles as they lie in global memory, row after row, and what sums go through. */
export function matrixArrays(plan: WarpMatrixPlan): readonly SharedArray[] {
  const matrix = plan.matrix;
  const staged = OPERANDS.map((operand): SharedArray => {
    const [rows, columns] = name.tileExtent(operand);
    const [outer, inner] = name.ordered(plan, operand, rows, columns);
    const { width } = matrix[operand];
    const padding = plan.shared[operand].padding;
    return {
      name: `${operand.toUpperCase()}s`,
      dtype: plan.dtypes[operand],
      ...(width === 1 ? {} : { vector: width }),
      outer,
      inner: padding > 0 ? add(inner, constant(`PAD_${operand.toUpperCase()}`)) : inner,
      flat: true,
    };
  });
  if (matrix.direct) return staged;
  const { m, n } = SHAPE;
  const [rows, columns] = name.ordered(plan, 'c', m, n);
  const scratch: SharedArray = {
    name: SCRATCH,
    dtype: plan.accumulator,
    flat: true,
    ...(matrix.storeWidth === 1 ? {} : { vector: matrix.storeWidth }),
    outer: mul(div(name.THREADS, int(WARP_LANES)), rows),
    inner: columns,
  };
  return [...staged, scratch];
}

/** Elements that an access to each matrix in global memory moves. */
export const matrixVectors = (plan: WarpMatrixPlan): NonNullable<KernelIr['vectors']> => {
  const { a, b, storeWidth } = plan.matrix;
  return {
    a: a.width,
    b: b.width,
    [plan.split === undefined ? 'c' : 'workspace']: storeWidth,
  };
};

/** Sums, the matrices of a depth, and registers for the next tile. */
export function zeroMatrices(plan: WarpMatrixPlan): readonly Statement[] {
  const matrix = plan.matrix;
  const held = (operand: Operand): Statement => ({
    op: 'matrices',
    name: name.FRAGMENT[operand],
    use: operand,
    shape: [MATRICES[SIDES[operand]]],
  });
  const next = (operand: Operand): Statement => {
    const label = operand.toUpperCase();
    const { width } = matrix[operand];
    return {
      op: 'registers',
      name: `next${label}`,
      dtype: plan.dtypes[operand],
      shape: [constant(`LOADS_${label}`), int(width)],
      zeroed: false,
      vector: width,
      named: true,
    };
  };
  return [
    { op: 'matrices', name: name.ACCUMULATOR, use: 'sum', shape: [MATRICES.m, MATRICES.n] },
    ...OPERANDS.map(held),
    ...OPERANDS.map(next),
    BLANK,
  ];
}

/** A matrix of a depth; `index` counts along the warp's side. */
const held = (operand: Operand): MatrixRegister => ({
  name: name.FRAGMENT[operand],
  index: [variable(SIDES[operand])],
});

/** The depths of a staged tile. */
export function matrixDepths(
  plan: WarpMatrixPlan,
  body: readonly Statement[],
): readonly Statement[] {
  const { warp, shape } = plan.matrix;
  const [m, n] = [warp.m / shape.m, warp.n / shape.n];
  return [
    comment(`${shape.k} depths: ${m} + ${n} matrices from shared memory, ${m * n} products.`),
    forLoop('k', name.BK, body, { step: SHAPE.k, unroll: 'written-out' }),
  ];
}

/** The matrices of a depth, along the warp's side. */
export function loadMatrices(plan: WarpMatrixPlan, operand: Operand): readonly Statement[] {
  const side = SIDES[operand];
  const across = add(FIRST[side], mul(variable(side), SHAPE[side]));
  const [row, column] =
    operand === 'a' ? [across, variable('k')] : ([variable('k'), across] as const);
  const site = { name: `${operand.toUpperCase()}s fragment load`, operand } as const;
  const load: Statement = {
    op: 'loadMatrix',
    place: held(operand),
    from: name.sharedElement(plan, { operand, row, column, site }),
    order: plan.spec.problem[operand].layout,
  };
  return [forLoop(side, MATRICES[side], [load], { unroll: 'written-out' })];
}

export function multiplyMatrices(): readonly Statement[] {
  const multiply: Statement = {
    op: 'multiplyMatrices',
    place: sumAt(variable('m'), variable('n')),
    left: held('a'),
    right: held('b'),
  };
  const unroll = 'written-out' as const;
  return [forLoop('m', MATRICES.m, [forLoop('n', MATRICES.n, [multiply], { unroll })], { unroll })];
}

export const sumAt = (m: Expr, n: Expr): MatrixRegister => ({
  name: name.ACCUMULATOR,
  index: [m, n],
});
