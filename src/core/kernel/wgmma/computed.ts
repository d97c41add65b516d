/** Swap-AB: maps between the caller's product and the computed product. With `ba`, A is the caller's B and M its N. */
import { mirroredSpec, turned } from '../../plan/swapAB';
import { mirroredPlan, mirroredTile } from '../../plan/wgmma/wgmma';
import type { GlobalOperand } from '../../spec/resolved';
import type { ArgumentRole } from '../ir/arguments';
import type { TensorMaps } from '../file/tensorMaps';
import type { GroupPlan } from './pieces';

export function computedPlan(plan: GroupPlan): GroupPlan {
  if (plan.wgmma.operandOrder === 'ab') return plan;
  const { tile, thread, tiles, grid, guards, shared, wideOffsets } = plan;
  const spec = mirroredSpec(plan.spec);
  const { a, b, ...others } = plan.dtypes;
  return {
    ...plan,
    spec,
    dtypes: { ...others, a: b, b: a },
    tile: mirroredTile(tile),
    thread: turned(thread),
    tiles: turned(tiles),
    grid: { ...grid, x: grid.y, y: grid.x },
    guards: { ...turned(guards), k: guards.k },
    shared: { a: shared.b, b: shared.a },
    wgmma: mirroredPlan(plan.wgmma, spec.schedule),
    wideOffsets: MIRRORED.filter(([given]) => wideOffsets.includes(given)).map(([, name]) => name),
  };
}

/** Operands of the given product with their names in the computed one, in the order of the latter. */
const MIRRORED: readonly (readonly [GlobalOperand, GlobalOperand])[] = [
  ['b', 'a'],
  ['a', 'b'],
  ['c', 'c'],
  ['workspace', 'workspace'],
];

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
