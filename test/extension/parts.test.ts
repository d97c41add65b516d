/** Places in JSON texts, and small edits of them. */
import assert from 'node:assert/strict';
import { assert as check, property, string, constantFrom, jsonValue } from 'fast-check';
import { difference, valueReplacements } from '../../src/extension/specs/difference';
import { locate } from '../../src/extension/specs/jsonLocation';

describe('locations in JSON', () => {
  const text = `{
  "problem": { "m": 1, "n": -2, "a": { "dtype": "f32" } },
  "schedule": { "block": { "m": 64, "m": 65 } },
  "targets": ["cuda", "metal"],
  "empty": {}, "\\u0078": true
}`;
  const at = (path: string): string => {
    const { start, end } = locate(text, path);
    return text.slice(start, end);
  };
  const cases: readonly (readonly [string, string])[] = [
    ['problem.n', '-2'],
    ['problem.a.dtype', '"f32"'],
    ['schedule.block.m', '64'],
    ['targets.1', '"metal"'],
    ['targets.0', '"cuda"'],
    ['problem', '"problem"'],
    ['schedule.block', '"block"'],
    ['problem.k', '"problem"'],
    ['schedule.thread.m', '"schedule"'],
    ['x', 'true'],
    ['', ''],
    ['nothing.here', ''],
  ];
  for (const [path, expected] of cases) {
    it(`finds ${path === '' ? 'the document' : path}`, () => {
      assert.equal(at(path), expected);
    });
  }

  it('finds every leaf of any JSON, and never throws on any text', () => {
    check(
      property(jsonValue(), value => {
        const json = JSON.stringify({ 'a b': value, z: 'leaf' }, null, 1);
        const { start, end } = locate(json, 'z');
        assert.equal(json.slice(start, end), '"leaf"');
      }),
    );
    check(
      property(string(), constantFrom('a', 'a.b.0', ''), (noise, path) => {
        const { start, end } = locate(noise, path);
        assert.ok(start <= end && end <= noise.length);
      }),
    );
  });
});

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

  it('of JSON keep its layout where only values differ', () => {
    const json = '{ "a": {"m": 64,   "n": [1, 2]}, "b": "x" }';
    const changed = { b: 'y', a: { n: [1, 20], m: 64 } };
    const edits = valueReplacements(json, changed)!;
    const after = edits
      .toSorted((x, y) => y.start - x.start)
      .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), json);
    assert.equal(after, '{ "a": {"m": 64,   "n": [1, 20]}, "b": "y" }');
    assert.deepEqual(valueReplacements(json, JSON.parse(json)), []);
    assert.equal(valueReplacements(json, { ...changed, c: 1 }), null);
    assert.equal(valueReplacements(json, { b: 'y' }), null);
    assert.equal(valueReplacements('{', {}), null);
  });
});
