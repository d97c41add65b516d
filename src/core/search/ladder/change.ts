/** How a quantity differs between two rungs. */
import { precise, short } from '../../text/numbers';

/** Changes below this factor explain nothing by themselves. */
export const LEAST = 1.05;

export interface Change {
  readonly effect: 'better' | 'worse';
  readonly factor: number;
}

/** Of a quantity of which less is better; null where it hardly changes. */
export function change(before: number, after: number): Change | null {
  if (!(before > 0 && after > 0)) return null;
  const factor = Math.max(before / after, after / before);
  return factor < LEAST ? null : { effect: after < before ? 'better' : 'worse', factor };
}

/** However little: for quantities whose parts have changed. */
export function anyChange(before: number, after: number): Change | null {
  if (!(before > 0 && after > 0) || before === after) return null;
  const factor = Math.max(before / after, after / before);
  return { effect: after < before ? 'better' : 'worse', factor };
}

/** A factor that is never shown as 1 unless it is. */
export const times = (factor: number): string => (factor < 1.1 ? precise(factor) : short(factor));

export const withCauses = (text: string, causes: readonly string[]): string =>
  causes.length === 0 ? text : `${text} (${causes.join('; ')})`;
