/** The hover over a thread layout of a spec. */
import assert from 'node:assert/strict';
import { sourceOf } from '../../../src/core/text/markdown';
import { layoutMarkdown } from '../../../src/extension/editor/layoutHover';

const shownAt = (path: string, json: string): string => {
  const made = layoutMarkdown(path, json);
  return made === undefined ? '' : sourceOf(made);
};

describe('the hover over a thread layout', () => {
  it('says what its sides are, size, cosize and which thread stands where', () => {
    const text = shownAt('schedule.threadLayout.b', '"(4,2):(1,8)"');
    assert.match(text, /^Threads over the tile of B: rows along N, columns along K\./);
    assert.match(text, /size 8, cosize 12, rank 2, depth 1: no offset twice, with gaps/);
    assert.match(text, /```text\n[^]*3 \| {2}3 \| 11 \|[^]*\n```\n$/);
  });

  it('of a layout too large for a table shows its corner', () => {
    const text = shownAt('schedule.threadLayout.c', '"(64,128):(1,64)"');
    assert.match(text, /the table has 64 x 128 offsets\./);
  });

  it('says nothing of other values, and of what is no layout of two modes', () => {
    for (const json of ['"(4,2):(1,"', '"tile(4,2)"', '"4:1"', '"```"', '4', '""', '"(4,2):(1,4)'])
      assert.equal(layoutMarkdown('schedule.threadLayout.a', json), undefined, json);
    for (const path of ['schedule.threadLayout.d', 'schedule.threadLayout', 'problem.a', ''])
      assert.equal(layoutMarkdown(path, '"(4,2):(1,4)"'), undefined, path);
  });
});
