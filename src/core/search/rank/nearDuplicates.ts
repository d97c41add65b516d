/**
 * Groups ranked schedules that have the same block and thread tiles and nearly the same predicted
 * time.
 */
import type { Ranked } from './rank';

export interface RankedGroup extends Ranked {
  /** Slower schedules with the same tiles and nearly the same predicted time. */
  readonly alike: readonly Ranked[];
}

/**
 * Relative difference below which predicted times count as equal. The model's RMS error is 17 %.
 */
const EQUAL = 0.03;

/**
 * Returns at most `maxGroups` groups in ranked order. The first schedule of each group is its
 * fastest.
 */
export function grouped(best: readonly Ranked[], maxGroups: number): readonly RankedGroup[] {
  const groups: { readonly first: Ranked; readonly alike: Ranked[] }[] = [];
  for (const ranked of best) {
    const group = groups.find(
      ({ first }) =>
        tilesOf(first) === tilesOf(ranked) &&
        ranked.milliseconds <= first.milliseconds * (1 + EQUAL),
    );
    if (group === undefined) groups.push({ first: ranked, alike: [] });
    else group.alike.push(ranked);
  }
  return groups.slice(0, maxGroups).map(({ first, alike }) => ({ ...first, alike }));
}

const tilesOf = ({ schedule: { block, thread } }: Ranked): string =>
  JSON.stringify([block, thread]);
