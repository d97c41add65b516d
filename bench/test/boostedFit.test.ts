import assert from 'node:assert/strict';
import { boostedValue } from '../../src/core/cost/boostedTrees';
import { fittedTrees, type BoostedOptions, type BoostedPoint } from '../src/model/boostedFit';

const OPTIONS: BoostedOptions = {
  names: ['x', 'y', 'constant'],
  trees: 60,
  depth: 2,
  rate: 0.3,
  ridge: 0.1,
  bins: 16,
  pointsPercent: 80,
  featuresPercent: 100,
  seed: 3,
};
const target = (x: number, y: number): number => (x < 8 ? 0.2 : -0.1) + (y < 4 ? 0.05 : 0);
const points = Array.from({ length: 256 }, (_, at): BoostedPoint => {
  const [x, y] = [at % 16, Math.floor(at / 16)];
  return { features: [x, y, 7], target: target(x, y), weight: 1 };
});

describe('the fit of boosted trees', () => {
  const fitted = fittedTrees(points, OPTIONS);

  it('reproduces a sum of step functions', () => {
    for (const { features, target: expected } of points)
      assert.ok(Math.abs(boostedValue(fitted, features) - expected) < 0.002);
  });

  it('does not depend on anything but its points and options', () => {
    assert.deepEqual(fittedTrees(points, OPTIONS), fitted);
    assert.notDeepEqual(fittedTrees(points, { ...OPTIONS, seed: 4 }), fitted);
  });

  it('has no threshold for a constant feature, and does not split it', () => {
    assert.deepEqual(fitted.thresholds[2], []);
    for (const { splits } of fitted.trees)
      for (let at = 0; at < splits.length; at += 2) assert.notEqual(splits[at], 2);
  });

  it('ignores points without weight', () => {
    const wrong = points.map(point => ({ ...point, target: 9, weight: 0 }));
    const other = fittedTrees([...points, ...wrong], OPTIONS);
    for (const { features, target: expected } of points)
      assert.ok(Math.abs(boostedValue(other, features) - expected) < 0.01);
  });
});
