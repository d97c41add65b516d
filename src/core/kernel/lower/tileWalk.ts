/**
 * How the threads of a block walk a tile that they stage: consecutive threads take consecutive vectors of the
 * operand's contiguous index, or a thread layout is repeated over the tile.
 */
import { add, constant, div, mod, mul, threadIdx, variable } from '../ir/expr';
import type { Condition, Expr, Statement } from '../ir/ir';
import { unitOf } from '../../plan/simt/lanes';
import type { LanedPlan } from '../../plan/plan';
import { widthOf } from './simt/lanes';
import { comment, declare, forLoop, onlyIf } from './loops';
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

/** What a thread does with a tile that waits in its registers; each has positions of its own where they are declared at each. */
type Held = 'fetch' | 'store';
const SUFFIX: Readonly<Record<Held, string>> = { fetch: '', store: 'Store' };

/** One iteration a vector of this thread: declares where it stands. */
export function eachVector(
  plan: LanedPlan,
  operand: Staged,
  body: (place: Placed) => readonly Statement[],
  held?: Held,
): readonly Statement[] {
  const lanes = plan.lanes;
  if (lanes.threadLayouts !== undefined) return byLayout(operand, body);
  return [
    forLoop(
      'i',
      loadsOf(operand),
      placedVector(plan, operand, { index: variable('i'), held }, body),
      {
        unroll: held !== undefined && plan.target === 'wgsl' ? 'written-out' : true,
      },
    ),
  ];
}

/** Of this thread's vectors, those of one of so many equal shares. */
export function shareOfVectors(
  plan: LanedPlan,
  operand: Staged,
  share: Expr,
  body: (place: Placed) => readonly Statement[],
): readonly Statement[] {
  const label = LABEL[operand];
  const count = copiesADepth(plan, operand);
  const [loads, size, i] = [loadsOf(operand), constant(`SHARE_${label}`), variable('i')];
  const of = (index: Expr) => placedVector(plan, operand, { index, held: 'fetch' }, body);
  const copies =
    count === 1 ? of(share) : [forLoop('i', size, of(add(mul(share, size), i)), { unroll: true })];
  return onlyIf([{ left: share, right: count === 1 ? loads : div(loads, size) }], copies);
}

/** Depths at which a thread copies: bursts keep the pipe of copies busy, many of them keep the compiler from reordering. */
const BURSTS = 4;

/** Vectors of an operand that a thread copies at each of the first depths; a divisor of all that it copies. */
export function copiesADepth({ tile, threads, lanes }: LanedPlan, operand: Staged): number {
  const { width } = lanes[operand];
  const loads = Math.ceil(((operand === 'a' ? tile.m : tile.n) * tile.k) / width / threads);
  const bursts = Math.min(BURSTS, tile.k - 1);
  let share = Math.ceil(loads / bursts);
  while (loads % share !== 0) share++;
  return share;
}

/** How the vectors of a tile, or blocks of several rows of them, lie in it: lines of so many, along the operand's contiguous index. */
interface Walk {
  readonly rows: Expr;
  readonly vector: Expr;
  readonly line: Expr;
  /** Vectors of the whole tile. */
  readonly count: Expr;
  /** What a line is numbered by, and what goes along it. */
  readonly slow: keyof Placed;
  readonly fast: keyof Placed;
}

function walkOf(plan: LanedPlan, operand: Staged): Walk {
  const staged = plan.lanes[operand];
  const [outer, inner] = staged.transposed ? [SIDE[operand], name.BK] : [name.BK, SIDE[operand]];
  const [slow, fast] = staged.transposed
    ? (['side', 'depth'] as const)
    : (['depth', 'side'] as const);
  const unit = unitOf(staged);
  const [rows, vector] = [widthOf(plan, unit[slow]), widthOf(plan, unit[fast])];
  const count = div(mul(outer, inner), mul(rows, vector));
  return { rows, vector, line: div(inner, vector), count, slow, fast };
}

/** Where a thread's copies begin in a tile, declared once where each is so many lines after the one before it. */
const START = {
  a: { side: 'rowA', depth: 'depthA' },
  b: { side: 'colB', depth: 'depthB' },
} as const;

