/**
 * Fits oblivious gradient-boosted trees to weighted targets by least squares. Each level of a tree
 * has the split with the greatest reduction of the squared error over all its nodes.
 */
import type { BoostedTrees, ObliviousTree } from '../../../src/core/cost/boostedTrees';
import { choicesOf } from '../../../scripts/grid/choices';

export interface BoostedPoint {
  readonly features: readonly number[];
  readonly target: number;
  readonly weight: number;
}

export interface BoostedOptions {
  readonly names: readonly string[];
  readonly trees: number;
  readonly depth: number;
  /** Fraction of a leaf's mean residual that a tree adds. */
  readonly rate: number;
  /** Weight that draws a leaf towards zero. */
  readonly ridge: number;
  readonly bins: number;
  /** Percentages of the points and features that each tree uses. */
  readonly pointsPercent: number;
  readonly featuresPercent: number;
  readonly seed: number;
}

/** Unit of the stored leaves. */
const SCALE = 1e-4;

export function fittedTrees(
  points: readonly BoostedPoint[],
  options: BoostedOptions,
): BoostedTrees {
  const { names, trees: count } = options;
  const thresholds = names.map((_, at) =>
    thresholdsOf(
      points.map(({ features }) => features[at] ?? 0),
      options.bins,
    ),
  );
  const bins = thresholds.map((of, at) =>
    Uint8Array.from(points, ({ features }) => binOf(features[at] ?? 0, of)),
  );
  const residual = Float64Array.from(points, ({ target }) => target);
  const trees: ObliviousTree[] = [];
  for (let tree = 0; tree < count; tree++) {
    const fitted = fittedTree({ points, bins, thresholds, residual }, options, tree);
    trees.push(fitted.tree);
    fitted.leafOf.forEach((leaf, at) => {
      residual[at] = (residual[at] ?? 0) - (fitted.tree.leaves[leaf] ?? 0) * SCALE;
    });
  }
  return { features: names, thresholds, scale: SCALE, trees };
}

/** Returns the distinct quantiles between the values. */
function thresholdsOf(values: readonly number[], bins: number): readonly number[] {
  const sorted = [...values].sort((one, other) => one - other);
  const quantiles = Array.from({ length: bins - 1 }, (_, at) => {
    const index = Math.floor(((at + 1) * sorted.length) / bins);
    return Number((sorted[index] ?? 0).toPrecision(5));
  });
  return [...new Set(quantiles)].filter(threshold => threshold > (sorted[0] ?? 0));
}

const binOf = (value: number, thresholds: readonly number[]): number => {
  const at = thresholds.findIndex(threshold => value < threshold);
  return at === -1 ? thresholds.length : at;
};

interface Data {
  readonly points: readonly BoostedPoint[];
  readonly bins: readonly Uint8Array[];
  readonly thresholds: readonly (readonly number[])[];
  readonly residual: Float64Array;
}

function fittedTree(data: Data, options: BoostedOptions, tree: number) {
  const { points, bins, residual } = data;
  const { between } = choicesOf(options.seed + tree);
  const used = points.map((_, at) => at).filter(() => between(1, 100) <= options.pointsPercent);
  const features = options.names
    .map((_, at) => at)
    .filter(() => between(1, 100) <= options.featuresPercent);
  const leafOf = new Uint16Array(points.length);
  const splits: number[] = [];
  for (let level = 0; level < options.depth; level++) {
    const best = bestSplit({ ...data, leafOf, used, leaves: 2 ** level }, features, options);
    splits.push(best.feature, best.threshold);
    const of = bins[best.feature] ?? new Uint8Array();
    for (let at = 0; at < leafOf.length; at++)
      leafOf[at] = 2 * (leafOf[at] ?? 0) + ((of[at] ?? 0) > best.threshold ? 1 : 0);
  }
  const leaves = 2 ** options.depth;
  const [weights, sums] = [new Float64Array(leaves), new Float64Array(leaves)];
  for (const at of used) {
    const [leaf, weight] = [leafOf[at] ?? 0, points[at]?.weight ?? 0];
    weights[leaf] = (weights[leaf] ?? 0) + weight;
    sums[leaf] = (sums[leaf] ?? 0) + weight * (residual[at] ?? 0);
  }
  const values = [...sums].map((sum, leaf) =>
    Math.round((options.rate * sum) / ((weights[leaf] ?? 0) + options.ridge) / SCALE),
  );
  return { tree: { splits, leaves: values }, leafOf };
}

interface Level extends Data {
  readonly leafOf: Uint16Array;
  readonly used: readonly number[];
  readonly leaves: number;
}

function bestSplit(
  { points, bins, thresholds, residual, leafOf, used, leaves }: Level,
  features: readonly number[],
  { ridge }: BoostedOptions,
) {
  let best = { feature: features[0] ?? 0, threshold: 0, score: -Infinity };
  for (const feature of features) {
    const of = bins[feature] ?? new Uint8Array();
    const width = (thresholds[feature]?.length ?? 0) + 1;
    if (width < 2) continue;
    const [weights, sums] = [new Float64Array(leaves * width), new Float64Array(leaves * width)];
    for (const at of used) {
      const cell = (leafOf[at] ?? 0) * width + (of[at] ?? 0);
      const weight = points[at]?.weight ?? 0;
      weights[cell] = (weights[cell] ?? 0) + weight;
      sums[cell] = (sums[cell] ?? 0) + weight * (residual[at] ?? 0);
    }
    const scores = new Float64Array(width - 1);
    for (let leaf = 0; leaf < leaves; leaf++) {
      const cells = leaf * width;
      let [weight, sum] = [0, 0];
      for (let bin = 0; bin < width; bin++) {
        weight += weights[cells + bin] ?? 0;
        sum += sums[cells + bin] ?? 0;
      }
      let [below, sumBelow] = [0, 0];
      for (let bin = 0; bin < width - 1; bin++) {
        below += weights[cells + bin] ?? 0;
        sumBelow += sums[cells + bin] ?? 0;
        const above = sum - sumBelow;
        scores[bin] =
          (scores[bin] ?? 0) +
          (sumBelow * sumBelow) / (below + ridge) +
          (above * above) / (weight - below + ridge);
      }
    }
    scores.forEach((score, threshold) => {
      if (score > best.score) best = { feature, threshold, score };
    });
  }
  return best;
}
