/**
 * Computes the period of a loop counter after which the request cost repeats, so that only one
 * period is enumerated.
 */
import {
  countersIn,
  greatestDivisor,
  type Affine,
  type Atom,
  type Counter,
} from '../kernel/ir/affine';
import type { Mask } from './lanes';

/**
 * Returns the period of a counter for an address modulo `modulus`, or Infinity if the address is
 * aperiodic.
 */
export function periodOf({ terms }: Affine, counter: Counter, modulus: number): number {
  return terms.reduce((period, { atom, factor }) => {
    const rest = modulus === Infinity ? Infinity : modulus / greatestDivisor(factor, modulus);
    return commonMultiple(period, atomPeriod(atom, counter, rest));
  }, 1);
}

export const periodUnder = (
  masks: readonly Mask[],
  of: Affine,
  counter: Counter,
  modulus: number,
): number =>
  masks.reduce(
    (period, mask) => commonMultiple(period, periodOf(mask, counter, Infinity)),
    periodOf(of, counter, modulus),
  );

function atomPeriod(atom: Atom, counter: Counter, modulus: number): number {
  if (!countersIn(atom).includes(counter)) return 1;
  if (atom.kind !== 'opaque') return modulus;
  const { op, left, right } = atom;
  if (right.terms.length === 0 && op === '%') return periodOf(left, counter, right.constant);
  if (right.terms.length === 0 && op === '/') {
    return periodOf(left, counter, right.constant * modulus);
  }
  return commonMultiple(periodOf(left, counter, Infinity), periodOf(right, counter, Infinity));
}

const commonMultiple = (one: number, other: number): number =>
  one === Infinity || other === Infinity ? Infinity : (one / greatestDivisor(one, other)) * other;
