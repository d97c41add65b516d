/** A ladder that was run, as the page that the extension opens. */
import assert from 'node:assert/strict';
import { holdsOf, stepsOf } from '../../../src/core/ladder/climb';
import { ladderMarkdown } from '../../../src/core/ladder/markdown';
import { timed } from '../../helpers/measurements';

describe('the page of a ladder', () => {
  const problem = { m: 256, n: 256, k: 64 };
  const page = { title: 'The ladder', theme: 'dark' } as const;

  it('has a row a rung with its rate and reasons, a picture, and the fastest', () => {
    const holds = holdsOf({ problem, webgpuLimits: { invocations: 256 } }, 'wgsl');
    const legal = holds.filter(({ ok }) => ok);
    const runs = new Map(
      legal.map(({ number }) => [number, timed({ gflops: 1000 * number })] as const),
    );
    const text = ladderMarkdown(stepsOf(holds, runs, 'h200'), page);
    const rows = text.split('\n').filter(line => line.startsWith('| '));
    assert.equal(rows.length, holds.length + 2);
    assert.ok(rows.every(row => row.split(' | ').length === 7));
    assert.match(text, /\| 1 \| `naive` \| .* \| not legal \| .*> 256/);
    assert.match(text, new RegExp(`The fastest is rung ${legal.at(-1)?.number}: `));
    assert.match(text, /!\[The rungs on one roofline.*\]\(data:image\/svg\+xml,[^()\s]*\)/);
    assert.match(text, /NVIDIA H200/);
  });

  it('without times says so, and has no picture', () => {
    const text = ladderMarkdown(stepsOf(holdsOf({ problem }, 'cuda'), new Map(), 'h200'), page);
    assert.match(text, /Nothing was timed/);
    assert.doesNotMatch(text, /!\[/);
    assert.match(text, /sectors loaded from global memory/);
  });
});
