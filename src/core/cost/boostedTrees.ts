/**
 * Evaluates gradient-boosted regression trees. The trees are oblivious: all nodes of a level test
 * the same feature against the same threshold, so that a tree is a table of leaves.
 */

export interface ObliviousTree {
  /** Feature and index of its threshold for each level, alternating. */
  readonly splits: readonly number[];
  /** Values in units of `scale`. The first level selects the highest bit of the index. */
  readonly leaves: readonly number[];
}

export interface BoostedTrees {
  readonly features: readonly string[];
  /** Ascending thresholds of each feature. */
  readonly thresholds: readonly (readonly number[])[];
  readonly scale: number;
  readonly trees: readonly ObliviousTree[];
}

/** Trees of the ratio of measured and predicted times. */
export interface CorrectionTrees extends BoostedTrees {
  /** Median error of corrected times in percent, at shapes that the fit did not use. */
  readonly errorPercent: number;
}

/** Trees as flat tables, because a choice evaluates them tens of thousands of times. */
interface FlatTrees {
  /** Feature and threshold of every level, and the number of levels of every tree. */
  readonly features: Uint16Array;
  readonly thresholds: Float64Array;
  readonly depths: readonly number[];
  readonly leaves: Int32Array;
}

const flattened = new WeakMap<BoostedTrees, FlatTrees>();

function flat(of: BoostedTrees): FlatTrees {
  const known = flattened.get(of);
  if (known !== undefined) return known;
  const levels = of.trees.flatMap(({ splits }) =>
    Array.from({ length: splits.length / 2 }, (_, level) => {
      const [feature = 0, at = 0] = splits.slice(2 * level);
      return { feature, threshold: of.thresholds[feature]?.[at] ?? 0 };
    }),
  );
  const made = {
    features: Uint16Array.from(levels, ({ feature }) => feature),
    thresholds: Float64Array.from(levels, ({ threshold }) => threshold),
    depths: of.trees.map(({ splits }) => splits.length / 2),
    leaves: Int32Array.from(of.trees.flatMap(({ leaves }) => leaves)),
  };
  flattened.set(of, made);
  return made;
}

/** Returns the sum of the trees for one value of each feature. */
export function boostedValue(trees: BoostedTrees, given: readonly number[]): number {
  const { features, thresholds, depths, leaves } = flat(trees);
  // In an array that mixes integers with other numbers, accesses take several times longer.
  const values = new Float64Array(given);
  let sum = 0;
  let level = 0;
  let first = 0;
  for (const depth of depths) {
    const end = level + depth;
    let leaf = 0;
    let count = 1;
    for (; level < end; level++) {
      leaf = 2 * leaf + ((values[features[level] ?? 0] ?? 0) < (thresholds[level] ?? 0) ? 0 : 1);
      count *= 2;
    }
    sum += leaves[first + leaf] ?? 0;
    first += count;
  }
  return sum * trees.scale;
}

/** Returns a predicted time, times the ratio of which the trees predict the logarithm. */
export const correctedTime = (
  milliseconds: number,
  trees: BoostedTrees,
  features: Readonly<Record<string, number>>,
): number => milliseconds * Math.exp(boostedValue(trees, Object.values(features)));
