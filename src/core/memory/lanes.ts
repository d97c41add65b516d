/**
 * Evaluates integer expressions for all lanes of a warp, and describes the thread indices of a
 * block.
 */
import {
  binary,
  counting,
  countersOf,
  difference,
  fixed,
  isPerLane,
  LANE,
  OPERATIONS,
  scaled,
  sum,
  type Affine,
  type Atom,
  type Counter,
  type Opaque,
} from '../kernel/ir/affine';
import type { Axis } from '../kernel/ir/ir';
import type { Dim3 } from '../plan/plan';
import { WARP_LANES } from '../hardware/warp';

/** Condition on lanes: a lane is active if the expression is negative. */
export type Mask = Affine;

export interface BlockThreads {
  readonly indices: Readonly<Record<Axis, Affine>>;
  /** Warp index in the block. */
  readonly warp: Affine;
  /** Masks of a partial last warp; empty if all warps are full. */
  readonly masks: readonly Mask[];
}

export function threadsOf({ x, y, z }: Dim3): BlockThreads {
  const threads = x * y * z;
  const warp = counting(Math.ceil(threads / WARP_LANES));
  const linear = sum(scaled(warp, WARP_LANES), LANE);
  const row = y * z === 1 ? fixed(0) : binary('/', linear, fixed(x));
  const indices = {
    x: y * z === 1 ? linear : binary('%', linear, fixed(x)),
    y: z === 1 ? row : binary('%', row, fixed(y)),
    z: z === 1 ? fixed(0) : binary('/', row, fixed(y)),
  };
  const whole = threads % WARP_LANES === 0;
  return { indices, warp, masks: whole ? [] : [difference(linear, fixed(threads))] };
}

export type Lanes = Float64Array;

/** One bit per lane; lane 0 is the least significant bit. */
export type LaneBits = number;
export const ALL_LANES: LaneBits = -1;

/** Counter values; absent counters are 0. */
export type Point = ReadonlyMap<Counter, number>;

/** Memoized values. The innermost maps are keyed by `indexOf` of the counter values. */
export interface Memo {
  readonly opaques: Map<Opaque, Map<number, Lanes>>;
  readonly masks: Map<Mask, Test>;
}

interface Test {
  readonly counters: readonly Counter[];
  readonly bits: Map<number, LaneBits>;
}

export const createMemo = (): Memo => ({ opaques: new Map(), masks: new Map() });

/**
 * Combines counter values into one index. Returns null if the index could exceed the safe integer
 * range.
 */
function indexOf(counters: readonly Counter[], point: Point): number | null {
  let [index, count] = [0, 1];
  for (const counter of counters) {
    index = index * counter.count + (point.get(counter) ?? 0);
    count *= counter.count;
  }
  return count <= Number.MAX_SAFE_INTEGER ? index : null;
}

export function evaluate(
  { constant, terms }: Affine,
  point: Point,
  known: Memo,
  out = new Float64Array(WARP_LANES),
): Lanes {
  let uniform = constant;
  for (const { atom, factor } of terms) {
    if (!isPerLane(atom)) uniform += factor * uniformValue(atom, point);
  }
  out.fill(uniform);
  for (const { atom, factor } of terms) {
    if (atom.kind === 'lane') {
      for (let lane = 0; lane < WARP_LANES; lane++) out[lane] = (out[lane] ?? 0) + factor * lane;
    } else if (atom.kind === 'opaque' && atom.perLane) {
      const values = operate(atom, point, known);
      for (let lane = 0; lane < WARP_LANES; lane++) {
        out[lane] = (out[lane] ?? 0) + factor * (values[lane] ?? 0);
      }
    }
  }
  return out;
}

function operate(atom: Opaque, point: Point, known: Memo): Lanes {
  const at = indexOf(atom.counters, point);
  const values = known.opaques.get(atom) ?? new Map<number, Lanes>();
  known.opaques.set(atom, values);
  const found = at === null ? undefined : values.get(at);
  if (found !== undefined) return found;
  const out = evaluate(atom.left, point, known);
  const others = evaluate(atom.right, point, known);
  const operation = OPERATIONS[atom.op];
  for (let lane = 0; lane < WARP_LANES; lane++) {
    out[lane] = operation(out[lane] ?? 0, others[lane] ?? 0);
  }
  if (at !== null) values.set(at, out);
  return out;
}

/** Evaluates an expression without lane terms. Throws if it has one. */
export function valueOf({ constant, terms }: Affine, point: Point): number {
  let value = constant;
  for (const { atom, factor } of terms) value += factor * uniformValue(atom, point);
  return value;
}

function uniformValue(atom: Atom, point: Point): number {
  if (atom.kind === 'lane')
    throw new Error('Expected an expression that is uniform across the lanes.');
  if (atom.kind === 'counter') return point.get(atom) ?? 0;
  return OPERATIONS[atom.op](valueOf(atom.left, point), valueOf(atom.right, point));
}

export function activeLanes(masks: readonly Mask[], point: Point, known: Memo): LaneBits {
  let bits = ALL_LANES;
  for (const mask of masks) bits &= lanesWhere(mask, point, known);
  return bits;
}

function lanesWhere(mask: Mask, point: Point, known: Memo): LaneBits {
  const { counters, bits } = testOf(mask, known);
  const at = indexOf(counters, point);
  const found = at === null ? undefined : bits.get(at);
  if (found !== undefined) return found;
  const holds = negativeIn(evaluate(mask, point, known));
  if (at !== null) bits.set(at, holds);
  return holds;
}

function testOf(mask: Mask, { masks }: Memo): Test {
  const found = masks.get(mask);
  if (found !== undefined) return found;
  const test: Test = { counters: [...new Set(countersOf(mask))], bits: new Map() };
  masks.set(mask, test);
  return test;
}

function negativeIn(values: Lanes): LaneBits {
  let bits = 0;
  for (let lane = 0; lane < WARP_LANES; lane++) if ((values[lane] ?? 0) < 0) bits |= 1 << lane;
  return bits;
}

/**
 * Maximum number of enumerated points. Beyond this count, only the first values of each counter are
 * enumerated.
 */
const MAX_POINTS = 4096;

export interface Visit {
  readonly point: Point;
  readonly times: number;
}

/**
 * Yields the combinations of counter values, with each counter below its period. All visits share
 * one `point` object.
 */
export function* visitsOf(
  counters: Iterable<Counter>,
  periodIn: (counter: Counter) => number = () => Infinity,
): Generator<Visit> {
  const periods = [...new Set(counters)].map(
    counter => [counter, Math.min(counter.count, periodIn(counter))] as const,
  );
  const total = periods.reduce((product, [, period]) => product * period, 1);
  const most = total > MAX_POINTS ? Math.floor(MAX_POINTS ** (1 / periods.length)) : Infinity;
  const points = periods.reduce((product, [, period]) => product * Math.min(period, most), 1);
  const point = new Map<Counter, number>();
  for (let at = 0; at < points; at++) {
    let rest = at;
    let times = 1;
    for (const [counter, period] of periods) {
      const values = Math.min(period, most);
      const value = rest % values;
      rest = Math.floor(rest / values);
      point.set(counter, value);
      times *= Math.ceil((counter.count - value) / period);
    }
    yield { point, times };
  }
}
