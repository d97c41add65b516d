/**
 * Determines which lanes execute an access, and how often, from conditions on lane and loop
 * indices.
 */
import { countersOf, type Affine, type Counter } from '../kernel/ir/affine';
import { evaluate, createMemo, activeLanes, visitsOf, type Mask } from './lanes';

interface End {
  readonly counter: Counter;
  readonly mask: Mask;
}

export type Ends = ReadonlyMap<Counter, End>;

/**
 * Converts an upper bound on a single loop counter into a reduced counter range. Returns null for
 * any other mask, and for an empty range.
 */
export function endOf(mask: Mask): readonly [Counter, End] | null {
  const { constant, terms } = mask;
  const [only] = terms;
  if (terms.length !== 1 || only?.atom.kind !== 'counter' || only.factor <= 0) return null;
  const count = Math.min(only.atom.count, Math.ceil(-constant / only.factor));
  return count < 1 ? null : [only.atom, { counter: { kind: 'counter', count }, mask }];
}

const until = (of: Affine, ends: Ends): Affine => ({
  ...of,
  terms: of.terms.map(term =>
    term.atom.kind === 'counter'
      ? { ...term, atom: ends.get(term.atom)?.counter ?? term.atom }
      : term,
  ),
});

interface Tests {
  readonly masks: readonly Mask[];
  readonly ends: Ends;
}

/** The expressions of an access site. */
interface Indices {
  readonly outer: Affine;
  readonly inner: Affine;
  readonly offset: Affine;
  readonly warp: Affine;
}

/**
 * Applies reduced counter ranges to an address. Counters in non-affine terms keep their full range
 * and their masks.
 */
export function ended(
  indices: Indices,
  { masks, ends }: Tests,
): Indices & { readonly masks: readonly Mask[] } {
  if (ends.size === 0) return { ...indices, masks };
  const { outer, inner, offset, warp } = indices;
  const inside = insideOfOpaque([outer, inner, offset, warp, ...masks]);
  const tested = [...ends].filter(([counter]) => inside.has(counter));
  const others = new Map([...ends].filter(([counter]) => !inside.has(counter)));
  return {
    outer: until(outer, others),
    inner: until(inner, others),
    offset: until(offset, others),
    warp: until(warp, others),
    masks: [...masks.map(mask => until(mask, others)), ...tested.map(([, { mask }]) => mask)],
  };
}

export const insideOfOpaque = (all: readonly Affine[]): ReadonlySet<Counter> =>
  new Set(
    all.flatMap(({ terms }) =>
      terms.flatMap(({ atom }) => (atom.kind === 'opaque' ? atom.counters : [])),
    ),
  );

/**
 * Returns the maximum of an expression over all counter values and the lanes in which the masks
 * hold, or -Infinity without such lanes. A constant expression is returned without a test of the
 * masks.
 */
export function largest(of: Affine, masks: readonly Mask[]): number {
  if (of.terms.length === 0) return of.constant;
  const known = createMemo();
  let most = -Infinity;
  for (const { point } of visitsOf([...countersOf(of), ...masks.flatMap(countersOf)])) {
    const lanes = activeLanes(masks, point, known);
    if (lanes === 0) continue;
    for (const [lane, value] of evaluate(of, point, known).entries()) {
      if (value > most && (lanes & (1 << lane)) !== 0) most = value;
    }
  }
  return most;
}
