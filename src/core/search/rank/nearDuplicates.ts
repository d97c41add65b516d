/** Ranked schedules without near duplicates: the same tiles of block and thread at the same time count once. */
import type { Ranked } from './rank';

export interface RankedGroup extends Ranked {
  /** Of the same tiles, and predicted to be as fast: what differs hardly matters to the model. */
  readonly alike: readonly Ranked[];
}

/** Times closer than this are equal: less than the model's errors, which are 17 % (root mean square). */
const EQUAL = 0.03;

/** In their order, `most` groups at most; the first of each is its fastest. */
export function grouped(best: readonly Ranked[], most: number): readonly RankedGroup[] {
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
  return groups.slice(0, most).map(({ first, alike }) => ({ ...first, alike }));
}

const tilesOf = ({ schedule: { block, thread } }: Ranked): string =>
  JSON.stringify([block, thread]);
