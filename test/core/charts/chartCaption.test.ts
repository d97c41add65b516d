/** A saved chart: title, lines and legend around the same marks. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import type { Chart, Mark } from '../../../src/core/charts/chart';
import { captioned, type Caption } from '../../../src/core/charts/chartCaption';
import { chartSvg } from '../../../src/core/charts/chartSvg';
import { captionedRoofline } from '../../../src/core/charts/rooflineCaption';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { corners, pairText, sharedArea } from '../../helpers/chartTexts';
import { kernelFor } from '../../helpers/kernels';
import { timed } from '../../helpers/measurements';

const SIZE = { width: 760, height: 460 };
const KERNEL = 'gemm-f32-thread-tile-2d-1024x1024x1024-rrr-128x128x8-8x8.cu';
const kernel = kernelFor(
  { problem: { m: 1024, n: 1024, k: 1024 }, schedule: { algorithm: 'thread-tile-2d' } },
  'cuda',
);
const { roofline } = analyze(kernel, {
  device: 'h200',
  measurements: [timed({ gflops: 20_000 })],
});
const chart = (width = SIZE.width): Chart => rooflineChart(roofline, { ...SIZE, width });
const CAPTION: Caption = { title: 'Roofline of 1024 x 1024 x 1024 f32', lines: [], legend: [] };
const saved = (width?: number): Chart =>
  captionedRoofline(chart(width), {
    roofline,
    roofs: [],
    title: CAPTION.title,
    lines: [KERNEL, 'NVIDIA H200'],
  });
const textsOf = ({ marks }: Chart): readonly string[] =>
  marks.flatMap(mark => (mark.kind === 'text' ? [mark.text] : []));
const ys = (mark: Mark): readonly number[] => {
  if (mark.kind === 'line' || mark.kind === 'curve') return [mark.y1, mark.y2];
  return mark.kind === 'path' ? mark.at.map(([, y]) => y) : [mark.y];
};

describe('a standalone chart', () => {
  it('has the problem as its title, kernel and machine below it, and a legend', () => {
    const texts = textsOf(saved());
    assert.deepEqual(texts.slice(0, 3), [CAPTION.title, KERNEL, 'NVIDIA H200']);
    for (const text of ['datasheet ceiling', 'empirical ceiling', 'gap to attainable'])
      assert.ok(texts.includes(text), text);
    assert.ok(texts.some(text => text.startsWith('measured: 20 TFLOP/s')));
    assert.ok(!texts.includes('earlier runs'), 'no earlier run is drawn');
  });

  it('numbers each point as in the chart', () => {
    const { marks } = saved();
    const numbers = marks.flatMap(mark =>
      mark.kind === 'text' && /^\d$/.test(mark.text) && mark.role === 'label' ? [mark.text] : [],
    );
    assert.deepEqual(numbers.toSorted(), ['1', '1', '2', '2', '3', '3', '4', '4']);
  });

  it('keeps every mark inside, below its head and above its legend', () => {
    for (const width of [240, 480, 760]) {
      const plain = chart(width);
      const whole = saved(width);
      assert.ok(whole.height > plain.height);
      for (const y of whole.marks.flatMap(ys)) assert.ok(y > 0 && y <= whole.height, `${y}`);
      const moved = whole.marks.slice(3, 3 + plain.marks.length);
      const before = plain.marks.flatMap(ys);
      const shifts = moved.flatMap(ys).map((y, index) => y - (before[index] ?? 0));
      assert.ok(Math.min(...shifts) > 0 && Math.max(...shifts) - Math.min(...shifts) < 1e-9);
    }
  });

  it('has no overlapping labels at any width', () => {
    for (let width = 300; width <= 1600; width += 50) {
      const texts = saved(width).marks.filter(mark => mark.kind === 'text');
      for (const [index, one] of texts.entries())
        for (const other of texts.slice(index + 1))
          assert.ok(sharedArea(corners(one), corners(other)) < 0.01, pairText(one, other));
    }
  });

  it('truncates a line that is wider than the chart', () => {
    const [, line = ''] = textsOf(saved(240));
    assert.match(line, /^gemm-f32.*…$/);
    assert.ok(line.length * 6 <= 240);
  });

  it('is escaped in its file', () => {
    const svg = chartSvg(captioned(chart(), { ...CAPTION, lines: ['<b>&"'] }));
    assert.ok(svg.includes('&lt;b&gt;&amp;&quot;'));
    assert.match(svg, /font-weight="600">Roofline of 1024 x 1024 x 1024 f32</);
  });
});
