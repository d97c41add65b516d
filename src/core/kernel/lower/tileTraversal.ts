/**
 * Traversal of a staged tile by the threads of a block: consecutive threads take consecutive
 * vectors along the operand's contiguous dimension, or a thread layout is repeated over the tile.
 */
import { add, constant, div, min, mod, mul, select, sub, threadIdx, variable } from '../ir/expr';
import type { Condition, Expr, Statement } from '../ir/ir';
import { stagingUnitOf } from '../../plan/simt/lanes';
import type { LanedPlan } from '../../plan/plan';
import { widthOf } from './simt/lanes';
import { comment, declare, forLoop, onlyIf } from './loops';
import * as name from './names';

export type Staged = 'a' | 'b';

export const LABEL = { a: 'A', b: 'B' } as const;
const SIDE = { a: name.BM, b: name.BN } as const;

const loadsOf = (operand: Staged): Expr => constant(`LOADS_${LABEL[operand]}`);
/** Mode of a staged tile: along M or N, or along K. */
type Mode = 'side' | 'depth';

export interface TilePosition {
  readonly side: Expr;
  readonly depth: Expr;
  /** Row of A or column of B in the matrix, if the copies wrap around at the edge. */
  readonly inMatrix?: Expr;
}

/** Phase of a register prefetch; each declares its own index variables. */
type PrefetchPhase = 'fetch' | 'store';
const SUFFIX: Readonly<Record<PrefetchPhase, string>> = { fetch: '', store: 'Store' };

export function eachVector(
  plan: LanedPlan,
  operand: Staged,
  body: (place: TilePosition) => readonly Statement[],
  phase?: PrefetchPhase,
): readonly Statement[] {
  const lanes = plan.lanes;
  if (lanes.threadLayouts !== undefined) return byLayout(operand, body);
  return [
    forLoop(
      'i',
      loadsOf(operand),
      placedVector(plan, operand, { index: variable('i'), held: phase }, body),
      {
        unroll: phase !== undefined && plan.target === 'wgsl' ? 'written-out' : true,
      },
    ),
  ];
}

export function vectorsOfStep(
  plan: LanedPlan,
  operand: Staged,
  share: Expr,
  body: (place: TilePosition) => readonly Statement[],
): readonly Statement[] {
  const label = LABEL[operand];
  const count = copiesPerK(plan, operand);
  const [loads, size, i] = [loadsOf(operand), constant(`STEP_LOADS_${label}`), variable('i')];
  const of = (index: Expr) => placedVector(plan, operand, { index, held: 'fetch' }, body);
  const copies =
    count === 1 ? of(share) : [forLoop('i', size, of(add(mul(share, size), i)), { unroll: true })];
  return onlyIf([{ left: share, right: count === 1 ? loads : div(loads, size) }], copies);
}

/** Maximum number of k values per tile at which copies are issued. */
const BURSTS = 4;

/**
 * Returns the number of vectors that a thread copies per k; it divides the number of vectors per
 * thread and tile.
 */
export function copiesPerK({ tile, threads, lanes }: LanedPlan, operand: Staged): number {
  const { width } = lanes[operand];
  const loads = Math.ceil(((operand === 'a' ? tile.m : tile.n) * tile.k) / width / threads);
  const bursts = Math.min(BURSTS, tile.k - 1);
  let share = Math.ceil(loads / bursts);
  while (loads % share !== 0) share++;
  return share;
}

/**
 * Order of a tile's vectors (or blocks of vectors): lines along the operand's contiguous dimension.
 */
interface Traversal {
  readonly rows: Expr;
  readonly vector: Expr;
  readonly line: Expr;
  /** Number of vectors (or blocks of vectors) per tile. */
  readonly count: Expr;
  /** Dimension across the lines. */
  readonly slow: Mode;
  readonly fast: Mode;
}

function traversalOf(plan: LanedPlan, operand: Staged): Traversal {
  const staged = plan.lanes[operand];
  const [outer, inner] = staged.transposed ? [SIDE[operand], name.BK] : [name.BK, SIDE[operand]];
  const [slow, fast] = staged.transposed
    ? (['side', 'depth'] as const)
    : (['depth', 'side'] as const);
  const unit = stagingUnitOf(staged);
  const [rows, vector] = [widthOf(plan, unit[slow]), widthOf(plan, unit[fast])];
  const count = div(mul(outer, inner), mul(rows, vector));
  return { rows, vector, line: div(inner, vector), count, slow, fast };
}

/**
 * Variables with the tile coordinates of a thread's first copy, if its copies have a constant
 * stride in lines.
 */
const START = {
  a: { side: 'rowA', depth: 'kA' },
  b: { side: 'colB', depth: 'kB' },
} as const;

/**
 * Returns whether each thread copies the same number of vectors with a constant stride in lines.
 * Only kernels with double-buffered fragments or register prefetch use this traversal.
 */
export function isRegular(plan: LanedPlan, operand: Staged): boolean {
  const { fragments, copies, [operand]: staged } = plan.lanes;
  if (plan.shared === undefined || (fragments === 1 && copies !== 'registers')) return false;
  const { m, n, k } = plan.tile;
  const unit = stagingUnitOf(staged);
  const [sides, depths] = [(operand === 'a' ? m : n) / unit.side, k / unit.depth];
  const [outer, inner] = staged.transposed ? [sides, depths] : [depths, sides];
  const lines = plan.threads / inner;
  return Number.isInteger(lines) && outer % lines === 0;
}

/** Variables with the row of A or column of B in global memory of a thread's copies. */
const GLOBAL = { a: 'globalRowA', b: 'globalColB' } as const;
const SIZE = { a: name.M, b: name.N } as const;
const ORIGIN = { a: name.blockRow, b: name.blockCol } as const;

