/** Edits that turn one text into another. */
import assert from 'node:assert/strict';
import { assert as check, property, string } from 'fast-check';
import { difference } from '../../../src/extension/specs/difference';

describe('differences of texts', () => {
  it('are one replacement that gives the new text', () => {
    check(
      property(string(), string(), string(), (before, after, shared) => {
        const [from, to] = [`${shared}${before}${shared}`, `${shared}${after}${shared}`];
        const { start, end, text } = difference(from, to);
        assert.equal(from.slice(0, start) + text + from.slice(end), to);
      }),
    );
    assert.deepEqual(difference('m: 64,', 'm: 128,'), { start: 3, end: 5, text: '128' });
  });
});
