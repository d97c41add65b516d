/** The written range of the saw-tooth. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_DIMENSION } from '../../src/core/spec/schema';
import { rangeOf } from '../../webview/views/sweepRange';

const own = { from: 512, to: 2048 };

describe('a written range', () => {
  it('is the default where nothing is written, and each end by itself', () => {
    assert.deepEqual(rangeOf({ from: '', to: ' ' }, own), own);
    assert.deepEqual(rangeOf({ from: '100', to: '' }, own), { from: 100, to: 2048 });
    assert.deepEqual(rangeOf({ from: '', to: '513' }, own), { from: 512, to: 513 });
  });

  it('is none where an end is no size, or they are upside down', () => {
    const bad = ['0', '-', '1.5', '-3', 'x', String(MAX_DIMENSION + 1)];
    for (const text of bad) assert.equal(rangeOf({ from: text, to: '' }, own), null, text);
    assert.equal(rangeOf({ from: '', to: '512' }, own), null);
    const largest = { from: '', to: String(MAX_DIMENSION) };
    assert.deepEqual(rangeOf(largest, own), { from: 512, to: MAX_DIMENSION });
    fc.assert(
      fc.property(fc.string(), fc.string(), (from, to) => {
        const range = rangeOf({ from, to }, own);
        assert.ok(range === null || (range.from >= 1 && range.from < range.to));
      }),
    );
  });
});
