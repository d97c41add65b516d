/**
 * Merges shared-memory loads as the compiler does. ptxas merges adjacent loads of an unrolled loop
 * into one wide load if it can prove the alignment. Nsight Compute counters on compute capability
 * 9.0 confirm this behavior (docs/analysis.md).
 */
import type { Affine, Atom, Counter } from '../kernel/ir/affine';
import type { AccessSite } from './accessSite';
import { countersOf } from '../kernel/ir/affine';

/** Bytes per lane of the widest load, ld.shared.v4. */
const WIDEST_BYTES = 16;

export function mergedAccess(access: AccessSite, elementBytes: number): AccessSite | null {
  const { op, space, base, outer, inner, row, masks } = access;
  if (op !== 'load' || space !== 'shared') return null;
  for (let width = WIDEST_BYTES / elementBytes; width > access.width; width /= 2) {
    if (row % width !== 0 || base % width !== 0 || !isMultiple(outer, width / gcd(row, width))) {
      continue;
    }
    const along = inner.terms.find(({ atom, factor }) =>
      runsAlong(atom, factor, access.width, width),
    );
    const counter = along?.atom;
    if (counter?.kind !== 'counter' || dependOn([outer, ...masks], counter)) continue;
    const rest = { ...inner, terms: inner.terms.filter(term => term !== along) };
    if (dependOn([rest], counter) || !isMultiple(rest, width)) continue;
    const times = width / access.width;
    const atom: Counter = { ...counter, count: counter.count / times };
    return {
      ...access,
      width,
      visits: access.visits / times,
      outside: [],
      inner: { ...rest, terms: [...rest.terms, { atom, factor: width }] },
    };
  }
  return null;
}

const runsAlong = (atom: Atom, factor: number, from: number, to: number): boolean =>
  atom.kind === 'counter' &&
  atom.loop === true &&
  factor === from &&
  atom.count % (to / from) === 0;

const isMultiple = ({ constant, terms }: Affine, unit: number): boolean =>
  constant % unit === 0 && terms.every(({ factor }) => factor % unit === 0);

const dependOn = (of: readonly Affine[], counter: Counter): boolean =>
  of.some(affine => countersOf(affine).includes(counter));

const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other));
