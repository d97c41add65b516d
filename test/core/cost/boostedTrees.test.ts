import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  boostedValue,
  correctedTime,
  type BoostedTrees,
} from '../../../src/core/cost/boostedTrees';
import { CORRECTION } from '../../../src/core/cost/wgmma/wgmmaCorrection';
import { SIMT_CORRECTION } from '../../../src/core/cost/simt/simtCorrection';
import { WGSL_TREES } from '../../../src/core/cost/wgsl/wgslModel';

const TWO: BoostedTrees = {
  features: ['width', 'height'],
  thresholds: [[2, 4], [10]],
  scale: 0.5,
  trees: [
    { splits: [0, 1, 1, 0], leaves: [1, 2, 3, 4] },
    { splits: [0, 0], leaves: [10, 20] },
  ],
};

const TABLES = {
  'wgmma, general': CORRECTION.general,
  'wgmma, flat': CORRECTION.flat,
  'SIMT, general': SIMT_CORRECTION.general,
  'SIMT, flat': SIMT_CORRECTION.flat,
  WGSL: WGSL_TREES,
};

describe('boosted trees', () => {
  it('select the leaf by one threshold per level, where equality is above', () => {
    const at = (width: number, height: number): number => boostedValue(TWO, [width, height]);
    assert.equal(at(1, 9), 0.5 * (1 + 10));
    assert.equal(at(2, 9), 0.5 * (1 + 20));
    assert.equal(at(3.9, 10), 0.5 * (2 + 20));
    assert.equal(at(4, 9.9), 0.5 * (3 + 20));
    assert.equal(at(4, 10), 0.5 * (4 + 20));
  });

  it('are 0 without trees', () => {
    assert.equal(boostedValue({ ...TWO, trees: [] }, [1, 1]), 0);
  });

  for (const [name, { features, thresholds, trees }] of Object.entries(TABLES))
    it(`have ascending thresholds, and leaves for all their splits: ${name}`, () => {
      assert.equal(thresholds.length, features.length);
      for (const of of thresholds)
        assert.deepEqual(
          of,
          [...new Set(of)].sort((one, other) => one - other),
        );
      assert.ok(trees.length > 0);
      for (const { splits, leaves } of trees) {
        assert.equal(leaves.length, 2 ** (splits.length / 2));
        for (let at = 0; at < splits.length; at += 2)
          assert.ok(thresholds[splits[at] ?? -1]?.[splits[at + 1] ?? -1] !== undefined);
      }
    });

  it('multiply a time by the ratio whose logarithm they predict', () => {
    const ratio = Math.exp(boostedValue(TWO, [3, 12]));
    assert.equal(correctedTime(2, TWO, { width: 3, height: 12 }), 2 * ratio);
  });

  it('sum their trees in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 2, maxLength: 2 }), values => {
        const reversed = { ...TWO, trees: TWO.trees.toReversed() };
        assert.equal(boostedValue(TWO, values), boostedValue(reversed, values));
      }),
    );
  });
});
