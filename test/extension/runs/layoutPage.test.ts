/** The page of *Print layout*: pictures of the operands, and the table for every layout. */
import assert from 'node:assert/strict';
import { sourceOf } from '../../../src/core/text/markdown';
import { layoutMarkdown } from '../../../src/extension/runs/layoutPage';

/** The page and the SVG of its picture; empty without a picture. */
function pageOf(expression: string): { readonly page: string; readonly svg: string } {
  const page = sourceOf(layoutMarkdown(expression, 'dark'));
  const [, text = ''] = /data:image\/svg\+xml;charset=utf-8,([^)\s]+)/.exec(page) ?? [];
  return { page, svg: decodeURIComponent(text) };
}

describe('the page of a printed layout', () => {
  it('draws both operands and the result of a composition', () => {
    const { page, svg } = pageOf('compose((8,8):(1,8), (4,2):(2,1))');
    assert.match(page, /^# /);
    assert.match(page, /```text\n\(4,2\):\(2,1\)\nsize 8, /);
    assert.equal(svg.match(/<rect /g)?.length, 64 + 8 + 8);
    assert.match(svg, />A\(B\(c\)\) = \(4,2\):\(2,1\)</);
  });

  it('accepts C++ source, and marks static integers', () => {
    const { page, svg } = pageOf('auto t = make_layout(make_shape(Int<4>{}, Int< 2>{}));');
    assert.match(page, /\(_4,_2\):\(_1,_4\)/);
    assert.equal(svg.match(/<rect /g)?.length, 8);
  });

  it('has only the table of a layout that is too large for a picture', () => {
    const { page, svg } = pageOf('(64,32)');
    assert.equal(svg, '');
    assert.match(page, /size 2048/);
  });
});
