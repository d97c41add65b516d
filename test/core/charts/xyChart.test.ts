/** Charts with two linear axes: labels outside of the plot, points inside. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fittedRange } from '../../../src/core/charts/roundAxis';
import { xyChart, xyScales, type XyData } from '../../../src/core/charts/xyChart';
import { box, corners, pairText, sharedArea } from '../../helpers/chartTexts';
import { runs } from '../../helpers/depth';

const values = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
const data: fc.Arbitrary<XyData> = fc
  .array(fc.record({ x: values, y: values }), { minLength: 1, maxLength: 30 })
  .map(all => ({
    title: 'chart',
    x: {
      title: 'size',
      range: fittedRange(all.map(({ x }) => x)),
      text: value => String(Number(value.toPrecision(6))),
    },
    y: {
      title: 'Rate (GFLOP/s)',
      range: fittedRange(all.map(({ y }) => y)),
      text: value => String(Number(value.toPrecision(6))),
    },
    curves: [],
    verticals: [],
    points: all.map(point => ({ ...point, role: 'measured', shape: 'circle', label: '' })),
  }));
const sizes = fc.record({
  width: fc.integer({ min: 240, max: 1600 }),
  height: fc.integer({ min: 180, max: 500 }),
});

describe('chart with two linear axes', () => {
  it('keeps all texts outside of the plot, apart from each other and inside of the chart', () => {
    fc.assert(
      fc.property(data, sizes, (of, size) => {
        const plot = box(xyScales(of, size));
        const texts = xyChart(of, size).marks.filter(mark => mark.kind === 'text');
        for (const [index, one] of texts.entries()) {
          assert.ok(sharedArea(corners(one), plot) < 0.01, one.text);
          for (const { x, y } of corners(one))
            assert.ok(x >= -0.01 && x <= size.width + 0.01 && y >= 0 && y <= size.height, one.text);
          for (const other of texts.slice(index + 1))
            assert.ok(sharedArea(corners(one), corners(other)) < 0.01, pairText(one, other));
        }
        assert.ok(texts.some(({ text }) => text === 'size'));
        assert.ok(texts.some(({ text }) => text === 'Rate (GFLOP/s)'));
      }),
      runs(300, 50),
    );
  });

  it('keeps every point inside of the plot, where it covers no label', () => {
    fc.assert(
      fc.property(data, sizes, (of, size) => {
        const { left, right, top, bottom } = xyScales(of, size);
        for (const mark of xyChart(of, size).marks) {
          if (mark.kind !== 'point') continue;
          assert.ok(mark.x - 7 >= left && mark.x + 7 <= right, `x ${mark.x}`);
          assert.ok(mark.y - 7 >= top && mark.y + 7 <= bottom, `y ${mark.y}`);
        }
      }),
      runs(300, 50),
    );
  });
});
