/**
 * Known bugs of GEMM kernels with the results that they would produce. If several bugs produce the
 * same result, the more likely bug comes first.
 */
import { lanePlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import type { DType } from '../types/dtype';
import type { ResolvedProblem } from '../spec/resolved';
import { addressSuspects, batchSuspects, fragmentSuspects } from './addressSuspects';
import {
  kLoopSuspects,
  kStepSuspects,
  sliceSuspects,
  stageSuspects,
  stepsOf,
} from './kLoopSuspects';
import type { Suspect } from './suspect';
import { indexOf, type Place, type ElementIndex } from './bugHypothesis';

/** Without a plan (hand-written kernel), tiles and split-K slices are unknown. */
export function suspects(problem: ResolvedProblem, plan: Plan | null): readonly Suspect[] {
  return [
    ...scaleSuspects(problem),
    ...kStepSuspects(problem),
    ...(plan === null
      ? []
      : [...sliceSuspects(plan), ...kLoopSuspects(plan), ...stageSuspects(plan)]),
    ...[
      ...batchSuspects(problem),
      ...addressSuspects(problem),
      ...(plan === null ? [] : fragmentSuspects(plan)),
    ].flatMap(suspect => [suspect, ...(plan === null ? [] : inOneLoop(suspect, plan))]),
    ...placeSuspects(problem, plan),
    ...roundingSuspects(problem),
  ];
}

/**
 * Returns variants of a bug that occur only in the main loop or only in the K remainder, which have
 * separate load statements.
 */
function inOneLoop(suspect: Suspect, plan: Plan): readonly Suspect[] {
  const { spec, tile } = plan;
  if (tile.k === 0 || !plan.guards.k) return [];
  const step = stepsOf(plan);
  const only = (operand: 'a' | 'b', whole: boolean): Suspect => {
    const { [operand]: moved } = suspect;
    const index = indexOf(spec.problem, operand);
    if (moved === undefined) return suspect;
    const where: ElementIndex = (product, row, column) =>
      (step(operand === 'a' ? column : row).whole === whole ? moved : index)(product, row, column);
    return { ...suspect, [operand]: where };
  };
  const operand = suspect.a === undefined ? 'b' : 'a';
  return suspect[operand] === undefined ? [] : [only(operand, true), only(operand, false)];
}

function scaleSuspects({ alpha, beta }: ResolvedProblem): readonly Suspect[] {
  return [
    ...(beta === 0 ? [] : [{ id: 'beta', beta: 0 } as const]),
    ...(beta === 0 || beta === 1 ? [] : [{ id: 'beta-once', beta: 1 } as const]),
    ...(alpha === 1 ? [] : [{ id: 'alpha', alpha: 1 } as const]),
  ];
}

function placeSuspects({ m, n }: ResolvedProblem, plan: Plan | null): readonly Suspect[] {
  const inside = (place: Place): Place | undefined =>
    place.row < m && place.column < n ? place : undefined;
  const widths = [1, 2, 4, 8].filter(
    bit => bit < Math.max(2, (plan === null ? null : lanePlanIn(plan))?.vector ?? 1),
  );
  return [
    {
      id: 'c-transposed',
      at: ({ product, row, column }) => inside({ product, row: column, column: row }),
    },
    ...widths.flatMap((bit): readonly Suspect[] => [
      { id: 'exchanged', at: place => inside({ ...place, column: place.column ^ bit }) },
      { id: 'exchanged', at: place => inside({ ...place, row: place.row ^ bit }) },
    ]),
  ];
}

function roundingSuspects({ a, accumulator, c }: ResolvedProblem): readonly Suspect[] {
  const narrow: readonly DType[] = ['f16', 'bf16', 'f32'];
  return [
    ...(a.dtype !== accumulator && narrow.includes(a.dtype)
      ? [{ id: 'products-rounded', products: a.dtype } as const]
      : []),
    ...narrow
      .filter(dtype => dtype !== accumulator && (dtype !== 'f32' || accumulator === 'f64'))
      .filter(dtype => dtype === a.dtype || dtype === c.dtype)
      .map(dtype => ({ id: 'sums-rounded', sums: dtype }) as const),
  ];
}
