/** Compares a quantity between two rungs. */
import { precise, short } from '../../text/numbers';

/** Changes below this factor are not reported as a cause. */
export const MIN_FACTOR = 1.05;

export interface Change {
  readonly effect: 'better' | 'worse';
  readonly factor: number;
}

/**
 * Compares a quantity where less is better; returns null if a value is not positive or the factor
 * is below `MIN_FACTOR`.
 */
export function change(before: number, after: number): Change | null {
  if (!(before > 0 && after > 0)) return null;
  const factor = Math.max(before / after, after / before);
  return factor < MIN_FACTOR ? null : { effect: after < before ? 'better' : 'worse', factor };
}

/**
 * Compares a quantity without a threshold, for totals with a changed component; returns null if a
 * value is not positive or both are equal.
 */
export function anyChange(before: number, after: number): Change | null {
  if (!(before > 0 && after > 0) || before === after) return null;
  const factor = Math.max(before / after, after / before);
  return { effect: after < before ? 'better' : 'worse', factor };
}

/**
 * Formats a factor with three significant digits below 1.1, otherwise with at most one decimal
 * place.
 */
export const times = (factor: number): string => (factor < 1.1 ? precise(factor) : short(factor));

export const withCauses = (text: string, causes: readonly string[]): string =>
  causes.length === 0 ? text : `${text} (${causes.join('; ')})`;