/**
 * Returns whether copies past the edge of a matrix wrap around to its first rows or columns instead
 * of repeating the last one. Asynchronous copies of one element by many lanes are serialized: a
 * thread block at an edge would take up to 1.6 times as long as the others (measured on an H100).
 */
export const wraps = ({ lanes, guards }: LanedPlan, operand: Staged): boolean =>
  lanes.copies === 'asynchronous' &&
  !lanes[operand].transposed &&
  (operand === 'a' ? guards.m : guards.n);

/** Returns a row or column in the matrix; it wraps around at the edge. */
function wrapped(plan: LanedPlan, operand: Staged, side: Expr): Expr {
  const inMatrix = add(ORIGIN[operand], side);
  const last = sub(SIZE[operand], widthOf(plan, plan.lanes[operand].width));
  const size = SIZE[operand];
  return select([{ left: inMatrix, right: size }], inMatrix, min(sub(inMatrix, size), last));
}

/** Returns the name of the row (`r`, `rA`) or column (`c`, `cB`) in the matrix of one copy. */
const globalOf = (operand: Staged, inTile: string): string =>
  `${operand === 'a' ? 'globalRow' : 'globalCol'}${inTile.slice(1)}`;

function declareWrapped(plan: LanedPlan): readonly Statement[] {
  const operands = (['a', 'b'] as const).filter(
    operand => wraps(plan, operand) && isRegular(plan, operand),
  );
  if (operands.length === 0) return [];
  return [
    comment(
      'Copies past the edge of a matrix wrap around, since asynchronous copies of one element by many lanes are serialized.',
    ),
    ...operands.map(operand =>
      declare(GLOBAL[operand], wrapped(plan, operand, variable(START[operand].side))),
    ),
  ];
}

export function declareStarts(plan: LanedPlan): readonly Statement[] {
  const regular = (['a', 'b'] as const).filter(operand => isRegular(plan, operand));
  if (regular.length === 0) return [];
  const tid = threadIdx('x');
  return [
    comment("Tile coordinates of this thread's first copy."),
    ...regular.flatMap(operand => {
      const { rows, vector, line, slow, fast } = traversalOf(plan, operand);
      return [
        declare(START[operand][slow], mul(div(tid, line), rows)),
        declare(START[operand][fast], mul(mod(tid, line), vector)),
      ];
    }),
    ...declareWrapped(plan),
  ];
}

/**
 * Returns the number of lines between two consecutive vectors of a thread in a regular traversal.
 */
export function lineStride(plan: LanedPlan, operand: Staged): Expr {
  const { rows, line } = traversalOf(plan, operand);
  return mul(div(name.THREADS, line), rows);
}

export function regularPlace(plan: LanedPlan, operand: Staged, index: Expr): TilePosition {
  const { slow, fast } = traversalOf(plan, operand);
  const start = (mode: Mode): Expr => variable(START[operand][mode]);
  const lines = add(start(slow), mul(index, lineStride(plan, operand)));
  const place = { [slow]: lines, [fast]: start(fast) };
  return {
    side: start('side'),
    depth: start('depth'),
    ...place,
    ...(wraps(plan, operand) ? { inMatrix: variable(GLOBAL[operand]) } : {}),
  };
}

export function loadCount({ tile, threads, lanes }: LanedPlan, operand: Staged): number {
  const unit = stagingUnitOf(lanes[operand]);
  return ((operand === 'a' ? tile.m : tile.n) * tile.k) / (unit.side * unit.depth) / threads;
}

function placedVector(
  plan: LanedPlan,
  operand: Staged,
  { index, held: phase }: { readonly index: Expr; readonly held: PrefetchPhase | undefined },
  body: (place: TilePosition) => readonly Statement[],
): readonly Statement[] {
  const { rows, vector, line, count, slow, fast } = traversalOf(plan, operand);
  const named = phase === undefined && plan.lanes.copies === 'registers';
  if (isRegular(plan, operand) && !named) return body(regularPlace(plan, operand, index));
  const suffix = phase === undefined ? '' : `${SUFFIX[phase]}${LABEL[operand]}`;
  const e = `e${suffix}`;
  const names = { side: operand === 'a' ? 'r' : 'c', depth: operand === 'a' ? 'c' : 'r' };
  const [line_, along] = [`${names[slow]}${suffix}`, `${names[fast]}${suffix}`];
  const quotient = declare(line_, mul(div(variable(e), line), rows));
  const remainder = declare(along, mul(mod(variable(e), line), vector));
  const positions = names[slow] === 'r' ? [quotient, remainder] : [remainder, quotient];
  const tile = plan.shared?.[operand];
  const unit = stagingUnitOf(plan.lanes[operand]);
  const vectors = tile === undefined ? 0 : (tile.outer * tile.inner) / (unit.side * unit.depth);
  const uneven: Condition =
    vectors % plan.threads === 0 ? [] : [{ left: variable(e), right: count }];
  const place = { [slow]: variable(line_), [fast]: variable(along) };
  const global = wraps(plan, operand) ? globalOf(operand, along) : undefined;
  const whole = [
    ...positions,
    ...(global === undefined ? [] : [declare(global, wrapped(plan, operand, variable(along)))]),
    ...body({
      side: variable(along),
      depth: variable(along),
      ...place,
      ...(global === undefined ? {} : { inMatrix: variable(global) }),
    }),
  ];
  return [declare(e, add(mul(index, name.THREADS), threadIdx('x'))), ...onlyIf(uneven, whole)];
}

/** Repeats the thread layout over the tile, fastest along M or N. */
function byLayout(
  operand: Staged,
  body: (place: TilePosition) => readonly Statement[],
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
