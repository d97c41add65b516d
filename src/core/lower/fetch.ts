/** The next tile through registers: from global memory into them, and from there to shared memory. */
import { add, int, mul, variable } from '../ir/expr';
import type { Expr, GlobalElement, Statement } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { lanesOf } from './lanes';
import { BLANK, comment, declare } from './loops';
import * as name from './names';
import { assign, global, pieces, spread, type At, type Register } from './staging';
import { eachVector, isRegular, LABEL, loadCount, regularPlace, type Staged } from './tileWalk';

const nextOf = (operand: Staged): string => `next${LABEL[operand]}`;

/** Element `j` of a piece of what a thread has fetched. */
const fetched = (
  plan: Plan,
  operand: Staged,
  { load, piece, j }: { readonly load: Expr; readonly piece: number; readonly j: Expr },
): Register => ({
  ...{ op: 'register', name: nextOf(operand) },
  index: [load, ...(lanesOf(plan)[operand].pieces === 1 ? [] : [int(piece)]), j],
});

/** Global memory to registers, a tile ahead. */
export function fetchTile(plan: Plan, operand: Staged, at: At): readonly Statement[] {
  const { width } = lanesOf(plan)[operand];
  const into = (load: Expr, piece: number): Register =>
    fetched(plan, operand, { load, piece, j: int(0) });
  if (startsAreKept(plan, operand)) {
    return startsOf(plan, operand).map(({ load, piece, start }) =>
      assign(into(int(load), piece), after(plan, operand, at, variable(start)), width),
    );
  }
  return eachVector(
    plan,
    operand,
    place =>
      pieces(plan, operand).map(piece =>
        assign(into(variable('i'), piece), global(plan, operand, at, place, piece), width),
      ),
    'fetch',
  );
}

/** What was fetched, to shared memory. */
export function depositTile(plan: Plan, operand: Staged, at: At): readonly Statement[] {
  return eachVector(
    plan,
    operand,
    place =>
      spread(plan, operand, {
        ...{ at, place },
        element: (piece, j) => fetched(plan, operand, { load: variable('i'), piece, j }),
      }),
    'store',
  );
}

/** CUDA's compiler takes what all tiles have in common out of the loop; those of WGSL do it at the price of registers. */
const startsAreKept = (plan: Plan, operand: Staged): boolean =>
  plan.target === 'wgsl' && isRegular(plan, operand);

interface Start {
  readonly load: number;
  readonly piece: number;
  /** The variable that has its first element. */
  readonly start: string;
}

function startsOf(plan: Plan, operand: Staged): readonly Start[] {
  const loads = Array.from({ length: loadCount(plan, operand) }, (_, load) => load);
  const all = loads.flatMap(load => pieces(plan, operand).map(piece => ({ load, piece })));
  const label = `from${LABEL[operand]}`;
  return all.map((one, i) => ({ ...one, start: all.length === 1 ? label : `${label}${i}` }));
}

/** Declarations, before the loop over the tiles, of where this thread's loads begin. */
export function fetchStarts(plan: Plan): readonly Statement[] {
  const kept = (['a', 'b'] as const).filter(operand => startsAreKept(plan, operand));
  const first: At = { k0: int(0), depth: name.BK, edge: 'none' };
  return kept.length === 0
    ? []
    : [
        BLANK,
        comment("Where this thread's loads begin in the matrices."),
        ...kept.flatMap(operand =>
          startsOf(plan, operand).map(({ load, piece, start }) => {
            const place = regularPlace(plan, operand, int(load));
            const { offset, outer, stride, inner } = global(plan, operand, first, place, piece);
            return declare(start, add(offset ?? int(0), add(mul(outer, stride), inner)));
          }),
        ),
      ];
}

/** The element that is as many depths after a start as the tile is. */
function after(plan: Plan, operand: Staged, at: At, start: Expr): GlobalElement {
  const place = { side: int(0), depth: int(0) };
  const { op, site, stride } = global(plan, operand, at, place, 0);
  return lanesOf(plan)[operand].transposed
    ? { op, site, stride, outer: int(0), inner: add(start, at.k0) }
    : { op, site, stride, outer: at.k0, inner: start };
}
