/**
 * Affine form of integer expressions. Non-affine terms (a division, a swizzle) are opaque atoms.
 */
import type { BinaryOp, Expr } from './ir';
import { WARP_LANES } from '../../hardware/warp';

/** A warp-uniform value in 0 .. count - 1: a block or warp index, or a loop index. */
export interface Counter {
  readonly kind: 'counter';
  readonly count: number;
  /** Set for a loop index within a thread; the compiler may unroll the loop. */
  readonly loop?: true;
}

interface Lane {
  readonly kind: 'lane';
}

export interface Opaque {
  readonly kind: 'opaque';
  readonly op: BinaryOp;
  readonly left: Affine;
  readonly right: Affine;
  readonly perLane: boolean;
  readonly counters: readonly Counter[];
  readonly range: Range;
}

export type Atom = Counter | Lane | Opaque;

/** Conservative lower and upper bounds, both inclusive. */
type Range = readonly [number, number];

interface Term {
  readonly atom: Atom;
  readonly factor: number;
}

/** The sum of `constant` and all factor * atom. */
export interface Affine {
  readonly constant: number;
  readonly terms: readonly Term[];
}

export const fixed = (constant: number): Affine => ({ constant, terms: [] });
export const single = (atom: Atom): Affine => ({ constant: 0, terms: [{ atom, factor: 1 }] });
export const LANE: Affine = single({ kind: 'lane' });

/** Returns a counter of `count` values, or 0 for a single value. */
export const counting = (count: number): Affine =>
  count === 1 ? fixed(0) : single({ kind: 'counter', count });

export const looping = (count: number): Affine =>
  count === 1 ? fixed(0) : single({ kind: 'counter', count, loop: true });

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

/** Returns the expression with a fixed value of a counter. */
export function withCounter(of: Affine, counter: Counter, value: number): Affine {
  const fix = (atom: Atom): Affine =>
    atom === counter
      ? fixed(value)
      : atom.kind === 'opaque' && atom.counters.includes(counter)
        ? binary(
            atom.op,
            withCounter(atom.left, counter, value),
            withCounter(atom.right, counter, value),
          )
        : single(atom);
  return of.terms.reduce(
    (total, { atom, factor }) => sum(total, scaled(fix(atom), factor)),
    fixed(of.constant),
  );
}

export const difference = (left: Affine, right: Affine): Affine => sum(left, scaled(right, -1));

const isConstant = ({ terms }: Affine): boolean => terms.length === 0;

export const isPerLane = (atom: Atom): boolean =>
  atom.kind === 'lane' || (atom.kind === 'opaque' && atom.perLane);

const NO_COUNTERS: readonly Counter[] = [];

export const countersIn = (atom: Atom): readonly Counter[] =>
  atom.kind === 'counter' ? [atom] : atom.kind === 'opaque' ? atom.counters : NO_COUNTERS;

export const countersOf = ({ terms }: Affine): readonly Counter[] =>
  terms.flatMap(({ atom }) => countersIn(atom));

const atomRange = (atom: Atom): Range =>
  atom.kind === 'opaque' ? atom.range : [0, (atom.kind === 'lane' ? WARP_LANES : atom.count) - 1];

export function rangeOf({ constant, terms }: Affine): Range {
  let [least, most] = [constant, constant];
  for (const { atom, factor } of terms) {
    const [from, to] = atomRange(atom);
    least += factor * (factor > 0 ? from : to);
    most += factor * (factor > 0 ? to : from);
  }
  return [least, most];
}

export const OPERATIONS: Readonly<Record<BinaryOp, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.floor(left / right),
  // For doubles, this is much faster than the operator %.
  '%': (left, right) => left - Math.floor(left / right) * right,
  '^': (left, right) => left ^ right,
  '<<': (left, right) => left * 2 ** right,
  min: Math.min,
};

function opaque(op: BinaryOp, left: Affine, right: Affine): Affine {
  return single({
    kind: 'opaque',
    op,
    left,
    right,
    perLane: [left, right].some(({ terms }) => terms.some(({ atom }) => isPerLane(atom))),
    counters: [...new Set([...countersOf(left), ...countersOf(right)])],
    range: opaqueRange(op, rangeOf(left), rangeOf(right)),
  });
}

/**
 * Returns conservative bounds of an operation. Operands of `/`, `%` and `^` must not be negative.
 */
function opaqueRange(op: BinaryOp, left: Range, right: Range): Range {
  switch (op) {
    case '/':
      return right[0] === right[1]
        ? [Math.floor(left[0] / right[0]), Math.floor(left[1] / right[0])]
        : [0, left[1]];
    case '*':
      return Math.min(left[0], right[0]) < 0
        ? [-Infinity, Infinity]
        : [left[0] * right[0], left[1] * right[1]];
    case '%':
      return [0, Math.min(left[1], right[1] - 1)];
    case '^':
      return [0, allOnes(Math.max(left[1], right[1]))];
    case 'min':
      return [Math.min(left[0], right[0]), Math.min(left[1], right[1])];
    default:
      return [-Infinity, Infinity];
  }
}

/** Returns the smallest 2^n - 1 that is at least `value`. */
const allOnes = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(0, value) + 1)) - 1;

/** Splits an affine expression into its multiples of `unit` and the remaining terms. */
function splitByUnit({ constant, terms }: Affine, unit: number): readonly [Affine, Affine] {
  const rest = constant - Math.floor(constant / unit) * unit;
  const isMultiple = ({ factor }: Term): boolean => factor % unit === 0;
  return [
    { constant: constant - rest, terms: terms.filter(isMultiple) },
    { constant: rest, terms: terms.filter(term => !isMultiple(term)) },
  ];
}

