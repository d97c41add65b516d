/** Who stays for the next round: the fastest share, and whoever is not slower than all of these beyond the errors. */
import { highest, isFaster } from './compare';
import type { TuneTime } from './events';

export interface Halved<T> {
  /** In the order in which they came. */
  readonly kept: readonly T[];
  readonly dropped: readonly T[];
}

/** `most`: the fastest so many stay in any case. Nobody goes who may be as fast as one of them. */
export function halve<T extends { readonly time: TuneTime }>(
  entries: readonly T[],
  most: number,
): Halved<T> {
  const fastest = entries.toSorted((one, other) => one.time.medianMs - other.time.medianMs);
  const last = fastest
    .slice(0, Math.max(1, most))
    .reduce<TuneTime | undefined>(
      (slow, { time }) => (slow === undefined || highest(time) > highest(slow) ? time : slow),
      undefined,
    );
  const stays = ({ time }: T): boolean => last === undefined || !isFaster(last, time);
  return { kept: entries.filter(stays), dropped: entries.filter(entry => !stays(entry)) };
}

/** The best, those that cannot be told from it, and the others. */
export interface Standing<T> {
  /** Null where there is nothing, and where the timer's own error is what makes others its equals. */
  readonly winner: T | null;
  /** In the order in which they came, the winner first where there is one. */
  readonly ties: readonly T[];
  /** Fastest first. */
  readonly others: readonly T[];
}

/** Up to this error of the timer (percent) it does not matter which of two equal ones is called the winner. */
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
