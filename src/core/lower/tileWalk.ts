/**
 * How the threads of a block walk a tile that they stage: consecutive threads take consecutive vectors of the
 * operand's contiguous index, or a thread layout is repeated over the tile.
 */
import { add, constant, div, mod, mul, threadIdx, variable } from '../ir/expr';
import type { Condition, Expr, Statement } from '../ir/ir';
import type { Plan } from '../plan/plan';
import { lanesOf, widthOf } from './lanes';
import { declare, forLoop, onlyIf } from './loops';
import * as name from './names';

export type Staged = 'a' | 'b';

export const LABEL = { a: 'A', b: 'B' } as const;
const SIDE = { a: name.BM, b: name.BN } as const;

/** Loads of one thread for one tile. */
const loadsOf = (operand: Staged): Expr => constant(`LOADS_${LABEL[operand]}`);
export interface Placed {
  /** Row of A or column of B, and depth, inside of the tile. */
  readonly side: Expr;
  readonly depth: Expr;
}

/** One iteration a vector of this thread: declares where it stands. */
export function eachVector(
  plan: Plan,
  operand: Staged,
  body: (place: Placed) => readonly Statement[],
  held?: 'held',
): readonly Statement[] {
  const lanes = lanesOf(plan);
  if (lanes.threadLayouts !== undefined) return byLayout(operand, body);
  const { transposed, width } = lanes[operand];
  const vector = widthOf(plan, width);
  const suffix = held === undefined ? '' : LABEL[operand];
  const [e, r, c] = [`e${suffix}`, `r${suffix}`, `c${suffix}`];
  const [side, depth] = operand === 'a' ? [r, c] : [c, r];
  const [outer, inner] = transposed ? [SIDE[operand], name.BK] : [name.BK, SIDE[operand]];
  const line = div(inner, vector);
  const [slow, fast] = transposed ? [side, depth] : [depth, side];
  const quotient = declare(slow, div(variable(e), line));
  const remainder = declare(fast, mul(mod(variable(e), line), vector));
  const positions = slow === r ? [quotient, remainder] : [remainder, quotient];
  const tile = plan.shared?.[operand];
  const vectors = tile === undefined ? 0 : (tile.outer * tile.inner) / width;
  const uneven: Condition =
    vectors % plan.threads === 0
      ? []
      : [{ left: variable(e), right: div(mul(outer, inner), vector) }];
  const whole = [...positions, ...body({ side: variable(side), depth: variable(depth) })];
  return [
    forLoop(
      'i',
      loadsOf(operand),
      [declare(e, add(mul(variable('i'), name.THREADS), threadIdx('x'))), ...onlyIf(uneven, whole)],
      { unroll: held !== undefined && plan.target === 'wgsl' ? 'written-out' : true },
    ),
  ];
}

/** The thread layout repeated over the tile, along its first mode fastest. */
function byLayout(
  operand: Staged,
  body: (place: Placed) => readonly Statement[],
): readonly Statement[] {
  const [side, first] = operand === 'a' ? (['m', 'aM'] as const) : (['n', 'bN'] as const);
  const label = LABEL[operand];
  const step = {
    side: constant(`T${label}_${side.toUpperCase()}`),
    depth: constant(`T${label}_K`),
  };
  const place = {
    side: add(variable(side), variable(first)),
    depth: add(variable('k'), variable(operand === 'a' ? 'aK' : 'bK')),
  };
  return [
    forLoop(
      'k',
      name.BK,
      [forLoop(side, SIDE[operand], body(place), { step: step.side, unroll: true })],
      { step: step.depth, unroll: true },
    ),
  ];
}
