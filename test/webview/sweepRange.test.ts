/** The entered range of the size sweep. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_DIMENSION } from '../../src/core/spec/schema';
import { rangeOf } from '../../webview/views/sweepRange';

const own = { from: 512, to: 2048 };

describe('an entered range', () => {
  it('uses the default for each empty end', () => {
    assert.deepEqual(rangeOf({ from: '', to: ' ' }, own), own);
    assert.deepEqual(rangeOf({ from: '100', to: '' }, own), { from: 100, to: 2048 });
    assert.deepEqual(rangeOf({ from: '', to: '513' }, own), { from: 512, to: 513 });
  });

  it('is rejected for an illegal size or reversed ends', () => {
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
