/** Equality of JSON values, beside Node's own. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { assert as check, jsonValue, property } from 'fast-check';
import { sameJson } from '../../../src/core/spec/sameJson';

describe('sameJson', () => {
  it('says what Node says of any two JSON values, and of a value and its copy', () => {
    check(
      property(jsonValue(), jsonValue(), (one, other) => {
        assert.equal(sameJson(one, other), isDeepStrictEqual(one, other));
        assert.ok(sameJson(one, structuredClone(one)));
      }),
    );
  });

  it('looks at values, not at the order of fields', () => {
    assert.ok(sameJson({ a: 1, b: [2, { c: null }] }, { b: [2, { c: null }], a: 1 }));
    assert.ok(!sameJson({ a: [1, 2] }, { a: [2, 1] }));
    assert.ok(!sameJson({ a: undefined }, { b: undefined }));
    assert.ok(!sameJson([], {}));
    assert.ok(!sameJson({ 0: 1 }, [1]));
  });
});
