/** Bars of compared rates: values to scale, intervals, ratios, and labels that fit. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Chart } from '../../../src/core/charts/chart';
import { comparisonChart, type Compared } from '../../../src/core/charts/comparisonChart';
import { corners, pairText, sharedArea } from '../../helpers/chartTexts';
import { runs } from '../../helpers/depth';

const rates = fc.array(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 80 }),
    gflops: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
    below: fc.double({ min: 0.5, max: 1, noNaN: true }),
    above: fc.double({ min: 1, max: 2, noNaN: true }),
    isKnown: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);
const compared: fc.Arbitrary<Compared> = rates.map(all => ({
  title: 'Rates',
  from: 'measured',
  reference: 0,
  rates: all.map(({ name, gflops, below, above, isKnown }) => ({
    name,
    rate: {
      value: gflops,
      ...(isKnown ? { interval: [gflops * below, gflops * above] as const } : {}),
    },
  })),
}));
const widths = fc.integer({ min: 240, max: 1600 });
const bars = ({ marks }: Chart) => marks.filter(mark => mark.kind === 'rect');
const texts = ({ marks }: Chart) => marks.filter(mark => mark.kind === 'text');

describe('comparison chart', () => {
  it('has bars in proportion to the rates, in the given order', () => {
    fc.assert(
      fc.property(compared, widths, (data, width) => {
        const drawn = bars(comparisonChart(data, width));
        const scale = (drawn[0]?.width ?? NaN) / (data.rates[0]?.rate.value ?? NaN);
        assert.equal(drawn.length, data.rates.length);
        for (const [index, { rate }] of data.rates.entries())
          assert.ok(Math.abs((drawn[index]?.width ?? NaN) - scale * rate.value) < 1e-6);
      }),
      runs(200),
    );
  });

  it('draws every known interval around the end of its bar', () => {
    fc.assert(
      fc.property(compared, widths, (data, width) => {
        const chart = comparisonChart(data, width);
        const lines = chart.marks.filter(({ role }) => role === 'interval');
        const known = data.rates.filter(({ rate }) => rate.interval !== undefined);
        assert.equal(lines.length, 3 * known.length);
        for (const line of lines) {
          assert.ok(line.kind === 'line');
          assert.ok(line.x1 >= 0 && line.x2 <= width + 1e-6);
        }
      }),
      runs(200),
    );
  });

  it('lets no text overlap another text or leave the chart', () => {
    fc.assert(
      fc.property(compared, widths, (data, width) => {
        const chart = comparisonChart(data, width);
        const all = texts(chart);
        for (const [index, one] of all.entries()) {
          for (const { x, y } of corners(one))
            assert.ok(x >= -0.01 && x <= width + 0.01 && y >= 0 && y <= chart.height, one.text);
          for (const other of all.slice(index + 1))
            assert.ok(sharedArea(corners(one), corners(other)) < 0.01, pairText(one, other));
        }
      }),
      runs(200),
    );
  });

  it('has the ratio of every rate to the reference, with its interval', () => {
    const chart = comparisonChart(
      {
        title: 'Rates',
        from: 'measured',
        reference: 0,
        rates: [
          { name: 'slow', rate: { value: 1000, interval: [900, 1100] } },
          { name: 'fast', rate: { value: 2000, interval: [1900, 2100] } },
          { name: 'unsure', rate: { value: 1500 } },
        ],
      },
      700,
    );
    const said = texts(chart).map(({ text }) => text);
    assert.ok(said.includes('1 (0.9 to 1.1)'));
    assert.ok(said.some(text => /^2 \(1\.9 to 2\.1\), 2x \(1\.\d+ to 2\.\d+\)$/.test(text)));
    assert.ok(said.includes('1.5 (interval unknown), 1.5x (interval unknown)'));
    assert.ok(said.includes('Rate (TFLOP/s) with 95 % interval'));
  });

  it('has no intervals of predicted rates', () => {
    const rates = [
      { name: 'pinned', rate: { value: 10 } },
      { name: 'current', rate: { value: 20 } },
    ];
    const said = texts(
      comparisonChart({ title: 'Rates', from: 'predicted', reference: 0, rates }, 700),
    ).map(({ text }) => text);
    assert.ok(said.includes('20, 2x'));
    assert.ok(said.includes('Predicted rate (GFLOP/s)'));
    assert.ok(!said.some(text => text.includes('interval')));
  });
});
