/** Swap-AB: maps between the caller's product and the computed product. With `ba`, A is the caller's B and M its N. */
import { geometryOf } from '../../plan/geometry';
import { mirroredSpec } from '../../plan/swapAB';
import type { ArgumentRole } from '../ir/arguments';
import type { TensorMaps } from '../file/tensorMaps';
import type { GroupPlan } from './pieces';

export function computedPlan(plan: GroupPlan): GroupPlan {
  if (plan.wgmma.operandOrder === 'ab') return plan;
  const spec = mirroredSpec(plan.spec);
  const { wgmma = plan.wgmma, ...geometry } = geometryOf(spec, plan.target);
  const { a, b, ...others } = plan.dtypes;
  return { ...plan, ...geometry, wgmma, spec, dtypes: { ...others, a: b, b: a } };
}

const PAIRS: readonly (readonly [ArgumentRole, ArgumentRole])[] = [
  ['m', 'n'],
  ['a', 'b'],
  ['lda', 'ldb'],
  ['strideA', 'strideB'],
  ['tensorMapA', 'tensorMapB'],
];
const OTHER: ReadonlyMap<ArgumentRole, ArgumentRole> = new Map(
  PAIRS.flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);

/** Returns the caller's role of an argument of the computed product. */
export const givenRole =
  ({ wgmma: { operandOrder } }: GroupPlan) =>
  (role: ArgumentRole): ArgumentRole =>
    operandOrder === 'ab' ? role : (OTHER.get(role) ?? role);

/** Returns the tensor maps of the computed product, keyed by the caller's operands. */
export function givenMaps({ wgmma }: GroupPlan, maps: TensorMaps): TensorMaps {
  if (wgmma.operandOrder === 'ab') return maps;
  const { a, b, ...others } = maps;
  return { ...(b === undefined ? {} : { a: b }), ...(a === undefined ? {} : { b: a }), ...others };
}
