/**
 * Swap-AB: maps between the caller's GEMM and the computed GEMM. With order `ba`, the computed A is
 * the caller's B and the computed M is the caller's N.
 */
import { swappedSpec, swapMN } from '../../plan/swapAB';
import { swappedPlan, swappedTile } from '../../plan/wgmma/wgmma';
import type { GlobalOperand } from '../../spec/resolved';
import type { ArgumentRole } from '../ir/arguments';
import type { TensorMaps } from '../file/tensorMaps';
import type { PlanWithWgmma } from './parts';

export function computedPlan(plan: PlanWithWgmma): PlanWithWgmma {
  if (plan.wgmma.operandOrder === 'ab') return plan;
  const { tile, thread, tiles, grid, guards, shared, wideOffsets } = plan;
  const spec = swappedSpec(plan.spec);
  const { a, b, ...others } = plan.dtypes;
  return {
    ...plan,
    spec,
    dtypes: { ...others, a: b, b: a },
    tile: swappedTile(tile),
    thread: swapMN(thread),
    tiles: swapMN(tiles),
    grid: { ...grid, x: grid.y, y: grid.x },
    guards: { ...swapMN(guards), k: guards.k },
    shared: { a: shared.b, b: shared.a },
    wgmma: swappedPlan(plan.wgmma, spec.schedule),
    wideOffsets: wideOffsets.map(given => MIRRORED.find(([one]) => one === given)?.[1] ?? given),
  };
}

/** Caller's operands whose names differ in the computed GEMM. */
const MIRRORED: readonly (readonly [GlobalOperand, GlobalOperand])[] = [
  ['b', 'a'],
  ['a', 'b'],
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

/** Returns a function from an argument role of the computed GEMM to the caller's role. */
export const callerRole =
  ({ wgmma: { operandOrder } }: PlanWithWgmma) =>
  (role: ArgumentRole): ArgumentRole =>
    operandOrder === 'ab' ? role : (OTHER.get(role) ?? role);

/** Returns the tensor maps of the computed GEMM, keyed by the caller's operands. */
export function callerMaps({ wgmma }: PlanWithWgmma, maps: TensorMaps): TensorMaps {
  if (wgmma.operandOrder === 'ab') return maps;
  const { a, b, ...others } = maps;
  return { ...(b === undefined ? {} : { a: b }), ...(a === undefined ? {} : { b: a }), ...others };
}
