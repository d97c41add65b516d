/** Numbers as texts show them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { grouped } from '../../../src/core/text/digits';

describe('whole numbers in texts', () => {
  it('are grouped as en-US groups them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), value => {
        assert.equal(grouped(value), value.toLocaleString('en-US'));
      }),
    );
    assert.equal(grouped(2 ** 80), '1,208,925,819,614,629,174,706,176');
  });
});
