/**
 * Compiles integer expressions to closures. An expression that is linear in a thread's integers
 * becomes a single closure, regardless of its depth. Other operations (division, swizzle) are
 * nested closures.
 */
import { OPERATIONS as OF_NUMBERS } from '../kernel/ir/affine';
import type { BinaryOp } from '../kernel/ir/ir';
import type { Thread } from './memory';

export type Integer = (thread: Thread) => number;

interface Term {
  readonly slot: number;
  readonly factor: number;
}

/** Linear form: constant + sum of factor * integers[slot] + sum of factor * value. */
export interface Linear {
  readonly constant: number;
  readonly terms: readonly Term[];
  readonly others: readonly { readonly value: Integer; readonly factor: number }[];
}

export const fixed = (constant: number): Linear => ({ constant, terms: [], others: [] });

export const inSlot = (slot: number): Linear => ({ ...fixed(0), terms: [{ slot, factor: 1 }] });

export const opaque = (value: Integer): Linear => ({ ...fixed(0), others: [{ value, factor: 1 }] });

export const isFixed = ({ terms, others }: Linear): boolean => terms.length + others.length === 0;

export function sum(...parts: readonly Linear[]): Linear {
  const factors = new Map<number, number>();
  for (const { slot, factor } of parts.flatMap(({ terms }) => terms))
    factors.set(slot, (factors.get(slot) ?? 0) + factor);
  return {
    constant: parts.reduce((total, { constant }) => total + constant, 0),
    terms: [...factors].map(([slot, factor]) => ({ slot, factor })),
    others: parts.flatMap(({ others }) => others),
  };
}

const scaled = ({ constant, terms, others }: Linear, by: number): Linear => ({
  constant: constant * by,
  terms: terms.map(({ slot, factor }) => ({ slot, factor: factor * by })),
  others: others.map(({ value, factor }) => ({ value, factor: factor * by })),
});

export const difference = (left: Linear, right: Linear): Linear => sum(left, scaled(right, -1));

export function product(left: Linear, right: Linear): Linear {
  if (isFixed(right)) return scaled(left, right.constant);
  return isFixed(left) ? scaled(right, left.constant) : combined('*', left, right);
}

export function binary(op: BinaryOp, left: Linear, right: Linear): Linear {
  if (op === '+') return sum(left, right);
  if (op === '-') return difference(left, right);
  if (op === '*') return product(left, right);
  if (isFixed(left) && isFixed(right)) return fixed(OF_NUMBERS[op](left.constant, right.constant));
  if (op === '<<' && isFixed(right)) return scaled(left, 2 ** right.constant);
  return combined(op, left, right);
}

const OPERATIONS: Readonly<Record<BinaryOp, (left: Integer, right: Integer) => Integer>> = {
  '+': (left, right) => thread => left(thread) + right(thread),
  '-': (left, right) => thread => left(thread) - right(thread),
  '*': (left, right) => thread => left(thread) * right(thread),
  '/': (left, right) => thread => Math.floor(left(thread) / right(thread)),
  '%': (left, right) => thread => {
    const [of, by] = [left(thread), right(thread)];
    // For doubles, this is faster than the operator %.
    return of - Math.trunc(of / by) * by;
  },
  '^': (left, right) => thread => left(thread) ^ right(thread),
  '<<': (left, right) => thread => left(thread) * 2 ** right(thread),
  min: (left, right) => thread => Math.min(left(thread), right(thread)),
};

const combined = (op: BinaryOp, left: Linear, right: Linear): Linear =>
  opaque(OPERATIONS[op](closure(left), closure(right)));

export const closure = ({ constant, terms, others }: Linear): Integer =>
  others.reduce<Integer>(
    (before, { value, factor }) =>
      thread =>
        before(thread) + factor * value(thread),
    ofSlots(constant, terms),
  );

function ofSlots(constant: number, terms: readonly Term[]): Integer {
  const [one, two, three] = terms;
  if (one === undefined) return () => constant;
  const { slot: at, factor: by } = one;
  if (two === undefined) return ({ integers }) => constant + by * (integers[at] ?? NaN);
  const { slot: at2, factor: by2 } = two;
  if (three === undefined)
    return ({ integers }) => constant + by * (integers[at] ?? NaN) + by2 * (integers[at2] ?? NaN);
  const [slots, factors] = [terms.map(({ slot }) => slot), terms.map(({ factor }) => factor)];
  return ({ integers }) => {
    let total = constant;
    for (let i = 0; i < slots.length; i++)
      total += (factors[i] ?? NaN) * (integers[slots[i] ?? -1] ?? NaN);
    return total;
  };
}
