/**
 * Splits an address into lane-dependent terms and terms that shift all lanes uniformly. Only the
 * distribution of the shifts modulo a sector (or bank word) affects the cost. The counters of the
 * shifts are therefore not enumerated jointly.
 */
import { countersIn, isPerLane, type Affine, type Counter } from '../kernel/ir/affine';
import { periodOf } from './periods';
import { valueOf, visitsOf, type Mask, type Point } from './lanes';

/** Frequencies of the uniform shifts by 0, 1, ... elements, modulo the array length. */
export type Shifts = readonly number[];

export interface Split {
  /** Constant, and terms that depend only on the lane. */
  readonly own: Affine;
  /** Terms that depend on enumerated counters. */
  readonly visiting: Affine;
  readonly visited: ReadonlySet<Counter>;
  /** Terms that shift all lanes. */
  readonly free: readonly Term[];
  readonly shifts: Shifts;
}

type Term = Affine['terms'][number];

/** A shift by a multiple of `period` elements does not affect the cost. */
export function splitOf(
  { constant, terms }: Affine,
  masks: readonly Mask[],
  period: number,
): Split {
  const moves = ({ atom, factor }: Term): boolean => isPerLane(atom) || factor % period !== 0;
  const [visited, visiting, free] = partition(
    new Set([
      ...terms.filter(({ atom }) => isPerLane(atom)).flatMap(({ atom }) => countersIn(atom)),
      ...masks.flatMap(mask => mask.terms.flatMap(({ atom }) => countersIn(atom))),
    ]),
    terms.filter(moves),
  );
  const isOwn = ({ atom }: Term): boolean => isPerLane(atom) && countersIn(atom).length === 0;
  return {
    own: { constant, terms: terms.filter(isOwn) },
    visiting: { constant: 0, terms: visiting.filter(term => !isOwn(term)) },
    visited,
    free,
    shifts: shiftsOf(free, period),
  };
}

/**
 * Returns the extended set of counters, the joined terms and the other terms. A term is joined if
 * it is lane-dependent or shares a counter with the set, directly or through other terms.
 */
function partition(
  counters: ReadonlySet<Counter>,
  terms: readonly Term[],
): readonly [ReadonlySet<Counter>, readonly Term[], readonly Term[]] {
  const joins = ({ atom }: Term): boolean =>
    isPerLane(atom) || countersIn(atom).some(counter => counters.has(counter));
  const joined = terms.filter(joins);
  const all = new Set([...counters, ...joined.flatMap(({ atom }) => countersIn(atom))]);
  if (all.size > counters.size) return partition(all, terms);
  return [all, joined, terms.filter(term => !joins(term))];
}

/**
 * Returns values of the counters that only shift the lanes, so that they shift them by `shift`
 * elements modulo the period. Returns null if no request has this shift.
 */
export function shiftedPoint(
  address: Affine,
  masks: readonly Mask[],
  period: number,
  shift: number,
): Point | null {
  return pointsByShift(splitOf(address, masks, period).free, period).get(shift) ?? null;
}

/** Returns one point per shift: the first one in the order of the counters. */
function pointsByShift(terms: readonly Term[], period: number): ReadonlyMap<number, Point> {
  const [first] = terms;
  if (first === undefined) return new Map([[0, new Map()]]);
  const [counters, joined, others] = partition(new Set(countersIn(first.atom)), terms);
  const of = { constant: 0, terms: joined };
  const rest = pointsByShift(others, period);
  const all = new Map<number, Point>();
  for (const { point } of visitsOf(counters, counter => periodOf(of, counter, period))) {
    const by = valueOf(of, point);
    for (const [shift, more] of rest) {
      const at = remainder(shift + by, period);
      if (!all.has(at)) all.set(at, new Map([...point, ...more]));
    }
  }
  return all;
}

function shiftsOf(terms: readonly Term[], period: number): Shifts {
  const [first] = terms;
  if (first === undefined) return Array.from({ length: period }, (_, i) => (i === 0 ? 1 : 0));
  const [counters, joined, others] = partition(new Set(countersIn(first.atom)), terms);
  const rest = shiftsOf(others, period);
  const own =
    first.atom.kind === 'counter' && joined.length === 1
      ? multiples(first.factor, first.atom.count, period)
      : enumerated({ constant: 0, terms: joined }, counters, period);
  return rest.map((_, to) =>
    own.reduce((sum, weight, by) => sum + weight * (rest[(to - by + period) % period] ?? 0), 0),
  );
}

const remainder = (value: number, period: number): number => ((value % period) + period) % period;

function multiples(factor: number, count: number, period: number): Shifts {
  const shifts = Array.from({ length: period }, () => 0);
  for (let value = 0; value < Math.min(period, count); value++) {
    const at = remainder(factor * value, period);
    shifts[at] = (shifts[at] ?? 0) + Math.ceil((count - value) / period);
  }
  return shifts;
}

function enumerated(of: Affine, counters: ReadonlySet<Counter>, period: number): Shifts {
  const shifts = Array.from({ length: period }, () => 0);
  for (const { point, times } of visitsOf(counters, counter => periodOf(of, counter, period))) {
    const at = remainder(valueOf(of, point), period);
    shifts[at] = (shifts[at] ?? 0) + times;
  }
  return shifts;
}
