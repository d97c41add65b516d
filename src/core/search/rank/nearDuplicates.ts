/**
 * Groups ranked schedules that have the same block and thread tiles and nearly the same predicted
 * time.
 */
import type { Ranked } from './rank';

export interface RankedGroup extends Ranked {
  readonly alike: readonly Ranked[];
}

/** Relative difference up to which predicted times count as equal. */
const EQUAL = 0.03;

/** Returns at most `maxGroups` groups in ranked order. `best` must be sorted, fastest first. */
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
