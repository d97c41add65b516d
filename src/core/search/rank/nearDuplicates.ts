/**
 * Groups ranked schedules that have the same block and thread tiles and the same predicted time.
 */
import type { Ranked } from './rank';

export interface RankedGroup extends Ranked {
  /** Same tiles and equal predicted time: the model hardly distinguishes them. */
  readonly alike: readonly Ranked[];
}

/** Relative difference of equal times, below the model's RMS error of 17 %. */
const EQUAL = 0.03;

/** Groups in ranked order, at most `most` groups; the first of each group is its fastest. */
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
