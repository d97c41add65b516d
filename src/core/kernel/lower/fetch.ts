/**
 * Register prefetch: loads the next tile from global memory to registers, and later stores it to
 * shared memory.
 */
import { add, div, int, mul, variable } from '../ir/expr';
import type { Advancing, Expr, GlobalElement, Statement } from '../ir/ir';
import type { LanedPlan } from '../../plan/plan';
import * as name from './names';
import { assign, global, loadIndices, storeVectors, type At, type Register } from './staging';
import {
  eachVector,
  isRegular,
  LABEL,
  lineStride,
  loadCount,
  regularPlace,
  type Staged,
} from './tileTraversal';

const nextOf = (operand: Staged): string => `next${LABEL[operand]}`;

const fetched = (
  plan: LanedPlan,
  operand: Staged,
  { load, piece, j }: { readonly load: Expr; readonly piece: number; readonly j: Expr },
): Register => ({
  op: 'register',
  name: nextOf(operand),
  index: [load, ...(plan.lanes[operand].loadsPerStore === 1 ? [] : [int(piece)]), j],
});

export function fetchTile(plan: LanedPlan, operand: Staged, at: At): readonly Statement[] {
  const { width } = plan.lanes[operand];
  const into = (load: Expr, piece: number): Register =>
    fetched(plan, operand, { load, piece, j: int(0) });
  if (advancesIndices(plan, operand)) {
    return loadsOf(plan, operand).map(one =>
      assign(into(int(one.load), one.piece), atAdvancingIndex(plan, operand, at, one), width),
    );
  }
  return eachVector(
    plan,
    operand,
    place =>
      loadIndices(plan, operand).map(piece =>
        assign(into(variable('i'), piece), global(plan, operand, at, place, piece), width),
      ),
    'fetch',
  );
}

export function storeFetchedTile(plan: LanedPlan, operand: Staged, at: At): readonly Statement[] {
  return eachVector(
    plan,
    operand,
    place =>
      storeVectors(plan, operand, {
        at,
        place,
        element: (piece, j) => fetched(plan, operand, { load: variable('i'), piece, j }),
      }),
    'store',
  );
}

/**
 * Returns whether the emitted code advances the load indices. Without this, WGSL compilers
 * recompute addresses for every tile; nvcc advances addresses automatically.
 */
const advancesIndices = (plan: LanedPlan, operand: Staged): boolean =>
  plan.target === 'wgsl' && isRegular(plan, operand);

interface Load {
  readonly load: number;
  readonly piece: number;
  /** Variable with the index of the next vector; the load is `lines` rows after that index. */
  readonly start: string;
  readonly lines: Expr;
}

/**
 * Returns all loads of a thread for one tile. With a `fragmentStride` above 1, the loads of a piece
 * share one index variable.
 */
function loadsOf(plan: LanedPlan, operand: Staged): readonly Load[] {
  const { fragmentStride } = plan.lanes[operand];
  const loads = Array.from({ length: loadCount(plan, operand) }, (_, load) => load);
  const label = `from${LABEL[operand]}`;
  const whole = loadIndices(plan, operand);
  const only = whole.length * (fragmentStride > 1 ? 1 : loads.length) === 1;
  return loads.flatMap(load =>
    whole.map(piece => {
      const number = fragmentStride > 1 ? piece : load * whole.length + piece;
      const lines = fragmentStride > 1 ? mul(int(load), lineStride(plan, operand)) : int(0);
      return { load, piece, start: only ? label : `${label}${number}`, lines };
    }),
  );
}

/** Returns the start index and the increment per tile of each advancing load index. */
export function advancingIndices(plan: LanedPlan, k0: Expr): readonly Advancing[] {
  const first: At = { k0, depth: name.BK, edge: 'none' };
  return (['a', 'b'] as const)
    .filter(operand => advancesIndices(plan, operand))
    .flatMap(operand =>
      loadsOf(plan, operand)
        .filter(({ load }) => load === 0 || plan.lanes[operand].fragmentStride === 1)
        .map(({ load, piece, start }) => {
          const place = regularPlace(plan, operand, int(load));
          const { offset, outer, stride, inner } = global(plan, operand, first, place, piece);
          const { transposed, width } = plan.lanes[operand];
          const by = transposed ? name.BK : mul(name.BK, stride);
          const from = add(offset ?? int(0), add(mul(outer, stride), inner));
          return { name: start, from: div(from, int(width)), by: div(by, int(width)) };
        }),
    );
}

export const allIndicesAdvance = (plan: LanedPlan): boolean =>
  advancesIndices(plan, 'a') && advancesIndices(plan, 'b');

/** Returns the element at an advancing index, which is in units of vectors. */
function atAdvancingIndex(
  plan: LanedPlan,
  operand: Staged,
  at: At,
  { start, lines }: Load,
): GlobalElement {
  const place = { side: int(0), depth: int(0) };
  const { op, site, stride } = global(plan, operand, at, place, 0);
  const inner = mul(variable(start), int(plan.lanes[operand].width));
  return { op, site, stride, outer: lines, inner };
}
