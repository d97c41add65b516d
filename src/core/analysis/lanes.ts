/** Integer expressions, evaluated for all lanes of a warp at once, and what is said by the threads of a block. */
import {
  binary,
  counting,
  difference,
  fixed,
  LANE,
  OPERATIONS,
  scaled,
  sum,
  WARP_LANES,
  type Affine,
  type Counter,
  type Opaque,
} from '../ir/affine';
import type { Axis } from '../ir/ir';
import type { Dim3 } from '../plan/plan';

/** Holds in a lane where it is negative. */
export type Mask = Affine;

export interface BlockThreads {
  readonly indices: Readonly<Record<Axis, Affine>>;
  /** Where the last warp has fewer lanes. */
  readonly masks: readonly Mask[];
}

/** Indices of a block's threads, of which each warp takes the next 32. */
export function threadsOf({ x, y, z }: Dim3): BlockThreads {
  const threads = x * y * z;
  const linear = sum(scaled(counting(Math.ceil(threads / WARP_LANES)), WARP_LANES), LANE);
  const row = y * z === 1 ? fixed(0) : binary('/', linear, fixed(x));
  const indices = {
    x: y * z === 1 ? linear : binary('%', linear, fixed(x)),
    y: z === 1 ? row : binary('%', row, fixed(y)),
    z: z === 1 ? fixed(0) : binary('/', row, fixed(y)),
  };
  const whole = threads % WARP_LANES === 0;
  return { indices, masks: whole ? [] : [difference(linear, fixed(threads))] };
}

/** One value a lane. */
export type Lanes = Float64Array;

/** Values of some counters; the others count as 0. */
export type Point = ReadonlyMap<Counter, number>;

const LANE_INDICES = Float64Array.from({ length: WARP_LANES }, (_, lane) => lane);

/** What is not affine, evaluated before: by the values of its counters, which are one number together. */
export type Known = Map<Opaque, Map<number, Lanes>>;

/** The lanes' values of an expression: the caller's own. */
export function evaluate({ constant, terms }: Affine, point: Point, known: Known): Lanes {
  const out = new Float64Array(WARP_LANES);
  let uniform = constant;
  for (const { atom, factor } of terms) {
    if (atom.kind === 'counter') {
      uniform += factor * (point.get(atom) ?? 0);
    } else if (atom.kind === 'opaque' && !atom.perLane) {
      uniform += factor * operateOnce(atom, point);
    } else {
      const values = atom.kind === 'lane' ? LANE_INDICES : operate(atom, point, known);
      for (let lane = 0; lane < WARP_LANES; lane++) {
        out[lane] = (out[lane] ?? 0) + factor * (values[lane] ?? 0);
      }
    }
  }
  if (uniform === 0) return out;
  for (let lane = 0; lane < WARP_LANES; lane++) out[lane] = (out[lane] ?? 0) + uniform;
  return out;
}

function operate(atom: Opaque, point: Point, known: Known): Lanes {
  const at = atom.counters.reduce(
    (index, counter) => index * counter.count + (point.get(counter) ?? 0),
    0,
  );
  const values = known.get(atom) ?? new Map<number, Lanes>();
  known.set(atom, values);
  const found = values.get(at);
  if (found !== undefined) return found;
  const out = evaluate(atom.left, point, known);
  const others = evaluate(atom.right, point, known);
  const operation = OPERATIONS[atom.op];
  for (let lane = 0; lane < WARP_LANES; lane++) {
    out[lane] = operation(out[lane] ?? 0, others[lane] ?? 0);
  }
  values.set(at, out);
  return out;
}

/** The value of an expression that all lanes share. */
export function valueOf({ constant, terms }: Affine, point: Point): number {
  let value = constant;
  for (const { atom, factor } of terms) {
    if (atom.kind === 'lane') throw new Error('Lanes have values of their own');
    value += factor * (atom.kind === 'counter' ? (point.get(atom) ?? 0) : operateOnce(atom, point));
  }
  return value;
}

const operateOnce = ({ op, left, right }: Opaque, point: Point): number =>
  OPERATIONS[op](valueOf(left, point), valueOf(right, point));

/** The values of those lanes in which all masks hold; NaN in the others. */
export function taking(elements: Lanes, masks: readonly Mask[], point: Point, known: Known): Lanes {
  if (masks.length === 0) return elements;
  const values = masks.map(mask => evaluate(mask, point, known));
  return elements.map((element, lane) =>
    values.every(value => (value[lane] ?? 0) < 0) ? element : NaN,
  );
}

/** Points more than this are not visited: the first ones stand for all. */
const MOST_POINTS = 4096;

export interface Visit {
  readonly point: Point;
  /** Points that this one stands for. */
  readonly times: number;
}

/** All combinations of the counters' values, of each counter those before its period. */
export function* visitsOf(
  counters: Iterable<Counter>,
  periodIn: (counter: Counter) => number = () => Infinity,
): Generator<Visit> {
  const periods = [...new Set(counters)].map(
    counter => [counter, Math.min(counter.count, periodIn(counter))] as const,
  );
  const total = periods.reduce((product, [, period]) => product * period, 1);
  const most = total > MOST_POINTS ? Math.floor(MOST_POINTS ** (1 / periods.length)) : Infinity;
  const points = periods.reduce((product, [, period]) => product * Math.min(period, most), 1);
  for (let at = 0; at < points; at++) {
    let rest = at;
    let times = 1;
    const point = new Map<Counter, number>();
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
