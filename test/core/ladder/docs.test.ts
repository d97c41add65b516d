/** docs/ladder.md as its script makes it from what was recorded. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { ladderFiles } from '../../../scripts/ladderDocs';
import { LADDER } from '../../../src/core/spec/ladder';
import { tensorRungs } from '../../../src/core/spec/tensorRungs';

describe('the ladder in docs', () => {
  const files = ladderFiles();
  const page = files.get('docs/ladder.md') ?? '';

  it('has every rung with its file, figures and reasons, and no number that is none', () => {
    for (const { change } of [...LADDER, ...tensorRungs('bf16')])
      assert.ok(page.includes(`: ${change}\n`), change);
    assert.doesNotMatch(page, /NaN|undefined|null|Infinity/);
    for (const [, file = ''] of page.matchAll(/\]\(\.\.\/([^)]+)\)/g))
      assert.ok(existsSync(file), file);
    assert.match(page, /Over rung 1: [\d.]+x: sectors loaded from global memory 6\.6x down/);
  });

  it('draws both ladders with every rung named in a column', () => {
    for (const target of ['cuda', 'wgsl']) {
      const svg = files.get(`docs/images/ladder-h200-${target}.svg`) ?? '';
      assert.ok(svg.startsWith('<svg ') && svg.endsWith('</svg>\n'));
      const rungs = [...svg.matchAll(/>(\d+) [\w-]+: [\d.]+ TFLOP\/s<\/text>/g)];
      const numbers = rungs.map(([, number]) => Number(number)).toSorted((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from(numbers, (_, i) => i + 1),
        target,
      );
      assert.ok(numbers.length >= 16, target);
    }
  });
});