/**
 * Divides an affine expression or takes its remainder. Terms that are multiples of the divisor are
 * divided exactly. Operands must not be negative.
 */
function divided(op: '/' | '%', of: Affine, divisor: number): Affine {
  const [whole, rest] = splitByUnit(of, divisor);
  const [quotient, remainder] = [scaled(whole, 1 / divisor), dividedRest(op, rest, divisor)];
  return op === '/' ? sum(quotient, remainder) : remainder;
}

function dividedRest(op: '/' | '%', rest: Affine, divisor: number): Affine {
  const isBelow = (limit: number, [least, most]: Range): boolean => least >= 0 && most < limit;
  if (isBelow(divisor, rangeOf(rest))) return op === '/' ? fixed(0) : rest;
  for (const { factor } of rest.terms) {
    // Terms below a common divisor of the factors and the divisor do not affect the quotient.
    const unit = greatestDivisor(factor, divisor);
    if (unit === 1) continue;
    const [high, low] = splitByUnit(rest, unit);
    if (!isBelow(unit, rangeOf(low))) continue;
    const part = divided(op, scaled(high, 1 / unit), divisor / unit);
    return op === '/' ? part : sum(scaled(part, unit), low);
  }
  return opaque(op, rest, fixed(divisor));
}

export const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? Math.abs(one) : greatestDivisor(other, one % other);

/**
 * XORs two affine expressions. Bits of the wider operand above the range of the narrower operand do
 * not change.
 */
function exclusiveOr(left: Affine, right: Affine): Affine {
  const [ofLeft, ofRight] = [rangeOf(left), rangeOf(right)];
  if (Math.min(ofLeft[0], ofRight[0]) < 0) return opaque('^', left, right);
  const [wide, narrow] = ofLeft[1] >= ofRight[1] ? [left, right] : [right, left];
  const unit = allOnes(Math.min(ofLeft[1], ofRight[1])) + 1;
  const [high, low] = splitByUnit(wide, unit);
  if (rangeOf(low)[0] < 0) return opaque('^', left, right);
  const bits = divided('%', low, unit);
  const exclusive = isConstant(bits) && bits.constant === 0 ? narrow : opaque('^', bits, narrow);
  return sum(sum(high, difference(low, bits)), exclusive);
}

function smaller(left: Affine, right: Affine): Affine {
  if (rangeOf(left)[1] <= rangeOf(right)[0]) return left;
  return rangeOf(right)[1] <= rangeOf(left)[0] ? right : opaque('min', left, right);
}

export function binary(op: BinaryOp, left: Affine, right: Affine): Affine {
  if (op === '+') return sum(left, right);
  if (op === '-') return difference(left, right);
  if (isConstant(left) && isConstant(right)) {
    return fixed(OPERATIONS[op](left.constant, right.constant));
  }
  if (op === '*' && isConstant(right)) return scaled(left, right.constant);
  if (op === '*' && isConstant(left)) return scaled(right, left.constant);
  if (op === '<<' && isConstant(right)) return scaled(left, 2 ** right.constant);
  if ((op === '/' || op === '%') && isConstant(right) && right.constant > 0)
    return divided(op, left, right.constant);
  if (op === '^') return exclusiveOr(left, right);
  return op === 'min' ? smaller(left, right) : opaque(op, left, right);
}

/** Returns a function that interns opaque atoms: equal atoms become the same object. */
export function sharedAtoms(): (of: Affine) => Affine {
  const numbers = new Map<Atom, number>();
  const opaques = new Map<string, Opaque>();
  const numberOf = (atom: Atom): number => {
    const number = numbers.get(atom) ?? numbers.size;
    numbers.set(atom, number);
    return number;
  };
  const keyOf = ({ constant, terms }: Affine): string =>
    terms.reduce((key, { atom, factor }) => `${key} ${factor}*${numberOf(atom)}`, `${constant}`);
  const shared = (of: Affine): Affine =>
    of.terms.some(({ atom }) => atom.kind === 'opaque')
      ? of.terms.reduce<Affine>(
          (sum_, { atom, factor }) => sum(sum_, scaled(single(sharedAtom(atom)), factor)),
          fixed(of.constant),
        )
      : of;
  const sharedAtom = (atom: Atom): Atom => {
    if (atom.kind !== 'opaque' || numbers.has(atom)) return atom;
    const [left, right] = [shared(atom.left), shared(atom.right)];
    const key = `${keyOf(left)} ${atom.op} ${keyOf(right)}`;
    const known = opaques.get(key) ?? { ...atom, left, right };
    opaques.set(key, known);
    numberOf(known);
    return known;
  };
  return shared;
}

export type Meaning = (leaf: Exclude<Expr, { readonly op: BinaryOp | 'int' | 'select' }>) => Affine;

export function affineOf(expr: Expr, meaning: Meaning): Affine {
  switch (expr.op) {
    case 'int':
      return fixed(expr.value);
    case 'constant':
    case 'parameter':
    case 'variable':
    case 'threadIdx':
    case 'blockIdx':
    case 'warpIdx':
    case 'laneIdx':
      return meaning(expr);
    case 'select':
      // Bounds checks hold in the interior tiles that are analyzed (memory/boundaryChecks.ts).
      return affineOf(expr.value, meaning);
    default:
      return binary(expr.op, affineOf(expr.left, meaning), affineOf(expr.right, meaning));
  }
}
