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

/** Returns the sum of the trees for one value of each feature. */
export function boostedValue(
  { thresholds, scale, trees }: BoostedTrees,
  features: readonly number[],
): number {
  let sum = 0;
  for (const { splits, leaves } of trees) {
    let leaf = 0;
    for (let at = 0; at < splits.length; at += 2) {
      const feature = splits[at] ?? 0;
      const threshold = thresholds[feature]?.[splits[at + 1] ?? 0] ?? 0;
      leaf = 2 * leaf + ((features[feature] ?? 0) < threshold ? 0 : 1);
    }
    sum += leaves[leaf] ?? 0;
  }
  return sum * scale;
}

/** Returns a predicted time, times the ratio of which the trees predict the logarithm. */
export const correctedTime = (
  milliseconds: number,
  trees: BoostedTrees,
  features: Readonly<Record<string, number>>,
): number => milliseconds * Math.exp(boostedValue(trees, Object.values(features)));
