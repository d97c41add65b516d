/** Problem sizes as people type them. */
import assert from 'node:assert/strict';
import { parseSizes, sizesLabel } from '../../../src/extension/shared/sizes';

describe('sizes', () => {
  const good: readonly (readonly [string, string])[] = [
    ['1024', '1024 x 1024 x 1024'],
    ['512 x 256 x 64', '512 x 256 x 64'],
    ['512x256x64', '512 x 256 x 64'],
    ['512 256 64', '512 x 256 x 64'],
    ['m=512, n=256, k=64', '512 x 256 x 64'],
    ['512 × 256 × 64', '512 x 256 x 64'],
  ];
  for (const [text, label] of good) {
    it(`reads "${text}"`, () => {
      const parsed = parseSizes(text);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      assert.equal(sizesLabel(parsed.sizes), label);
    });
  }

  for (const text of [
    '',
    '0',
    '-1',
    '1.5',
    '1 2',
    '1 2 3 4',
    'abc',
    '99999999999',
    'NaN',
    '1e99',
  ]) {
    it(`refuses "${text}" with a message`, () => {
      const parsed = parseSizes(text);
      assert.ok(!parsed.ok);
      assert.match(parsed.message, /\.$/);
    });
  }
});