/** Whether threads take whole lines, all of them equally many. */
export function isRegular(plan: LanedPlan, operand: Staged): boolean {
  const { fragments, copies, [operand]: staged } = plan.lanes;
  if (plan.shared === undefined || (fragments === 1 && copies !== 'registers')) return false;
  const { m, n, k } = plan.tile;
  const unit = unitOf(staged);
  const [sides, depths] = [(operand === 'a' ? m : n) / unit.side, k / unit.depth];
  const [outer, inner] = staged.transposed ? [sides, depths] : [depths, sides];
  const lines = plan.threads / inner;
  return Number.isInteger(lines) && outer % lines === 0;
}

/** Declarations for the walks that are regular. */
export function walkStarts(plan: LanedPlan): readonly Statement[] {
  const regular = (['a', 'b'] as const).filter(operand => isRegular(plan, operand));
  if (regular.length === 0) return [];
  const tid = threadIdx('x');
  return [
    comment("Where this thread's copies begin in a tile."),
    ...regular.flatMap(operand => {
      const { rows, vector, line, slow, fast } = walkOf(plan, operand);
      return [
        declare(START[operand][slow], mul(div(tid, line), rows)),
        declare(START[operand][fast], mul(mod(tid, line), vector)),
      ];
    }),
  ];
}

/** From one of a thread's vectors to its next one, along the slower index, of a walk that is regular. */
export function linesApart(plan: LanedPlan, operand: Staged): Expr {
  const { rows, line } = walkOf(plan, operand);
  return mul(div(name.THREADS, line), rows);
}

/** Where the index-th of a thread's vectors stands, of a walk that is regular. */
export function regularPlace(plan: LanedPlan, operand: Staged, index: Expr): Placed {
  const { slow, fast } = walkOf(plan, operand);
  const start = (mode: keyof Placed): Expr => variable(START[operand][mode]);
  const lines = add(start(slow), mul(index, linesApart(plan, operand)));
  const place = { [slow]: lines, [fast]: start(fast) };
  return { side: start('side'), depth: start('depth'), ...place };
}

/** How many of them a thread has, of a walk that is regular. */
export function loadCount({ tile, threads, lanes }: LanedPlan, operand: Staged): number {
  const unit = unitOf(lanes[operand]);
  return ((operand === 'a' ? tile.m : tile.n) * tile.k) / (unit.side * unit.depth) / threads;
}

function placedVector(
  plan: LanedPlan,
  operand: Staged,
  { index, held }: { readonly index: Expr; readonly held: Held | undefined },
  body: (place: Placed) => readonly Statement[],
): readonly Statement[] {
  const { rows, vector, line, count, slow, fast } = walkOf(plan, operand);
  const named = held === undefined && plan.lanes.copies === 'registers';
  if (isRegular(plan, operand) && !named) return body(regularPlace(plan, operand, index));
  const suffix = held === undefined ? '' : `${SUFFIX[held]}${LABEL[operand]}`;
  const e = `e${suffix}`;
  const names = { side: operand === 'a' ? 'r' : 'c', depth: operand === 'a' ? 'c' : 'r' };
  const [line_, along] = [`${names[slow]}${suffix}`, `${names[fast]}${suffix}`];
  const quotient = declare(line_, mul(div(variable(e), line), rows));
  const remainder = declare(along, mul(mod(variable(e), line), vector));
  const positions = names[slow] === 'r' ? [quotient, remainder] : [remainder, quotient];
  const tile = plan.shared?.[operand];
  const unit = unitOf(plan.lanes[operand]);
  const vectors = tile === undefined ? 0 : (tile.outer * tile.inner) / (unit.side * unit.depth);
  const uneven: Condition =
    vectors % plan.threads === 0 ? [] : [{ left: variable(e), right: count }];
  const place = { [slow]: variable(line_), [fast]: variable(along) };
  const whole = [
    ...positions,
    ...body({ side: variable(along), depth: variable(along), ...place }),
  ];
  return [declare(e, add(mul(index, name.THREADS), threadIdx('x'))), ...onlyIf(uneven, whole)];
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
