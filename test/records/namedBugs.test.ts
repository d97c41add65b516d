/** Names of the wrong results of seeded bugs, compared with the record bench/named-bugs.json. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { namesOfSeeds, type Named } from '../../scripts/bugs/names';
import { CASES, seedsOf } from '../../scripts/bugs/seeds';
import { IS_WHOLE } from '../helpers/depth';

const record = JSON.parse(readFileSync('bench/named-bugs.json', 'utf8')) as {
  readonly rows: readonly Named[];
};

/** Named again here; the script names all. */
const AGAIN = IS_WHOLE
  ? /^(naive|shared-tile|warp-tile, XOR swizzle|pipelined, 3 stages|.*batch of 2)$/
  : /^(naive|shared-tile, batch of 2)$/;

describe('names of wrong results', () => {
  it('are those of the record', async () => {
    const seeds = Object.keys(CASES)
      .filter(algorithm => AGAIN.test(algorithm))
      .flatMap(algorithm => seedsOf(algorithm, 'cuda'));
    const again = await namesOfSeeds(seeds);
    const known = record.rows.filter(({ algorithm }) => AGAIN.test(algorithm));
    assert.ok(again.length > 30);
    assert.deepEqual(again, known);
  });
});
