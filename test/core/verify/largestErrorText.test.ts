import assert from 'node:assert/strict';
import { largestErrorText } from '../../../src/core/verify/largestErrorText';

const format = (value: number): string => value.toExponential(2);
const said = (maxError: number | null, bound: number | null, mismatches = 0): string =>
  largestErrorText({ reference: 'f64', maxError, bound, mismatches, samples: 9 }, format);

describe('the largest error in words', () => {
  it('says of which element the bound is, which may be below the largest error of a right result', () => {
    assert.equal(
      said(3.09e-2, 1.58e-2),
      '3.09e-2; bound 1.58e-2 at the element nearest to its bound',
    );
    assert.equal(
      said(3.09e-2, 1.58e-2, 2),
      '3.09e-2; bound 1.58e-2 at the element furthest beyond its bound',
    );
  });

  it('has no element that is nearest where none errs', () => {
    assert.equal(said(0, 1.58e-2), '0.00e+0');
  });

  it('tells what is not finite, and a bound that nobody told', () => {
    assert.equal(
      said(null, 0.5, 1),
      'not finite; bound 5.00e-1 at the element furthest beyond its bound',
    );
    assert.equal(said(3.09e-2, null), '3.09e-2');
  });
});
