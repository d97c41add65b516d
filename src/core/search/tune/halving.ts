/**
 * Selects candidates for the next round: the fastest candidates, and all candidates that are tied
 * with them.
 */
import { highest, isFaster } from './compare';
import type { TuneTime } from './events';

export interface Halved<T> {
  /** Remaining candidates, in input order. */
  readonly kept: readonly T[];
  readonly dropped: readonly T[];
}

/**
 * Drops slow candidates. The fastest `minKept` candidates always remain. A candidate is dropped
 * only if it is slower than all of them beyond the errors.
 */
export function halve<T extends { readonly time: TuneTime }>(
  entries: readonly T[],
  minKept: number,
): Halved<T> {
  const fastest = entries.toSorted((one, other) => one.time.medianMs - other.time.medianMs);
  const last = fastest
    .slice(0, Math.max(1, minKept))
    .reduce<TuneTime | undefined>(
      (slow, { time }) => (slow === undefined || highest(time) > highest(slow) ? time : slow),
      undefined,
    );
  const remains = ({ time }: T): boolean => last === undefined || !isFaster(last, time);
  return { kept: entries.filter(remains), dropped: entries.filter(entry => !remains(entry)) };
}

export interface Standing<T> {
  /**
   * Fastest candidate; null without candidates, or for ties with a timer error above
   * `COARSE_PERCENT`.
   */
  readonly winner: T | null;
  /** Tied candidates in input order; the winner, if any, is first. */
  readonly ties: readonly T[];
  readonly others: readonly T[];
}

/** Maximum timer error, in percent, for selecting a winner among tied candidates. */
export const COARSE_PERCENT = 1;

export function standing<T extends { readonly time: TuneTime }>(
  entries: readonly T[],
): Standing<T> {
  const fastest = entries.toSorted((one, other) => one.time.medianMs - other.time.medianMs);
  const [first] = fastest;
  if (first === undefined) return { winner: null, ties: [], others: [] };
  const isTied = ({ time }: T): boolean => !isFaster(first.time, time);
  const ties = entries.filter(isTied);
  const others = fastest.filter(entry => !isTied(entry));
  const coarse = ties.some(({ time }) => time.timerPercent > COARSE_PERCENT);
  if (ties.length > 1 && coarse) return { winner: null, ties, others };
  return { winner: first, ties: [first, ...ties.filter(one => one !== first)], others };
}
