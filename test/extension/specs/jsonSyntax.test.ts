/** The place where a text stops being JSON agrees with the engine on whether there is one. */
import assert from 'node:assert/strict';
import { assert as check, jsonValue, nat, property, stringMatching } from 'fast-check';
import { syntaxErrorAt } from '../../../src/extension/specs/jsonSyntax';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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
