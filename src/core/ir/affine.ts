/**
 * Integer expressions as sums of multiples. Addresses are affine in block and loop indices nearly everywhere;
 * what is not (a division, a swizzle) stays an expression of its own inside the sum.
 */
import type { Axis, BinaryOp, Expr } from './ir';

/** Takes the values 0 .. count - 1, the same one in all lanes of a warp: a block index or a loop's iteration. */
export interface Counter {
  readonly kind: 'counter';
  readonly count: number;
}

export type Atom =
  | Counter
  | { readonly kind: 'thread'; readonly axis: Axis }
  /** What is not affine. */
  | {
      readonly kind: 'opaque';
      readonly op: BinaryOp;
      readonly left: Affine;
      readonly right: Affine;
      readonly perLane: boolean;
      readonly counters: readonly Counter[];
    };

interface Term {
  readonly atom: Atom;
  readonly factor: number;
}

/** constant + sum of factor * atom. */
export interface Affine {
  readonly constant: number;
  readonly terms: readonly Term[];
}

export const fixed = (constant: number): Affine => ({ constant, terms: [] });
export const single = (atom: Atom): Affine => ({ constant: 0, terms: [{ atom, factor: 1 }] });

export function sum(left: Affine, right: Affine): Affine {
  if (right.terms.length === 0 && right.constant === 0) return left;
  const terms = [...left.terms];
  for (const { atom, factor } of right.terms) {
    const at = terms.findIndex(term => term.atom === atom);
    const known = terms[at];
    if (known === undefined) terms.push({ atom, factor });
    else terms[at] = { atom, factor: known.factor + factor };
  }
  return {
    constant: left.constant + right.constant,
    terms: terms.filter(({ factor }) => factor !== 0),
  };
}

export function scaled(of: Affine, by: number): Affine {
  if (by === 0) return fixed(0);
  return {
    constant: of.constant * by,
    terms: of.terms.map(({ atom, factor }) => ({ atom, factor: factor * by })),
  };
}

export const difference = (left: Affine, right: Affine): Affine => sum(left, scaled(right, -1));

const isFixed = ({ terms }: Affine): boolean => terms.length === 0;

/** Whether lanes of a warp may see different values. */
export const isPerLane = ({ terms }: Affine): boolean =>
  terms.some(({ atom }) => atom.kind === 'thread' || (atom.kind === 'opaque' && atom.perLane));

/** Counters that its value depends on. */
export const countersOf = ({ terms }: Affine): readonly Counter[] =>
  terms.flatMap(({ atom }) =>
    atom.kind === 'counter' ? [atom] : atom.kind === 'opaque' ? atom.counters : [],
  );

/** Counters inside what is not affine. */
export const opaqueCountersOf = ({ terms }: Affine): readonly Counter[] =>
  terms.flatMap(({ atom }) => (atom.kind === 'opaque' ? atom.counters : []));

export const OPERATIONS: Readonly<Record<BinaryOp, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.floor(left / right),
  '%': (left, right) => left % right,
  '^': (left, right) => left ^ right,
  '<<': (left, right) => left * 2 ** right,
  min: Math.min,
};

function opaque(op: BinaryOp, left: Affine, right: Affine): Affine {
  return single({
    ...{ kind: 'opaque', op, left, right },
    perLane: isPerLane(left) || isPerLane(right),
    counters: [...new Set([...countersOf(left), ...countersOf(right)])],
  });
}

/** Multiples of a divisor leave a quotient exactly, and a remainder without a trace. Operands are never negative. */
function divided(op: '/' | '%', left: Affine, divisor: number): Affine {
  const divides = ({ factor }: Term): boolean => factor % divisor === 0;
  const whole = Math.floor(left.constant / divisor);
  const rest: Affine = {
    constant: left.constant - whole * divisor,
    terms: left.terms.filter(term => !divides(term)),
  };
  const remainder = isFixed(rest)
    ? fixed(OPERATIONS[op](rest.constant, divisor))
    : opaque(op, rest, fixed(divisor));
  if (op === '%') return remainder;
  const quotient = left.terms
    .filter(divides)
    .map(({ atom, factor }) => ({ atom, factor: factor / divisor }));
  return sum({ constant: whole, terms: quotient }, remainder);
}

function binary(op: BinaryOp, left: Affine, right: Affine): Affine {
  if (op === '+') return sum(left, right);
  if (op === '-') return difference(left, right);
  if (isFixed(left) && isFixed(right)) {
    return fixed(OPERATIONS[op](left.constant, right.constant));
  }
  if (op === '*' && isFixed(right)) return scaled(left, right.constant);
  if (op === '*' && isFixed(left)) return scaled(right, left.constant);
  if (op === '<<' && isFixed(right)) return scaled(left, 2 ** right.constant);
  if ((op === '/' || op === '%') && isFixed(right) && right.constant > 0)
    return divided(op, left, right.constant);
  return opaque(op, left, right);
}

/** What the leaves of an expression stand for. */
export type Meaning = (
  leaf: Exclude<Expr, { readonly op: BinaryOp } | { readonly op: 'int' }>,
) => Affine;

export function affineOf(expr: Expr, meaning: Meaning): Affine {
  switch (expr.op) {
    case 'int':
      return fixed(expr.value);
    case 'constant':
    case 'parameter':
    case 'variable':
    case 'threadIdx':
    case 'blockIdx':
      return meaning(expr);
    default:
      return binary(expr.op, affineOf(expr.left, meaning), affineOf(expr.right, meaning));
  }
}
