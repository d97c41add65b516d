/** Which lanes take part in an access, and how often: tests of lanes, and of loops' indices. */
import { countersOf, type Affine, type Counter } from '../kernel/ir/affine';
import { evaluate, nothingKnown, taking, visitsOf, type Mask } from './lanes';

/** Of a counter, and the test that says so. */
interface End {
  readonly counter: Counter;
  readonly mask: Mask;
}

export type Ends = ReadonlyMap<Counter, End>;

/** A test that only a loop's index decides, true up to some iteration: the loop of what it guards ends there. */
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

/** An address under its tests. Inside of what is not affine a counter cannot end earlier: there its test stays one. */
export function ended(
  outer: Affine,
  inner: Affine,
  { masks, ends }: Tests,
): { readonly outer: Affine; readonly inner: Affine; readonly masks: readonly Mask[] } {
  if (ends.size === 0) return { outer, inner, masks };
  const inside = insideOfOpaque([outer, inner, ...masks]);
  const tested = [...ends].filter(([counter]) => inside.has(counter));
  const others = new Map([...ends].filter(([counter]) => !inside.has(counter)));
  return {
    outer: until(outer, others),
    inner: until(inner, others),
    masks: [...masks.map(mask => until(mask, others)), ...tested.map(([, { mask }]) => mask)],
  };
}

/** Counters that stand in what is not affine. */
export const insideOfOpaque = (all: readonly Affine[]): ReadonlySet<Counter> =>
  new Set(
    all.flatMap(({ terms }) =>
      terms.flatMap(({ atom }) => (atom.kind === 'opaque' ? atom.counters : [])),
    ),
  );

/** Largest value in the lanes in which the masks hold. */
export function largest(of: Affine, masks: readonly Mask[]): number {
  if (of.terms.length === 0) return of.constant;
  const known = nothingKnown();
  let most = -Infinity;
  for (const { point } of visitsOf([...countersOf(of), ...masks.flatMap(countersOf)])) {
    const lanes = taking(masks, point, known);
    if (lanes === 0) continue;
    for (const [lane, value] of evaluate(of, point, known).entries()) {
      if (value > most && (lanes & (1 << lane)) !== 0) most = value;
    }
  }
  return most;
}
