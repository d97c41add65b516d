/** Subgroup matrices of `mma`: position of a warp tile, its matrices and their multiplication. */
import { WARP_LANES } from '../../../hardware/warp';
import { add, constant, div, int, mod, mul, variable, WARP } from '../../ir/expr';
import type { Expr, KernelIr, MatrixRegister, SharedArray, Statement } from '../../ir/ir';
import type { WarpMatrixPlan } from '../../../plan/plan';
import { blockPosition } from '../simt/lanes';
import { BLANK, comment, declare, forLoop } from '../loops';
import { copyStarts } from './matrixStaging';
import { epilogueVectors } from '../epilogueOps';
import * as name from '../names';

type Operand = 'a' | 'b';
const OPERANDS = ['a', 'b'] as const;
export const SIDES = { a: 'm', b: 'n' } as const;

export const SHAPE = { m: constant('MMA_M'), n: constant('MMA_N'), k: constant('MMA_K') } as const;
const WARP_TILE = { m: constant('WM'), n: constant('WN') } as const;
export const MATRICES = {
  m: div(WARP_TILE.m, SHAPE.m),
  n: div(WARP_TILE.n, SHAPE.n),
} as const;
export const FIRST = { m: variable('warpRow'), n: variable('warpCol') } as const;
/** Epilogue buffer in shared memory. */
export const SCRATCH = 'Cs';

export function matrixPosition(plan: WarpMatrixPlan): readonly Statement[] {
  const across = div(name.BN, WARP_TILE.n);
  return [
    ...blockPosition(plan),
    declare('warpRow', mul(div(WARP, across), WARP_TILE.m)),
    declare('warpCol', mul(mod(WARP, across), WARP_TILE.n)),
    ...copyStarts(plan),
  ];
}

/**
 * Returns the shared-memory arrays: tiles in the layout of global memory, and the epilogue buffer
 * unless matrices are stored directly.
 */
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

/** Returns the number of elements per global-memory access to each matrix. */
export const matrixVectors = (plan: WarpMatrixPlan): NonNullable<KernelIr['vectors']> => {
  const { a, b, storeWidth } = plan.matrix;
  return {
    a: a.width,
    b: b.width,
    [plan.split === undefined ? 'c' : 'workspace']: storeWidth,
    ...epilogueVectors(plan, storeWidth),
  };
};

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

const held = (operand: Operand): MatrixRegister => ({
  name: name.FRAGMENT[operand],
  index: [variable(SIDES[operand])],
});

export function kSteps(plan: WarpMatrixPlan, body: readonly Statement[]): readonly Statement[] {
  const { warp, shape } = plan.matrix;
  const [m, n] = [warp.m / shape.m, name.computedColumns(plan, warp.n / shape.n)];
  return [
    comment(`k-step of ${shape.k}: ${m * n} MMAs on ${m} + ${n} matrices from shared memory.`),
    forLoop('k', name.BK, body, { step: SHAPE.k, unroll: 'written-out' }),
  ];
}

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
    place: accumulatorAt(variable('m'), variable('n')),
    left: held('a'),
    right: held('b'),
  };
  const unroll = 'written-out' as const;
  return [forLoop('m', MATRICES.m, [forLoop('n', MATRICES.n, [multiply], { unroll })], { unroll })];
}

export const accumulatorAt = (m: Expr, n: Expr): MatrixRegister => ({
  name: name.ACCUMULATOR,
  index: [m, n],
});
