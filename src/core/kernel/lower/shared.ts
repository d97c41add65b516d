/** Shared-memory arrays of SIMT kernels. */
import { WARP_LANES } from '../../hardware/warp';
import { add, constant, div, int, mul } from '../ir/expr';
import type { SharedArray } from '../ir/ir';
import { stagingUnitOf } from '../../plan/simt/lanes';
import { lanePlanIn } from '../../plan/family';
import type { Plan } from '../../plan/plan';
import { SCRATCH } from './mma/matrices';
import * as name from './names';
import { isGemv, type GemvKernel } from './simt/gemv';
import { partialResults } from './simt/gemvReduction';
import { LANES } from './simt/lanes';

const isLanedGemv = (plan: Plan): plan is GemvKernel =>
  plan.family === 'simt' && plan.lanes !== null && isGemv(plan);

export function sharedArrays(plan: Plan): readonly SharedArray[] {
  const { shared } = plan;
  if (shared === undefined) return isLanedGemv(plan) ? partialResults(plan) : [];
  const staged = (['a', 'b'] as const).map((operand): SharedArray => {
    const [outer, inner] = extents(plan, operand);
    const padding = constant(operand === 'a' ? 'PAD_A' : 'PAD_B');
    return {
      name: operand === 'a' ? 'As' : 'Bs',
      dtype: plan.dtypes[operand],
      ...wideRows(plan, operand),
      outer,
      inner: shared[operand].padding > 0 ? add(inner, padding) : inner,
    };
  });
  const scratch = lanePlanIn(plan)?.scratch;
  if (scratch === undefined) return staged;
  const [lines, inner] =
    plan.spec.problem.c.layout === 'row' ? [LANES.m, constant('WN')] : [LANES.n, constant('WM')];
  return [
    ...staged,
    {
      name: SCRATCH,
      dtype: plan.accumulator,
      ...(scratch.width === 1 ? {} : { vector: scratch.width }),
      outer: mul(div(name.THREADS, int(WARP_LANES)), lines),
      inner: scratch.padding === 0 ? inner : add(inner, constant('PAD_C')),
    },
  ];
}

/**
 * Returns the extents of a tile: K-outermost for `vectorized` and later algorithms, otherwise in
 * the memory order of the operand.
 */
function extents(plan: Plan, operand: 'a' | 'b') {
  if (lanePlanIn(plan) !== null) return [name.BK, operand === 'a' ? name.BM : name.BN] as const;
  const [rows, columns] = name.tileExtent(operand);
  return name.ordered(plan, operand, rows, columns);
}

function wideRows(plan: Plan, operand: 'a' | 'b'): Pick<SharedArray, 'stages' | 'vector'> {
  const lanes = lanePlanIn(plan);
  if (lanes === null) return {};
  const { stages, [operand]: staged } = lanes;
  const stored = stagingUnitOf(staged).side;
  const vector = Math.max(stored, staged.fragment);
  return {
    ...(stages === 1 ? {} : { stages: constant('STAGES') }),
    ...(vector === 1 ? {} : { vector }),
  };
}
