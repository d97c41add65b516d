import type { CorrectionTrees } from '../../../src/core/cost/boostedTrees';

/** Returns the JSON text of a fit, with one line per list of thresholds and per tree. */
export function treesText({ thresholds, trees, ...of }: CorrectionTrees): string {
  const lines = (list: readonly unknown[]): string =>
    list.map(one => `    ${JSON.stringify(one)}`).join(',\n');
  const head = JSON.stringify(of, null, 2).replace(/\n}$/, '');
  return `${head},\n  "thresholds": [\n${lines(thresholds)}\n  ],\n  "trees": [\n${lines(trees)}\n  ]\n}\n`;
}
