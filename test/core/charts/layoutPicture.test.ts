import assert from 'node:assert/strict';
import { layoutSvg } from '../../../src/core/charts/layoutPicture';
import { reportOf, type LayoutReport } from '../../../src/core/layout/print';

function layout(expression: string): LayoutReport {
  const report = reportOf(expression);
  assert.ok('table' in report);
  return report;
}

const cellsOf = (svg: string | null): readonly (readonly [fill: string, offset: string])[] =>
  [...(svg ?? '').matchAll(/<rect [^>]*fill="([^"]+)"[^>]*\/><text [^>]*>(\d+)</g)].map(
    ([, fill = '', offset = '']) => [fill, offset] as const,
  );

describe('picture of a layout', () => {
  it('has one cell per coordinate, with the offsets row by row', () => {
    const cells = cellsOf(layoutSvg(layout('(2,3):(3,1)'), 'dark'));
    assert.deepEqual(
      cells.map(([, offset]) => offset),
      ['0', '1', '2', '3', '4', '5'],
    );
  });

  it('gives cells the same color exactly if their offsets are equal modulo 8', () => {
    const cells = cellsOf(layoutSvg(layout('(8,8):(9,1)'), 'light'));
    assert.equal(cells.length, 64);
    for (const [fill, offset] of cells)
      for (const [otherFill, other] of cells)
        assert.equal(fill === otherFill, Number(offset) % 8 === Number(other) % 8);
  });

  it('is left to the text above 1,024 cells', () => {
    assert.notEqual(layoutSvg(layout('(32,32):(32,1)'), 'light'), null);
    assert.equal(layoutSvg(layout('(33,32):(32,1)'), 'light'), null);
    assert.equal(layoutSvg(layout('(128,128):(128,1)'), 'light'), null);
  });
});
