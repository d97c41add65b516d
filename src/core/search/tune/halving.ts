/**
 * Selects candidates for the next round: the fastest share, and all that are not slower beyond the
 * errors.
 */
import { highest, isFaster } from './compare';
import type { TuneTime } from './events';

export interface Halved<T> {
  /** In input order. */
  readonly kept: readonly T[];
  readonly dropped: readonly T[];
}

/**
 * Halves the candidates. `most` is the number of fastest candidates that always remain. Drops only
 * candidates that are certainly slower than all of these.
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

/** The best candidate, its ties, and the others. */
export interface Standing<T> {
  /** Null without candidates, or if the ties are due to the timer's error. */
  readonly winner: T | null;
  /** In input order; the winner, if any, is first. */
  readonly ties: readonly T[];
  /** Fastest first. */
  readonly others: readonly T[];
}

/** Up to this timer error (percent), any of the tied candidates may be the winner. */
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
