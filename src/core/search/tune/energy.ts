/** Ranks schedules by their energy per launch. */
import type { TuneTime } from './events';
import type { Standing } from './halving';

/** Error of an energy in percent; two measurements of one kernel differ by at most this much. */
export const ENERGY_PERCENT = 2;

/** Number of schedules, fastest first, whose energy is measured. */
export const ENERGY_FINALISTS = 12;

/** Entries without an energy are not ranked. Entries within the errors of the least are tied. */
export function standingByEnergy<T extends { readonly time: TuneTime }>(
  entries: readonly T[],
): Standing<T> {
  const joulesOf = ({ time }: T): number => time.joules ?? Infinity;
  const known = entries
    .filter(({ time }) => time.joules !== undefined)
    .toSorted((one, other) => joulesOf(one) - joulesOf(other));
  const [first] = known;
  if (first === undefined) return { winner: null, ties: [], others: [...entries] };
  const share = ENERGY_PERCENT / 100;
  const isTied = (entry: T): boolean =>
    joulesOf(entry) * (1 - share) <= joulesOf(first) * (1 + share);
  const others = [
    ...known.filter(entry => !isTied(entry)),
    ...entries.filter(e => !known.includes(e)),
  ];
  return { winner: first, ties: known.filter(isTied), others };
}
