/** The map of a wrong result: its bits come back as they went, and what is no map is refused. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  bitsOf,
  decodeBits,
  encodeBits,
  MAX_CELLS,
  MAX_EXAMPLES,
  wrongMapSchema,
  type WrongMap,
} from '../../../src/core/measure/wrongMap';

const map: WrongMap = {
  tile: { m: 4, n: 8 },
  tiles: { rows: 3, columns: 3, bits: encodeBits(Uint8Array.of(0b10010001, 1)) },
  fold: 1,
  within: { rows: 4, columns: 8, bits: encodeBits(Uint8Array.of(1, 0, 0, 128)) },
  kinds: { unwritten: 1, notFinite: 0, outside: 0, wrong: 5 },
  examples: [{ product: 0, row: 2, column: 3, actual: null, expected: 1.5 }],
};
const accepts = (value: unknown): boolean => v.is(wrongMapSchema, value);

describe('the map of a wrong result', () => {
  it('has the bits of Node’s base64, and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const text = encodeBits(bytes);
        assert.equal(text, Buffer.from(bytes).toString('base64'));
        assert.deepEqual(decodeBits(text), Uint8Array.from(bytes));
      }),
    );
  });

  it('says which cells and places are wrong, the lowest bit first', () => {
    const cell = bitsOf(map.tiles);
    const wrong = [0, 1, 2].flatMap(r => [0, 1, 2].filter(c => cell(r, c)).map(c => [r, c]));
    assert.deepEqual(wrong, [
      [0, 0],
      [1, 1],
      [2, 1],
      [2, 2],
    ]);
    const place = bitsOf(map.within);
    assert.ok(place(0, 0) && place(3, 7) && !place(0, 1) && !place(3, 6));
  });

  it('comes back through JSON', () => {
    assert.deepEqual(v.parse(wrongMapSchema, JSON.parse(JSON.stringify(map))), map);
  });

  it('is refused where its bits are not those of its sides, or it has more than it may', () => {
    const [example] = map.examples;
    const examples = (count: number) => Array.from({ length: count }, () => example);
    assert.ok(accepts({ ...map, examples: examples(MAX_EXAMPLES) }));
    assert.ok(!accepts({ ...map, examples: examples(MAX_EXAMPLES + 1) }));
    assert.ok(!accepts({ ...map, within: { ...map.within, bits: map.tiles.bits } }));
    assert.ok(!accepts({ ...map, tiles: { ...map.tiles, bits: '****' } }));
    const wide = (columns: number) => ({
      rows: 1,
      columns,
      bits: encodeBits(new Uint8Array(Math.ceil(columns / 8))),
    });
    assert.ok(accepts({ ...map, tiles: wide(MAX_CELLS) }));
    assert.ok(!accepts({ ...map, tiles: wide(MAX_CELLS + 1) }));
    assert.ok(!accepts({ ...map, fold: 0 }));
  });
});
