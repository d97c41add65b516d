/**
 * Order of runs from several machines. A run's order is a hybrid logical clock: the time of its
 * machine, but later than every run that the machine had (S. Kulkarni et al., "Logical Physical
 * Clocks", OPODIS 2014). A clock that is behind therefore never moves a run before older runs.
 */
import type { Measurement } from './measurement';

export type Ordered = Pick<Measurement, 'at' | 'origin'>;

/**
 * Returns the order of a run, in milliseconds since 1970. Runs of older versions have the time of
 * their machine, or -Infinity without a time.
 */
export const orderOf = ({ at, origin }: Ordered): number =>
  origin?.order ?? (at === undefined ? -Infinity : Date.parse(at));

/** Returns the order of a new run that follows `runs`. `nowMs` is the time of this machine. */
export const nextOrder = (runs: readonly Ordered[], nowMs: number): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    runs.reduce((next, run) => Math.max(next, orderOf(run) + 1), nowMs),
  );

/** Compares two runs by order, then by the time of their machines. Equal runs return 0. */
export function byOrder(one: Ordered, other: Ordered): number {
  const [a, b] = [orderOf(one), orderOf(other)];
  if (a !== b) return a < b ? -1 : 1;
  const [left, right] = [one.at ?? '', other.at ?? ''];
  return left < right ? -1 : left > right ? 1 : 0;
}
