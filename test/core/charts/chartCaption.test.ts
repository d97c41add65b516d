/** A saved chart: title, kernel and legend around the same marks. */
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/report/analyze';
import type { Chart, Mark } from '../../../src/core/charts/chart';
import { captioned } from '../../../src/core/charts/chartCaption';
import { chartSvg } from '../../../src/core/charts/chartSvg';
import { rooflineChart } from '../../../src/core/charts/rooflineChart';
import { kernelFor } from '../../helpers/kernels';

const SIZE = { width: 760, height: 460 };
const chart = (): Chart => {
  const kernel = kernelFor(
    { problem: { m: 1024, n: 1024, k: 1024 }, schedule: { algorithm: 'thread-tile-2d' } },
    'cuda',
  );
  return rooflineChart(analyze(kernel, { device: 'h200' }).roofline, SIZE);
};
const KERNEL = 'gemm-f32-thread-tile-2d-1024x1024x1024-rrr-128x128x8-8x8.cu';
const textsOf = ({ marks }: Chart): readonly string[] =>
  marks.flatMap(mark => (mark.kind === 'text' ? [mark.text] : []));
const ys = (mark: Mark): readonly number[] =>
  mark.kind === 'text' || mark.kind === 'point' ? [mark.y] : [mark.y1, mark.y2];

describe('a standalone chart', () => {
  it('has the machine as its title, the kernel below it, and a legend of what is drawn', () => {
    const texts = textsOf(captioned(chart(), KERNEL));
    assert.deepEqual(texts.slice(0, 2), ['Roofline of NVIDIA H200', KERNEL]);
    for (const text of ['datasheet ceiling', 'empirical ceiling', 'attainable', 'predicted'])
      assert.ok(texts.includes(text), text);
    assert.ok(!texts.includes('measured'), 'nothing was measured');
  });

  it('keeps every mark inside, below its head and above its legend', () => {
    for (const width of [240, 480, 760]) {
      const plain = { ...chart(), width };
      const whole = captioned(plain, KERNEL);
      assert.ok(whole.height > plain.height);
      for (const y of whole.marks.flatMap(ys)) assert.ok(y > 0 && y <= whole.height, `${y}`);
      const moved = whole.marks.slice(2, 2 + plain.marks.length);
      const before = plain.marks.flatMap(ys);
      const shifts = moved.flatMap(ys).map((y, index) => y - (before[index] ?? 0));
      assert.ok(Math.min(...shifts) > 0 && Math.max(...shifts) - Math.min(...shifts) < 1e-9);
    }
  });

  it('truncates a kernel name that is wider than the chart', () => {
    const [, kernel = ''] = textsOf(captioned({ ...chart(), width: 240 }, KERNEL));
    assert.match(kernel, /^gemm-f32.*…$/);
    assert.ok(kernel.length * 6 <= 240);
  });

  it('is escaped in its file', () => {
    const svg = chartSvg(captioned(chart(), '<b>&"'));
    assert.ok(svg.includes('&lt;b&gt;&amp;&quot;'));
    assert.match(svg, /font-weight="600">Roofline of NVIDIA H200</);
  });
});
