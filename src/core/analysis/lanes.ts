/** Integer expressions, evaluated for all lanes of a warp at once. */
import { OPERATIONS, type Affine, type Atom, type Counter } from '../ir/affine';
import type { Dim3 } from '../plan/plan';

export const WARP_LANES = 32;

/** One value a lane. */
export type Lanes = Float64Array;

export interface Warp {
  readonly lanes: number;
  readonly thread: Readonly<Record<'x' | 'y' | 'z', Lanes>>;
  /** Values of what depends on the thread alone. */
  readonly known: Map<Atom, Lanes>;
}

/** The warps of a block; the last may have fewer lanes. */
export function warpsOf({ x, y, z }: Dim3): readonly Warp[] {
  const threads = x * y * z;
  return Array.from({ length: Math.ceil(threads / WARP_LANES) }, (_, w) => {
    const lanes = Math.min(WARP_LANES, threads - w * WARP_LANES);
    const along = (of: (thread: number) => number): Lanes => {
      const out = new Float64Array(lanes);
      for (let lane = 0; lane < lanes; lane++) out[lane] = of(w * WARP_LANES + lane);
      return out;
    };
    return {
      lanes,
      thread: {
        x: along(thread => thread % x),
        y: along(thread => Math.floor(thread / x) % y),
        z: along(thread => Math.floor(thread / (x * y))),
      },
      known: new Map<Atom, Lanes>(),
    };
  });
}

/** Values of some counters; the others count as 0. */
export type Point = ReadonlyMap<Counter, number>;

/** The lanes' values of an expression: the caller's own. */
export function evaluate({ constant, terms }: Affine, warp: Warp, point: Point): Lanes {
  const out = new Float64Array(warp.lanes);
  let uniform = constant;
  for (const { atom, factor } of terms) {
    if (atom.kind === 'counter') {
      uniform += factor * (point.get(atom) ?? 0);
      continue;
    }
    const values = lanesOf(atom, warp, point);
    for (let lane = 0; lane < out.length; lane++) {
      out[lane] = (out[lane] ?? 0) + factor * (values[lane] ?? 0);
    }
  }
  if (uniform === 0) return out;
  for (let lane = 0; lane < out.length; lane++) out[lane] = (out[lane] ?? 0) + uniform;
  return out;
}

function lanesOf(atom: Exclude<Atom, Counter>, warp: Warp, point: Point): Lanes {
  if (atom.kind === 'thread') return warp.thread[atom.axis];
  if (atom.counters.length > 0) return operate(atom, warp, point);
  const known = warp.known.get(atom) ?? operate(atom, warp, point);
  warp.known.set(atom, known);
  return known;
}

function operate(atom: Extract<Atom, { kind: 'opaque' }>, warp: Warp, point: Point): Lanes {
  const left = evaluate(atom.left, warp, point);
  const right = evaluate(atom.right, warp, point);
  const operation = OPERATIONS[atom.op];
  for (let lane = 0; lane < left.length; lane++) {
    left[lane] = operation(left[lane] ?? 0, right[lane] ?? 0);
  }
  return left;
}

/** Points more than this are not visited: patterns repeat, so the first ones stand for all. */
const MOST_POINTS = 4096;

/** All combinations of the counters' values. */
export function* pointsOf(counters: readonly Counter[]): Generator<Point> {
  const distinct = [...new Set(counters)];
  const most = distinct.length === 0 ? 1 : Math.floor(MOST_POINTS ** (1 / distinct.length));
  const total = distinct.reduce((product, { count }) => product * count, 1);
  const counts = distinct.map(({ count }) => (total > MOST_POINTS ? Math.min(count, most) : count));
  const points = counts.reduce((product, count) => product * count, 1);
  for (let at = 0; at < points; at++) {
    let rest = at;
    const point = new Map<Counter, number>();
    distinct.forEach((counter, i) => {
      const count = counts[i] ?? 1;
      point.set(counter, rest % count);
      rest = Math.floor(rest / count);
    });
    yield point;
  }
}
