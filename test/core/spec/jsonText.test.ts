/**
 * Positions and edits in JSON text: syntax errors, values by path, places by offset, changed
 * values.
 */
import assert from 'node:assert/strict';
import fc, {
  assert as check,
  constantFrom,
  jsonValue,
  nat,
  property,
  string,
  stringMatching,
} from 'fast-check';
import {
  fieldEdits,
  locate,
  locationAt,
  syntaxErrorAt,
  valueReplacements,
} from '../../../src/core/spec/jsonText';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('edits of a field', () => {
  const list = { epilogue: [{ op: 'bias', dtype: 'f64' }, { op: 'relu' }] };
  const edited = (path: string, value: unknown): unknown => {
    const text = JSON.stringify(list, null, 2);
    const edits = fieldEdits(text, path, value);
    const after = edits.reduceRight(
      (whole, { start, end, text: inserted }) =>
        whole.slice(0, start) + inserted + whole.slice(end),
      text,
    );
    return JSON.parse(after);
  };

  it('set and remove fields of an entry of a list', () => {
    const [first, second] = list.epilogue;
    assert.deepEqual(edited('epilogue.0.dtype', 'f32'), {
      epilogue: [{ ...first, dtype: 'f32' }, second],
    });
    assert.deepEqual(edited('epilogue.0.dtype', undefined), {
      epilogue: [{ op: 'bias' }, second],
    });
    assert.deepEqual(edited('epilogue.1', undefined), { epilogue: [first] });
    assert.deepEqual(edited('epilogue.1.ld', undefined), list);
  });
});

describe('where JSON ends', () => {
  for (const [text, offset] of [
    ['', 0],
    ['{', 1],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['{"a": nope}', 6],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['{1: 2}', 1],
    ['{"a": 1}]', 8],
    ['[1}', 2],
    ['{"a": 01}', 7],
    ['"\n"', 0],
    ['{} {}', 3],
    ['True', 0],
  ] as const) {
    it(`is ${offset} in ${JSON.stringify(text)}`, () => {
      assert.equal(syntaxErrorAt(text), offset);
    });
  }

  it('is nowhere in what is JSON, and somewhere in what is not', () => {
    const soup = stringMatching(/^[{}[\]:,"\\ 0-9eE.+\-a-z\n]{0,20}$/);
    check(property(soup, text => (syntaxErrorAt(text) === undefined) === isJson(text)));
    check(
      property(jsonValue(), nat(), (value, at) => {
        const text = JSON.stringify(value, null, 2);
        assert.equal(syntaxErrorAt(text), undefined);
        const cut = text.slice(0, at % (text.length + 1));
        assert.equal(syntaxErrorAt(cut) === undefined, isJson(cut));
      }),
      { numRuns: 500 },
    );
  });
});

/** The offset of `|`, and the text without it. */
function marked(text: string): [string, number] {
  return [text.replace('|', ''), text.indexOf('|')];
}

describe('places in JSON', () => {
  for (const [text, path, kind] of [
    ['{"a": |}', 'a', 'value'],
    ['{"a": 1|2}', 'a', 'value'],
    ['{"a|": 12}', 'a', 'key'],
    ['{|}', '', 'key'],
    ['{"a": {"b": 1, |}}', 'a', 'key'],
    ['{"a": {"b": 1, "c": |', 'a.c', 'value'],
    ['{"a": [1, |]}', 'a.1', 'value'],
    ['{"a": [1, {"b": "x|', 'a.1.b', 'value'],
    ['{"a":|\n "b": 2}', 'a', 'value'],
  ] as const) {
    it(`of ${text}`, () => {
      const place = locationAt(...marked(text));
      assert.deepEqual([place?.path.join('.'), place?.kind], [path, kind]);
    });
  }

  it('are every value of any JSON, and no text makes trouble', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.integer()), record => {
        const text = JSON.stringify(record, null, 1);
        for (const key of Object.keys(record)) {
          const at = text.indexOf(`"${key}":`) + key.length + 4;
          assert.deepEqual(locationAt(text, at)?.path, [key]);
        }
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[{}[\]:,"\\a0 \n]{0,30}$/), fc.nat(30), (text, at) => {
        const place = locationAt(text, at);
        if (place !== undefined)
          assert.ok(place.start <= place.end && place.end <= Math.max(at, text.length));
      }),
    );
  });
});

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

describe('changed values in JSON', () => {
  it('keep the layout where only values differ', () => {
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
